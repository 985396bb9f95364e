#include "core/causes/random_heads.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/causes/asked_heads.h"
#include "core/causes/text_without.h"
#include "core/causes/word_layer.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/causes/word_models.h"

namespace headscope {
namespace {

using test::Near;
using test::WordModel;

}  // namespace

TEST_CASE("others are as many of the same layers, never those that are off", "[causes][control]") {
  const auto model = WordModel(test::Gpt2Config(3, 8)).Open();
  const HeadsOff off{{{0, 1}, {2, 0}, {2, 5}}, Replacement::kTextMean};
  const auto draws = DrawOthers(model->description(), off);
  REQUIRE(draws.has_value());
  REQUIRE(draws->size() == 10);
  std::set<std::vector<HeadIndex>> different;
  for (const HeadsOff& one : *draws) {
    CHECK(one.replacement == Replacement::kTextMean);
    REQUIRE(one.heads.size() == 3);
    CHECK(std::ranges::is_sorted(one.heads));
    CHECK(one.heads[0].layer == 0);
    CHECK(one.heads[1].layer == 2);
    CHECK(one.heads[2].layer == 2);
    CHECK(one.heads[1] != one.heads[2]);
    for (const HeadIndex head : one.heads) {
      CHECK(std::ranges::find(off.heads, head) == off.heads.end());
    }
    different.insert(one.heads);
  }
  CHECK(different.size() == 10);
  // The seed decides.
  CHECK(*DrawOthers(model->description(), off) == *draws);
  CHECK(*DrawOthers(model->description(), off, 10, 2) != *draws);
}

TEST_CASE("a layer of four heads has three others, and too few are refused", "[causes][control]") {
  const auto model = WordModel(test::Gpt2Config(2, 4)).Open();
  const auto draws = DrawOthers(model->description(), {.heads = {{1, 2}}});
  REQUIRE(draws.has_value());
  CHECK(draws->size() == 3);
  const auto refused = DrawOthers(model->description(), {.heads = {{1, 0}, {1, 1}, {1, 2}}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message == "L1 has 1 other heads, fewer than the 3 that are off in it");
}

TEST_CASE("edges go with the head that stands in place of theirs", "[causes][control]") {
  const auto model = WordModel(test::Gpt2Config(2, 4)).Open();
  const HeadsOff off{.edges = {{{1, 2}, 0, {}}, {{1, 2}, 3, 4}}, .renormalises = true};
  const auto draws = DrawOthers(model->description(), off);
  REQUIRE(draws.has_value());
  REQUIRE(draws->size() == 3);
  for (const HeadsOff& one : *draws) {
    CHECK(one.heads.empty());
    CHECK(one.renormalises);
    REQUIRE(one.edges.size() == 2);
    CHECK(one.edges[0].head == one.edges[1].head);
    CHECK(one.edges[0].head != HeadIndex{1, 2});
    CHECK(one.edges[0].key == 0);
    CHECK(one.edges[1].row == 4);
  }
}

TEST_CASE("the control is the change of the loss without each draw", "[causes][control]") {
  const auto model = WordModel(test::Gpt2Config(2, 4)).Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto words = WordLayer::Make(&forward);
  TextWithout text(&forward, test::WordInput(model->description(), 6));
  const HeadsOff off{.heads = {{0, 1}}};
  std::vector<double> parts;
  const auto cost =
      RandomCostOf(&text, model->description(), off, **words, 1, {}, [&](double done) {
        parts.push_back(done);
      });
  REQUIRE(cost.has_value());
  CHECK(parts.size() == 3);
  CHECK(parts.back() == 1.0);
  const double whole = *text.WholeLosses(**words, {})->loss;
  CHECK(cost->own == Near(*text.LossesWithout(off, **words, {})->loss - whole, 1e-12));
  std::vector<double> expected;
  for (const std::int64_t other : {0, 2, 3}) {
    const auto without = text.LossesWithout({.heads = {{0, other}}}, **words, {});
    expected.push_back(*without->loss - whole);
  }
  std::vector<double> others = cost->others;
  std::ranges::sort(expected);
  std::ranges::sort(others);
  REQUIRE(others.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(others[i] == Near(expected[i], 1e-9));
  }
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = RandomCostOf(&text, model->description(), off, **words, 1, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

TEST_CASE("the mean and deviation of draws are those of the formula", "[causes][control]") {
  const RandomCost cost{.own = 1.0, .others = {0.1, 0.3, 0.2}};
  CHECK(cost.mean() == Near(0.2, 1e-15));
  CHECK(cost.deviation() == Near(0.1, 1e-15));
  CHECK(RandomCost{.own = 1.0, .others = {0.5}}.deviation() == 0.0);
}

TEST_CASE("heads that are alike cost what the control costs", "[causes][control]") {
  // Every head of the layer reads and writes the same: which of them is missing makes no difference.
  test::TinyModel alike = WordModel(test::Gpt2Config(2, 4));
  const std::int64_t width = 16;
  auto& attention = alike.tensors.at("h.1.attn.c_attn.weight").values;
  auto& output = alike.tensors.at("h.1.attn.c_proj.weight").values;
  auto& bias = alike.tensors.at("h.1.attn.c_attn.bias").values;
  for (std::int64_t part = 0; part < 3; ++part) {
    for (std::int64_t head = 1; head < 4; ++head) {
      for (std::int64_t i = 0; i < 4; ++i) {
        const auto to = static_cast<std::size_t>(part * width + head * 4 + i);
        const auto from = static_cast<std::size_t>(part * width + i);
        bias[to] = bias[from];
        for (std::int64_t row = 0; row < width; ++row) {
          attention[static_cast<std::size_t>(row * 3 * width) + to] =
              attention[static_cast<std::size_t>(row * 3 * width) + from];
        }
      }
    }
  }
  for (std::int64_t head = 1; head < 4; ++head) {
    for (std::int64_t i = 0; i < 4 * width; ++i) {
      output[static_cast<std::size_t>(head * 4 * width + i)] = output[static_cast<std::size_t>(i)];
    }
  }
  const auto model = alike.Open();
  const auto backend = MakeReferenceBackend();
  Forward forward(model, backend.get());
  const auto words = WordLayer::Make(&forward);
  TextWithout text(&forward, test::WordInput(model->description(), 6));
  const auto cost = RandomCostOf(&text, model->description(), {.heads = {{1, 2}}}, **words, 1, {});
  REQUIRE(cost.has_value());
  CHECK(std::abs(cost->own) > 1e-5);
  for (const double other : cost->others) {
    CHECK(other == Near(cost->own, 1e-6));
  }
}

}  // namespace headscope

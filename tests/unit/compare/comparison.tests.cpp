#include "core/compare/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

#include "core/base/random.h"
#include "tests/reference/comparison_reference.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

using Layer = std::shared_ptr<const LayerAttention>;

constexpr std::int64_t kHeadDim = 6;

struct LayerOptions {
  std::int64_t layer = 0;
  std::int64_t heads = 4;
  std::int64_t tokens = 9;
  bool causal = true;
  std::int64_t window = 0;
  std::uint64_t seed = 1;
};

std::vector<float> Normals(std::int64_t count, RandomStream* random) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(random->Normal()));
  }
  return values;
}

LayerAttention::Content ContentOf(const LayerOptions& options) {
  RandomStream random(options.seed);
  LayerAttention::Content content;
  content.layer = options.layer;
  content.shape = {.queries = options.tokens,
                   .keys = options.tokens,
                   .heads = options.heads,
                   .kv_heads = options.heads,
                   .head_dim = kHeadDim,
                   .value_dim = kHeadDim};
  content.rule.scale = 1.0 / std::sqrt(static_cast<double>(kHeadDim));
  content.rule.causal = options.causal;
  content.rule.window = options.window;
  content.queries = Normals(options.tokens * options.heads * kHeadDim, &random);
  content.keys = Normals(options.tokens * options.heads * kHeadDim, &random);
  return content;
}

Layer Make(const LayerOptions& options) {
  return std::make_shared<const LayerAttention>(ContentOf(options));
}

// The layer with its heads in another order: head i is order[i] of the layer.
Layer Permuted(const LayerAttention& layer, const std::vector<std::int64_t>& order) {
  LayerAttention::Content content = layer.content();
  const std::int64_t width = layer.shape().heads * kHeadDim;
  for (std::int64_t row = 0; row < layer.shape().queries; ++row) {
    for (std::size_t head = 0; head < order.size(); ++head) {
      const std::int64_t from = row * width + order[head] * kHeadDim;
      const std::int64_t to = row * width + static_cast<std::int64_t>(head) * kHeadDim;
      std::copy_n(layer.content().queries.begin() + from, kHeadDim, content.queries.begin() + to);
      std::copy_n(layer.content().keys.begin() + from, kHeadDim, content.keys.begin() + to);
    }
  }
  return std::make_shared<const LayerAttention>(std::move(content));
}

SharedAxis AxisOf(std::int64_t tokens) {
  const auto words = test::NumberedWords(tokens);
  return *ShareAxis({.a = *words, .b = *words});
}

Comparison Compare(const std::vector<Layer>& a, const std::vector<Layer>& b) {
  const SharedAxis axis = AxisOf(a.front()->shape().queries);
  auto made = CompareAttention(a, b, axis, axis, {}, {});
  REQUIRE(made.has_value());
  return std::move(*made);
}

std::vector<std::int64_t> PartnersOf(const LayerComparison& layer) {
  std::vector<std::int64_t> partners;
  for (const HeadPair& pair : layer.pairs) {
    partners.push_back(pair.b);
  }
  return partners;
}

TEST_CASE("Every divergence is the formula's", "[compare]") {
  LayerOptions one;
  one.causal = GENERATE(true, false);
  one.window = GENERATE(0, 3);
  one.tokens = GENERATE(2, 9, 70);
  LayerOptions two = one;
  two.heads = GENERATE(1, 4, 7);
  two.seed = 2;
  if (one.window > 0 && !one.causal) {
    return;
  }
  const Layer a = Make(one);
  const Layer b = Make(two);
  const SharedAxis axis = AxisOf(one.tokens);
  const auto fast = CompareLayer(*a, *b, axis, axis, {});
  REQUIRE(fast.has_value());
  const std::vector<double> slow = CompareLayerReference(*a, *b, axis, axis);
  REQUIRE(fast->divergences.size() == slow.size());
  for (std::size_t i = 0; i < slow.size(); ++i) {
    CHECK(fast->divergences[i] == test::Near(slow[i], 4e-6 * slow[i]));
    CHECK(slow[i] > 0.0);
  }
  CHECK(fast->num_rows == (one.causal ? one.tokens - 1 : one.tokens));
}

TEST_CASE("Equal attention lies 0 apart everywhere, and every head stays in its place",
          "[compare]") {
  const std::vector<Layer> layers = {Make({.layer = 0}), Make({.layer = 1, .seed = 5})};
  const Comparison made = Compare(layers, layers);
  REQUIRE(made.layers.size() == 2);
  for (const LayerComparison& layer : made.layers) {
    CHECK(PartnersOf(layer) == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(layer.Mean() == 0.0);
    for (const HeadPair& pair : layer.pairs) {
      CHECK(pair.divergence == 0.0);
    }
  }
  CHECK(made.notes.empty());
}

TEST_CASE("Heads in another order are found again", "[compare]") {
  const Layer layer = Make({.heads = 6, .tokens = 20});
  const std::vector<std::int64_t> order = {3, 0, 5, 1, 4, 2};
  const Comparison made = Compare({Permuted(*layer, order)}, {layer});
  CHECK(PartnersOf(made.layers[0]) == order);
  CHECK(made.layers[0].Mean() == 0.0);
}

TEST_CASE("The head that was changed is the one that lies furthest apart", "[compare]") {
  const std::vector<Layer> before = {Make({.layer = 0}), Make({.layer = 1, .seed = 5})};
  LayerAttention::Content content = before[1]->content();
  for (std::int64_t row = 0; row < 9; ++row) {
    for (std::int64_t i = 0; i < kHeadDim; ++i) {
      content.queries[static_cast<std::size_t>(row * 4 * kHeadDim + 2 * kHeadDim + i)] *= -1.0F;
    }
  }
  const Comparison made =
      Compare(before, {before[0], std::make_shared<const LayerAttention>(std::move(content))});
  const auto largest = LargestOf(made);
  REQUIRE(largest.has_value());
  CHECK(largest->layer == 1);
  CHECK(largest->pair.a == 2);
  CHECK(largest->pair.b == 2);
  CHECK(*largest->pair.divergence > 0.01);
  const auto order = FurthestFirst(made);
  REQUIRE(order.size() == 8);
  CHECK(order[1].pair.divergence == 0.0);
  CHECK(order[1].layer == 0);  // those that lie as far apart stay in order
}

TEST_CASE("Fewer layers or heads are compared as far as they go, and it is said", "[compare]") {
  const std::vector<Layer> a = {Make({.layer = 0, .heads = 5}), Make({.layer = 1, .heads = 5})};
  const std::vector<Layer> b = {Make({.layer = 1, .heads = 3})};
  const Comparison made = Compare(a, b);
  REQUIRE(made.layers.size() == 1);
  CHECK(made.layers[0].layer == 1);
  CHECK(made.layers[0].pairs.size() == 3);
  CHECK(made.layers[0].divergences.size() == 15);
  REQUIRE(made.notes.size() == 2);
  CHECK(made.notes[0] == "A has 2 layers and B 1; the 1 that both have are compared.");
  CHECK(made.notes[1] ==
        "A has 5 heads in a layer and B 3; 2 of A's have no partner in each layer.");
  const auto other =
      CompareAttention(a, std::vector{Make({.layer = 7})}, AxisOf(9), AxisOf(9), {}, {});
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == ErrorCode::kInput);
}

TEST_CASE("Where no row sees two keys nothing is said of the heads", "[compare]") {
  const Comparison made =
      Compare({Make({.tokens = 9, .window = 1})}, {Make({.tokens = 9, .window = 1, .seed = 2})});
  CHECK(made.layers[0].num_rows == 0);
  CHECK(PartnersOf(made.layers[0]) == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK_FALSE(made.layers[0].pairs[0].divergence.has_value());
  CHECK_FALSE(made.layers[0].Mean().has_value());
  CHECK_FALSE(LargestOf(made).has_value());
}

TEST_CASE("Long texts come in blocks of rows, whose edges do not show", "[compare]") {
  // Seven rows of so many heads in a block.
  const Layer a = Make({.heads = 150, .tokens = 2000});
  const Layer b = Make({.heads = 150, .tokens = 2000, .causal = false, .seed = 3});
  const SharedAxis axis = AxisOf(2000);
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = CompareLayer(*a, *b, axis, axis, stop.get_token());
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  const Layer one = Make({.heads = 1, .tokens = 3000});
  const Layer two = Make({.heads = 1, .tokens = 3000, .seed = 4});
  const SharedAxis longer = AxisOf(3000);
  const auto made = CompareLayer(*one, *two, longer, longer, {});
  REQUIRE(made.has_value());
  const double expected = CompareLayerReference(*one, *two, longer, longer)[0];
  CHECK(made->divergences[0] == test::Near(expected, 4e-6 * expected));
}

// Tokens that are pieces of words: token i is part of word words[i]; -1 is special.
Encoding Pieces(const std::vector<std::int32_t>& words, std::int64_t letters) {
  Encoding encoding;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Token token;
    token.text = "t" + std::to_string(i) + "/" + std::to_string(words.size());
    token.display = token.text;
    token.word = words[i];
    token.special = words[i] < 0;
    // A word has `letters` letters and a blank; its pieces share them.
    const bool goes_on = i > 0 && words[i] >= 0 && words[i] == words[i - 1];
    const std::int64_t begin = words[i] * (letters + 1);
    token.begin = goes_on ? at : begin;
    token.end = words[i] < 0                                       ? 0
                : i + 1 < words.size() && words[i + 1] == words[i] ? token.begin + 1
                                                                   : begin + letters;
    at = token.end;
    encoding.tokens.push_back(token);
  }
  return encoding;
}

TEST_CASE("Of two tokenizers words are compared: rows are means, columns sums", "[compare]") {
  const std::string text = "abcd efgh ijkl";
  const Encoding a = Pieces({-1, 0, 0, 1, 2, 2, 2}, 4);
  const Encoding b = Pieces({0, 1, 1, 2}, 4);
  const auto axis = ShareAxis({.a = a, .b = b, .text = &text});
  REQUIRE(axis.has_value());
  REQUIRE(axis->names == std::vector<std::string>{"abcd", "efgh", "ijkl"});
  CHECK(axis->has_special);
  const Layer of_a = Make({.heads = 2, .tokens = 7});
  const Layer of_b = Make({.heads = 2, .tokens = 4, .seed = 2});
  const auto made = CompareLayer(*of_a, *of_b, *axis, *axis, {});
  REQUIRE(made.has_value());
  CHECK(made->num_rows == 3 - 1);  // in B the first word sees itself alone
  const auto slow = CompareLayerReference(*of_a, *of_b, *axis, *axis);
  for (std::size_t i = 0; i < slow.size(); ++i) {
    CHECK(made->divergences[i] == test::Near(slow[i], 4e-6 * slow[i]));
  }
  // By hand: head 0 of A against head 1 of B.
  const auto word_row = [](const LayerAttention& layer,
                           std::int64_t head,
                           const std::vector<std::int64_t>& rows,
                           const std::vector<std::size_t>& places) {
    std::vector<double> sums(4, 0.0);
    std::vector<float> row(places.size());
    for (const std::int64_t query : rows) {
      layer.Row(head, query, row);
      for (std::size_t key = 0; key < row.size(); ++key) {
        sums[places[key]] += static_cast<double>(row[key]) / static_cast<double>(rows.size());
      }
    }
    return sums;
  };
  double expected = 0.0;
  const std::vector<std::size_t> places_a = {3, 0, 0, 1, 2, 2, 2};
  const std::vector<std::size_t> places_b = {0, 1, 1, 2};
  const std::vector<std::vector<std::int64_t>> rows_a = {{3}, {4, 5, 6}};
  const std::vector<std::vector<std::int64_t>> rows_b = {{1, 2}, {3}};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto p = word_row(*of_a, 0, rows_a[i], places_a);
    const auto q = word_row(*of_b, 1, rows_b[i], places_b);
    for (std::size_t col = 0; col < 4; ++col) {
      const double mean = 0.5 * (p[col] + q[col]);
      expected += p[col] > 0.0 ? 0.25 * p[col] * std::log(p[col] / mean) : 0.0;
      expected += q[col] > 0.0 ? 0.25 * q[col] * std::log(q[col] / mean) : 0.0;
    }
  }
  CHECK(made->Divergence(0, 1) == test::Near(expected, 1e-5 * expected));
}

// Of this process, all its threads: what others do on the machine does not count.
double ProcessorMilliseconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

TEST_CASE("A single wide head of a long text is left soon after a stop, by tokens and by words",
          "[compare]") {
  // A block of all rows that are held at once would take seconds.
  constexpr std::int64_t kTokens = 2048;
  constexpr std::int64_t kWide = 2048;
  LayerAttention::Content content;
  content.shape = {.queries = kTokens,
                   .keys = kTokens,
                   .heads = 1,
                   .kv_heads = 1,
                   .head_dim = kWide,
                   .value_dim = 1};
  content.queries.assign(static_cast<std::size_t>(kTokens * kWide), 0.01F);
  content.keys = content.queries;
  const LayerAttention layer(std::move(content));
  const bool by_words = GENERATE(false, true);
  CAPTURE(by_words);
  SharedAxis axis = AxisOf(kTokens);
  if (by_words) {
    for (std::int32_t token = 0; token < kTokens; ++token) {
      axis.place_a.push_back(token);
    }
    axis.place_b = axis.place_a;
  }
  std::optional<Error> error;
  double before = 0.0;
  {
    std::jthread thread([&](const std::stop_token& stop) {
      const auto made = CompareLayer(layer, layer, axis, axis, stop);
      error = made ? std::nullopt : std::optional(made.error());
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    before = ProcessorMilliseconds();
  }
  const double took = ProcessorMilliseconds() - before;
  REQUIRE(error.has_value());
  CHECK(error->code == ErrorCode::kCancelled);
  CHECK(took < 400.0);
}

}  // namespace
}  // namespace headscope

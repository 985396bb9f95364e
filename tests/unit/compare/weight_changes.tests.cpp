#include "core/compare/weight_changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

#include "core/base/stop.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::TinyModel;
using test::TinyTensor;

// Four heads over two of keys and values.
constexpr const char* kGrouped = R"({"model_type": "qwen2", "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 8, "intermediate_size": 6,
    "vocab_size": 11, "max_position_embeddings": 16})";
constexpr std::size_t kWidth = 2;  // of a head
constexpr std::size_t kDim = 8;

TinyTensor& Named(TinyModel* model, std::string_view ending) {
  const auto found = std::ranges::find_if(
      model->tensors, [&](const auto& each) { return each.first.ends_with(ending); });
  REQUIRE(found != model->tensors.end());
  return found->second;
}

std::shared_ptr<const WeightChanges> Compared(const TinyModel& a, const TinyModel& b) {
  const auto comparison = WeightComparison::Make(a.Open(), b.Open());
  REQUIRE(comparison);
  auto changes = (*comparison)->Run([](std::int64_t, std::int64_t) {}, {});
  REQUIRE(changes);
  return *changes;
}

const WeightChange& PartNamed(const WeightChanges& changes, std::string_view name) {
  const auto found = std::ranges::find(changes.parts, name, &WeightChange::name);
  REQUIRE(found != changes.parts.end());
  return *found;
}

std::set<std::string> ChangedParts(const WeightChanges& changes) {
  std::set<std::string> names;
  for (const WeightChange& part : changes.parts) {
    if (part.all.Change() != 0.0) {
      names.insert(part.name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("change and cosine are those of two vectors", "[compare][weights]") {
  ChangeSums sums;
  sums.Add(std::array{3.0F, 4.0F}, std::array{3.0F, 0.0F});
  CHECK(sums.numbers == 2);
  CHECK(sums.Change() == 0.8);
  CHECK(sums.Cosine() == 0.6);
  ChangeSums opposite;
  opposite.Add(std::array{1.0F, -2.0F}, std::array{-1.0F, 2.0F});
  CHECK(opposite.Change() == 2.0);
  CHECK(opposite.Cosine() == -1.0);
  ChangeSums begun;
  begun.Add(std::array{0.0F}, std::array{1.0F});
  CHECK_FALSE(begun.Change());
  CHECK_FALSE(begun.Cosine());
  CHECK(ChangeText(begun) == "new");
  ChangeSums nothing;
  nothing.Add(std::array{0.0F}, std::array{0.0F});
  CHECK(nothing.Change() == 0.0);
  sums.Add(opposite);
  CHECK(sums.numbers == 4);
  CHECK(sums.difference == 16.0 + 20.0);
}

TEST_CASE("a changed row of keys is of the heads that share it, and of nothing else",
          "[compare][weights]") {
  const TinyModel a(kGrouped);
  TinyModel b(kGrouped);
  std::vector<float>& keys = Named(&b, "layers.1.self_attn.k_proj.weight").values;
  double square = 0.0;
  for (std::size_t i = kWidth * kDim; i < 2 * kWidth * kDim; ++i) {  // the second head of keys
    square += static_cast<double>(keys[i]) * static_cast<double>(keys[i]);
    keys[i] *= 3.0F;
  }
  const auto changes = Compared(a, b);
  CHECK(ChangedParts(*changes) == std::set<std::string>{"L1H2", "L1H3"});
  const WeightChange& head = PartNamed(*changes, "L1H3");
  CHECK(head.head == HeadIndex{1, 3});
  CHECK(std::abs(head.matrices[1].difference - 4.0 * square) <= 1e-5 * square);
  CHECK(head.matrices[0].Change() == 0.0);
  CHECK(head.matrices[2].Change() == 0.0);
  CHECK(head.matrices[3].Change() == 0.0);
  CHECK(head.matrices[1].numbers == kWidth * kDim + kWidth);  // with its bias
  CHECK(head.matrices[3].numbers == kWidth * kDim);           // the output's bias is the layer's
  CHECK(changes->parts.front().head->layer == 1);
  REQUIRE(changes->notes.size() == 1);
  CHECK(changes->notes.front().starts_with("2 heads share each head of keys and values"));
}

TEST_CASE("what a head reads of the output matrix is its own columns", "[compare][weights]") {
  const TinyModel a(kGrouped);
  TinyModel b(kGrouped);
  std::vector<float>& output = Named(&b, "layers.0.self_attn.o_proj.weight").values;
  for (std::size_t row = 0; row < kDim; ++row) {
    output[row * kDim + 2 * kWidth] = 0.0F;  // the first column of the third head
  }
  Named(&b, "layers.0.mlp.up_proj.weight").values[5] += 1.0F;
  Named(&b, "layers.1.input_layernorm.weight").values[0] += 1.0F;
  Named(&b, "embed_tokens.weight").values[3] += 1.0F;
  const auto changes = Compared(a, b);
  CHECK(ChangedParts(*changes) ==
        std::set<std::string>{"L0H2", "L0 MLP", "L1 norms", "token embedding"});
  const std::string json = WeightChangeJson(*changes);
  CHECK(json.find(R"("part":"L0 MLP","head":null)") != std::string::npos);
  const Table table = WeightChangeTable(*changes);
  CHECK(table.rows.size() == changes->parts.size());
  CHECK(table.rows.front().size() == table.columns.size());
}

TEST_CASE("where a file holds inputs by outputs, columns are still a head's own",
          "[compare][weights]") {
  const char* const settings = R"({"model_type": "gpt2", "n_layer": 1, "n_head": 2, "n_embd": 4,
      "n_positions": 8, "vocab_size": 7})";
  const TinyModel a(settings);  // queries, keys and values side by side, inputs by outputs
  TinyModel b(settings);
  std::vector<float>& joined = Named(&b, "attn.c_attn.weight").values;  // [4, 12]
  joined[2 * 12 + 3] += 1.0F;                                           // a query of head 1
  joined[1 * 12 + 8] += 1.0F;                                           // a value of head 0
  const auto changes = Compared(a, b);
  CHECK(ChangedParts(*changes) == std::set<std::string>{"L0H0", "L0H1"});
  CHECK(PartNamed(*changes, "L0H1").matrices[0].Change() != 0.0);
  CHECK(PartNamed(*changes, "L0H0").matrices[2].Change() != 0.0);
  CHECK(PartNamed(*changes, "L0H0").matrices[0].Change() == 0.0);
}

TEST_CASE("other shapes are refused with both, other vocabularies are left out and named",
          "[compare][weights]") {
  std::string settings = kGrouped;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = settings;
    changed.replace(changed.find(from), from.size(), to);
    return TinyModel(changed).Open();
  };
  const auto refused =
      WeightComparison::Make(TinyModel(kGrouped).Open(),
                             with(R"("num_key_value_heads": 2)", R"("num_key_value_heads": 4)"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kInput);
  CHECK(refused.error().message.find("2 layers of 4 heads over 2 key/value heads, d 8") !=
        std::string::npos);
  CHECK(refused.error().message.find("2 layers of 4 heads, d 8") != std::string::npos);
  const auto other = WeightComparison::Make(TinyModel(kGrouped).Open(),
                                            with(R"("vocab_size": 11)", R"("vocab_size": 12)"));
  REQUIRE(other);
  const auto changes = (*other)->Run([](std::int64_t, std::int64_t) {}, {});
  REQUIRE(changes);
  CHECK(std::ranges::any_of((*changes)->notes, [](const std::string& note) {
    return note.ends_with("there: token embedding.");
  }));
  CHECK(std::ranges::find((*changes)->parts, "token embedding", &WeightChange::name) ==
        (*changes)->parts.end());
  CHECK(PartNamed(**changes, "L1H3").all.numbers > 0);
}

TEST_CASE("a comparison that is stopped anywhere goes on and comes to the same",
          "[compare][weights]") {
  const TinyModel a(kGrouped, 1);
  const TinyModel b(kGrouped, 2);
  const auto whole = Compared(a, b);
  const auto comparison = WeightComparison::Make(a.Open(), b.Open());
  REQUIRE(comparison);
  int stops = 0;
  for (int most = 1;; ++most) {
    std::stop_source source;
    int checks = 0;
    const StopWatch watch([&] {
      if (++checks > most) {
        source.request_stop();
      }
    });
    const auto changes = (*comparison)->Run([](std::int64_t, std::int64_t) {}, source.get_token());
    if (changes) {
      REQUIRE((*changes)->parts.size() == whole->parts.size());
      for (std::size_t i = 0; i < whole->parts.size(); ++i) {
        CHECK((*changes)->parts[i].name == whole->parts[i].name);
        CHECK((*changes)->parts[i].all.difference == whole->parts[i].all.difference);
      }
      break;
    }
    CHECK(changes.error().code == ErrorCode::kCancelled);
    ++stops;
  }
  CHECK(stops > 3);
}

TEST_CASE("a weight that is no number is named", "[compare][weights]") {
  const TinyModel a(kGrouped);
  TinyModel b(kGrouped);
  Named(&b, "layers.1.mlp.down_proj.weight").values[0] = std::nanf("");
  const auto comparison = WeightComparison::Make(a.Open(), b.Open());
  REQUIRE(comparison);
  const auto changes = (*comparison)->Run([](std::int64_t, std::int64_t) {}, {});
  REQUIRE_FALSE(changes);
  CHECK(changes.error().code == ErrorCode::kNumeric);
  CHECK(changes.error().message.starts_with("L1 MLP"));
}

}  // namespace headscope

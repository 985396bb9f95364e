// What heads do to logits and to later scores, against PyTorch in float64 (make_effects_golden.py).
#include <cmath>
#include <map>
#include <string>

#include "core/heads/effect/cell_sources.h"
#include "core/heads/effect/copy_effect.h"
#include "tests/golden/golden_file.h"
#include "tests/reference/copy_reference.h"
#include "tests/support/backends.h"
#include "tests/support/folders.h"

namespace headscope {
namespace {

using test::Must;

// transformers makes the sines of rotary positions in float32 even where all else is float64.
constexpr double kTolerance = 1e-5;

struct Case {
  std::string name;
  std::vector<double> effect;          // [L H]
  std::vector<std::int64_t> cell;      // layer, head, query, key; empty: none
  std::map<std::string, double> keys;  // of the cell, by writer
};

struct Golden {
  CopyText text;
  std::vector<Case> cases;
};

// Empty where there is none.
JsonArray ListIn(JsonValue object, std::string_view key) {
  return object.Find(key).value_or(JsonValue()).Array().value_or(JsonArray());
}

Golden ReadGolden() {
  const JsonDocument document = Must(
      JsonDocument::Read(test::SourceFolder() / "tests" / "golden" / "effects.json", 1'000'000));
  const JsonValue root = document.root();
  Golden golden;
  const std::int64_t special = root.Find("special_id")->Integer().value();
  for (const JsonValue id : ListIn(root, "ids")) {
    golden.text.ids.push_back(static_cast<std::int32_t>(id.Integer().value()));
    golden.text.is_special.push_back(golden.text.ids.back() == special);
  }
  for (const JsonValue one : ListIn(root, "cases")) {
    Case& made = golden.cases.emplace_back();
    made.name = one.Find("name")->Text().value();
    for (const JsonValue value : ListIn(one, "effect")) {
      made.effect.push_back(value.Number().value());
    }
    for (const JsonValue index : ListIn(one, "cell")) {
      made.cell.push_back(index.Integer().value());
    }
    const JsonFields keys = one.Find("keys").value_or(JsonValue()).Object().value_or(JsonFields());
    for (const JsonField& field : keys) {
      made.keys.emplace(field.key, field.value.Number().value());
    }
  }
  return golden;
}

std::shared_ptr<const Model> OpenCase(const Case& one) {
  return Must(Model::Open(test::SourceFolder() / "tests" / "golden" / "data" / one.name));
}

void CheckNear(double found, double expected) {
  CHECK(std::abs(found - expected) <= kTolerance * (1.0 + std::abs(expected)));
}

}  // namespace

TEST_CASE("heads move logits as PyTorch says", "[golden][effects]") {
  const Golden golden = ReadGolden();
  REQUIRE(golden.cases.size() >= 9);
  for (const Case& one : golden.cases) {
    const auto model = OpenCase(one);
    const auto reference = MakeReferenceBackend();
    Forward slow(model, reference.get());
    const CopyReference by_definition = Must(CopyEffectByDefinition(&slow, golden.text, {}));
    REQUIRE(by_definition.sums.effect.size() == one.effect.size());
    for (const auto& backend : test::AllBackends()) {
      INFO(one.name << " on " << backend->Description());
      Forward forward(model, backend.get());
      const auto effect = Must(CopyEffect::Make(&forward, {}));
      effect->Begin({golden.text}, {});
      REQUIRE(forward.Run({.ids = golden.text.ids, .embeddings = {}},
                          model->description().layers - 1,
                          effect.get(),
                          {}));
      const CopySums sums = effect->Take();
      for (std::size_t head = 0; head < one.effect.size(); ++head) {
        INFO("head " << head);
        CheckNear(sums.effect[head], one.effect[head]);
        CheckNear(by_definition.sums.effect[head], one.effect[head]);
      }
    }
  }
}

TEST_CASE("what is written into a key's stream adds to the score as PyTorch says",
          "[golden][effects]") {
  int cells = 0;
  for (const Case& one : ReadGolden().cases) {
    if (one.cell.empty()) {
      continue;
    }
    ++cells;
    const auto model = OpenCase(one);
    const Cell cell{{ModelPart::kWhole, one.cell[0]}, one.cell[1], one.cell[2], one.cell[3]};
    for (const auto& backend : test::AllBackends()) {
      INFO(one.name << " on " << backend->Description());
      Forward forward(model, backend.get());
      const ForwardInput input{.ids = ReadGolden().text.ids, .embeddings = {}};
      const CellSources found = Must(FindCellSources(&forward, input, cell, {}));
      std::size_t seen = 0;
      for (const CellSources::Source& source : found.keys) {
        const auto expected = one.keys.find(WriterName(source.writer));
        // The biases of the layer's own norms and projections are no writers there.
        const bool is_own = source.writer.kind == WriterKind::kNormBias ||
                            source.writer.kind == WriterKind::kProjectionBias;
        INFO(WriterName(source.writer));
        REQUIRE((expected != one.keys.end()) != is_own);
        if (!is_own) {
          CheckNear(source.sum, expected->second);
          ++seen;
        }
      }
      CHECK(seen == one.keys.size());
    }
  }
  CHECK(cells >= 5);
}

}  // namespace headscope

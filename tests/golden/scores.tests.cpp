// Scores of decoder and cross-attention heads, against transformers in float64
// (make_scores_golden.py).
#include <cmath>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "core/heads/probe/target.h"
#include "core/heads/scan/score_report.h"
#include "tests/golden/golden_file.h"
#include "tests/support/backends.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

using test::Must;

constexpr double kScoreTolerance = 1e-6;

JsonArray ArrayIn(JsonValue object, std::string_view key) {
  return object.Find(key).value_or(JsonValue()).Array().value_or(JsonArray());
}

JsonFields FieldsOf(const JsonValue& object) {
  return object.Object().value_or(JsonFields());
}

std::vector<std::int32_t> IdsIn(const JsonValue& list) {
  std::vector<std::int32_t> ids;
  for (const JsonValue& id : list.Array().value_or(JsonArray())) {
    ids.push_back(static_cast<std::int32_t>(id.Integer().value()));
  }
  return ids;
}

// The texts as a probe of ids.
ProbeCorpus CorpusOf(const Model& model, const JsonValue& one) {
  const test::TempFolder folder;
  {
    std::ofstream file(folder / "texts.ids");
    for (const JsonValue& text : ArrayIn(one, "texts")) {
      file << fmt::format("{}\n", fmt::join(IdsIn(text), ","));
    }
  }
  return Must(ReadProbe(model, ReadVocabulary(model), folder / "texts.ids", {}));
}

ScoreReport ReportOf(const std::shared_ptr<const Model>& model,
                     Backend* backend,
                     const ProbeCorpus& corpus,
                     const ProbeCorpus& targets) {
  Forward forward(model, backend);
  BatchSums total;
  for (const ScanBatch& batch : CutBatches(corpus)) {
    total.Add(Must(RunBatch(&forward, corpus, {.targets = &targets}, batch, {})));
  }
  return MakeReport(DescribeScan(*model, corpus), total);
}

}  // namespace

TEST_CASE("decoder and cross heads score what transformers' maps say", "[golden][scores]") {
  const JsonDocument document = Must(
      JsonDocument::Read(test::SourceFolder() / "tests" / "golden" / "scores.json", 1'000'000));
  std::int64_t compared = 0;
  for (const JsonValue& one : ArrayIn(document.root(), "cases")) {
    const std::string name(one.Find("name")->Text().value());
    const auto model = Must(Model::Open(test::SourceFolder() / "tests" / "golden" / "data" / name));
    const ProbeCorpus corpus = CorpusOf(*model, one);
    const ProbeCorpus targets = Must(MakeTargets(*model, corpus));
    const JsonArray shifted = ArrayIn(one, "targets");
    REQUIRE(shifted.size() == targets.sequences.size());
    for (std::size_t i = 0; i < shifted.size(); ++i) {
      CHECK(targets.sequences[i].ids == IdsIn(shifted[i]));
    }
    const std::unique_ptr<Backend> reference = MakeReferenceBackend();
    const ScoreReport report = ReportOf(model, reference.get(), corpus, targets);
    for (const JsonField& head : FieldsOf(one.Find("scores").value_or(JsonValue()))) {
      const ScoreReport& part = report.more[head.key[0] == 'D' ? 0 : 1];
      const auto index = ParseHeadName(head.key);
      REQUIRE(index);
      for (const JsonField& metric : FieldsOf(head.value)) {
        INFO(name << " " << head.key << " " << metric.key);
        const JsonArray expected = metric.value.Array().value();
        const auto found = std::ranges::find(part.scores, metric.key, &NamedScores::id);
        REQUIRE(found != part.scores.end());
        const HeadScore& score = found->heads[part.about.heads.PlaceOf(*index)];
        REQUIRE(score.score);
        CHECK(std::abs(*score.score - expected[0].Number().value()) <= kScoreTolerance);
        CHECK(score.rows == expected[1].Integer().value());
        ++compared;
      }
    }
  }
  CHECK(compared == 440);
}

}  // namespace headscope

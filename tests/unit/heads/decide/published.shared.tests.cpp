// Scores of attention that others have published, held to the numbers that they or we computed from
// it before.
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/half.h"
#include "core/heads/decide/relations.h"
#include "core/heads/measure/row_reader.h"
#include "core/heads/scan/scan.h"
#include "core/io/annotated_text.h"
#include "core/io/weight_store.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/made_rows.h"
#include "tests/support/relation_score.h"

namespace headscope {
namespace {

nlohmann::json ReadJson(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

// Hands the maps [heads, n, n] of one layer to an observer of layers.
void Show(LayerObserver* observer,
          std::int64_t layer,
          std::int64_t heads,
          std::int64_t n,
          bool causal,
          std::span<const float> weights) {
  test::ShowWeights(weights, heads, n, causal, observer->BeginLayer({ModelPart::kWhole, layer}));
  REQUIRE(observer->EndLayer({ModelPart::kWhole, layer}));
}

// Induction of the heads of a published pattern of GPT-2 small.
std::vector<HeadScore> InductionOf(const nlohmann::json& record) {
  ProbeSequence sequence;
  sequence.ids = record["ids"].get<std::vector<std::int32_t>>();
  for (const std::int32_t id : sequence.ids) {
    sequence.special.push_back(id == 50256 ? 1 : 0);
    sequence.separator.push_back(0);
    sequence.word.push_back(-1);
  }
  const std::int64_t heads = std::ssize(record["attention"]);
  std::vector<float> weights;
  for (const auto& head : record["attention"]) {
    for (const auto& row : head) {
      for (const auto& weight : row) {
        weights.push_back(weight.get<float>());
      }
    }
  }
  const ProbeSequence* const one = &sequence;
  RowReader reader({&one, 1}, 1, 1, heads);
  Show(&reader, 0, heads, sequence.tokens(), true, weights);
  const HeadMetric& induction = *FindMetric("induction");
  const auto place = static_cast<std::size_t>(&induction - AllMetrics().data());
  std::vector<HeadScore> scores;
  for (std::int64_t head = 0; head < heads; ++head) {
    scores.push_back(ScoreOf(reader.sums()[place][0], induction, static_cast<std::size_t>(head)));
  }
  return scores;
}

// The sentences of a BERT whose words were parsed, as a corpus, and the heads' cases.
struct Parsed {
  std::vector<PairCase> cases;
  std::int64_t sentences = 0;
  std::int64_t skipped = 0;
};

const Parsed& ParsedSentences() {
  static const Parsed kParsed = [] {
    constexpr std::int64_t kLayers = 12;
    constexpr std::int64_t kHeads = 12;
    const std::filesystem::path folder = test::SharedData() / "attention" / "bert-sst2";
    const nlohmann::json sentences = ReadJson(folder / "sentences.json");
    const auto store = WeightStore::OpenSafetensors(folder / "attention.safetensors");
    REQUIRE(store);
    Parsed parsed;
    ProbeCorpus corpus{.probe = "sst2", .groups = {""}, .sequences = {}};
    std::vector<std::string> names;
    for (const auto& one : sentences) {
      auto annotated = std::make_shared<AnnotatedSentence>();
      ProbeSequence sequence;
      for (const auto& arc : one["dependencies"]["list"]) {
        AnnotatedWord word;
        word.form = one["dependencies"]["words"][annotated->words.size()].get<std::string>();
        word.relation = arc["relation"].get<std::string>();
        word.head = arc["parent"].is_null() || word.relation == "root"
                        ? -1
                        : arc["parent"].get<std::int64_t>();
        annotated->words.push_back(std::move(word));
      }
      std::int32_t word = -1;
      for (const auto& token : one["tokens"]) {
        const auto text = token.get<std::string>();
        const bool is_special = text == "[CLS]" || text == "[SEP]";
        word += is_special || text.starts_with("##") ? 0 : 1;
        sequence.ids.push_back(0);
        sequence.special.push_back(is_special ? 1 : 0);
        sequence.annotated_word.push_back(is_special ? -1 : word);
      }
      if (word + 1 != std::ssize(annotated->words)) {
        ++parsed.skipped;  // its last token is not there
        continue;
      }
      sequence.annotation = std::move(annotated);
      corpus.sequences.push_back(std::move(sequence));
      names.push_back(std::to_string(one["id"].get<std::int64_t>()));
    }
    const WordCounts counts = CountWords(corpus);
    for (std::size_t place = 0; place < names.size(); ++place) {
      const TensorView* maps = store->Find(names[place]);
      REQUIRE(maps != nullptr);
      const std::int64_t n = corpus.sequences[place].tokens();
      REQUIRE(maps->shape == std::vector<std::int64_t>{kLayers, kHeads, n, n});
      const std::vector<std::size_t> places = {place};
      WordReader reader(corpus, places, counts, kLayers, kHeads);
      std::vector<float> weights(static_cast<std::size_t>(kHeads * n * n));
      for (std::int64_t layer = 0; layer < kLayers; ++layer) {
        ConvertToFloat(*maps, layer * kHeads * n * n, weights);
        Show(&reader, layer, kHeads, n, false, weights);
      }
      std::ranges::move(reader.TakeCases(), std::back_inserter(parsed.cases));
    }
    parsed.sentences = std::ssize(names);
    return parsed;
  }();
  return kParsed;
}

double Accuracy(const std::string& id, HeadIndex head) {
  for (const RelationCases& relation : GroupCases(ParsedSentences().cases)) {
    if (RelationId(relation) == id) {
      return *RelationScore(relation, static_cast<std::size_t>(head.layer * 12 + head.head)).score;
    }
  }
  return -1.0;
}

}  // namespace

TEST_CASE("published patterns of GPT-2 small have the induction scores known of them",
          "[heads][shared]") {
  const nlohmann::json records = ReadJson(test::SharedData() / "attention" / "published" /
                                          "attention_patterns.json")["records"];
  const auto five = InductionOf(records[5]);
  REQUIRE(five.size() == 2);
  CHECK(std::abs(*five[0].score - 0.605) < 0.0015);  // L6H9
  CHECK(std::abs(*five[1].score - 0.695) < 0.0015);  // L5H5
  CHECK(five[0].rows == 23);
  CHECK(std::abs(*five[0].chance - 0.042) < 0.0015);
  CHECK(*five[1].control < 0.1);
  const auto seven = InductionOf(records[7]);
  CHECK(std::abs(*seven[0].score - 0.882) < 0.0015);  // L5H5
  CHECK(seven[0].rows == 20);
}

TEST_CASE("a published BERT's heads follow the relations known of them", "[heads][shared]") {
  CHECK(ParsedSentences().sentences == 59);
  CHECK(ParsedSentences().skipped == 1);
  CHECK(std::abs(Accuracy("dep:det:dependent-to-head", {7, 10}) - 0.861) < 0.0015);
  CHECK(std::abs(Accuracy("dep:case:dependent-to-head", {7, 10}) - 0.649) < 0.0015);
  CHECK(std::abs(Accuracy("dep:case:dependent-to-head", {4, 5}) - 0.695) < 0.0015);
  CHECK(std::abs(Accuracy("dep:obj:dependent-to-head", {7, 9}) - 0.679) < 0.0015);
  CHECK(std::abs(Accuracy("dep:amod:dependent-to-head", {3, 9}) - 0.712) < 0.0015);
  CHECK(std::abs(Accuracy("dep:nsubj:dependent-to-head", {5, 9}) - 0.509) < 0.0015);
}

TEST_CASE("suggestions for a published BERT hold its plain relations and none that are chance",
          "[heads][shared]") {
  const auto relations = GroupCases(ParsedSentences().cases);
  const auto found = DecideRelations(relations, {.layers = 12, .heads = 12});
  const auto holds = [&](std::string_view relation, std::string_view direction, HeadIndex head) {
    return std::ranges::any_of(found, [&](const Suggestion& one) {
      return one.relation == relation && one.direction == direction && one.head == head;
    });
  };
  CHECK(holds("det", "dependent-to-head", {7, 10}));
  CHECK(holds("case", "head-to-dependent", {6, 9}));
  for (const Suggestion& one : found) {
    INFO(one.why);
    for (const char* relation : {"amod", "nsubj", "advmod", "compound", "cc", "mark"}) {
      CHECK(one.relation != relation);
    }
  }
}

}  // namespace headscope

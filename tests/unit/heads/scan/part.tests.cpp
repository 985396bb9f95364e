#include "core/heads/scan/part.h"

#include <set>

#include "core/heads/measure/measure.h"
#include "core/heads/scan/score_report.h"
#include "core/model/config.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;

const std::string kGpt2 = R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                              "n_positions": 64, "vocab_size": 90, "bos_token_id": 0})";

struct Scanned {
  std::shared_ptr<const Model> model = test::TinyModel(kGpt2).Open();
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  ProbeCorpus corpus;
  ScanPart whole;

  Scanned() {
    auto repeats =
        MakeRepeats(*model, ReadVocabulary(*model), {.sequences = 60, .from_texts = false});
    REQUIRE(repeats);
    corpus = std::move(*repeats);
    whole.about = DescribeScan(*model, corpus);
    Forward forward(model, backend.get());
    const auto batches = CutBatches(corpus);
    for (std::size_t batch = 0; batch < batches.size(); ++batch) {
      auto sums =
          RunBatch(&forward, corpus, {.measures = true, .sequences = true}, batches[batch], {});
      REQUIRE(sums);
      whole.done.emplace(static_cast<std::int64_t>(batch), std::move(*sums));
    }
  }
};

const Scanned& AScan() {
  static const Scanned scan;
  return scan;
}

}  // namespace

TEST_CASE("repeats are a begin mark and a block of distinct tokens, twice", "[heads]") {
  const ProbeCorpus& corpus = AScan().corpus;
  CHECK(corpus.draw == "uniform");
  CHECK(corpus.groups == std::vector<std::string>{"10", "20"});  // 81 tokens are too many
  REQUIRE(corpus.notes.size() == 1);
  CHECK_THAT(corpus.notes[0], Says("period 40 takes 81 tokens, and the model reads 64"));
  for (std::size_t i = 0; i < corpus.sequences.size(); ++i) {
    const ProbeSequence& sequence = corpus.sequences[i];
    const std::size_t period = sequence.group == 0 ? 10 : 20;
    REQUIRE(sequence.ids.size() == 1 + 2 * period);
    CHECK(sequence.ids[0] == 0);
    CHECK(sequence.special[0] == 1);
    CHECK(sequence.is_control == (i % 2 == 1));
    std::set<std::int32_t> distinct;
    for (std::size_t k = 1; k <= period; ++k) {
      distinct.insert(sequence.ids[k]);
      CHECK((sequence.ids[k] == sequence.ids[k + period]) == !sequence.is_control);
      if (sequence.is_control) {
        CHECK(sequence.ids[k] == corpus.sequences[i - 1].ids[k]);
        distinct.insert(sequence.ids[k + period]);
      }
    }
    CHECK(distinct.size() == (sequence.is_control ? 2 * period : period));
    CHECK_FALSE(distinct.contains(0));
  }
}

TEST_CASE("batches hold every sequence once, a control after its own, the lengths ascending",
          "[heads]") {
  const ProbeCorpus& corpus = AScan().corpus;
  std::set<std::size_t> seen;
  std::int64_t length = 0;
  for (const ScanBatch& batch : CutBatches(corpus)) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      CHECK(seen.insert(batch[i]).second);
      CHECK(corpus.sequences[batch[i]].tokens() >= length);
      length = corpus.sequences[batch[i]].tokens();
      if (corpus.sequences[batch[i]].is_control) {
        REQUIRE(i > 0);
        CHECK(batch[i - 1] + 1 == batch[i]);
      }
    }
  }
  CHECK(seen.size() == corpus.sequences.size());
}

TEST_CASE("shares that are written, read and merged give one run exactly", "[heads]") {
  const ScanPart& whole = AScan().whole;
  REQUIRE(whole.about.batches >= 3);
  const auto total = TotalOf(whole);
  REQUIRE(total);
  std::vector<ScanPart> shares(3, ScanPart{.about = whole.about, .done = {}});
  for (const auto& [batch, sums] : whole.done) {
    shares[static_cast<std::size_t>(batch) % 3].done.emplace(batch, sums);
  }
  std::optional<ScanPart> merged;
  for (const std::size_t share : {2U, 0U, 1U}) {
    auto read = ParsePart(PartText(shares[share]), "share.json");
    REQUIRE(read);
    CHECK(read->about == whole.about);
    if (!merged) {
      merged = std::move(*read);
      const auto missing = TotalOf(*merged);
      REQUIRE_FALSE(missing);
      CHECK_THAT(missing.error().message, Says("batch 0 is missing"));
    } else {
      REQUIRE(MergePart(std::move(*read), "share.json", &*merged));
    }
  }
  const auto again = TotalOf(*merged);
  REQUIRE(again);
  CHECK(again->rows == total->rows);
  CHECK(ReportJson(MakeReport(whole.about, *total)) ==
        ReportJson(MakeReport(merged->about, *again)));
}

TEST_CASE("what sequences had by themselves adds up to the sums, and survives a part's file",
          "[heads]") {
  const Scanned& scan = AScan();
  const auto parsed = ParsePart(PartText(scan.whole), "p.json");
  REQUIRE(parsed);
  const auto total = TotalOf(scan.whole);
  const auto again = TotalOf(*parsed);
  REQUIRE(total);
  REQUIRE(again);
  REQUIRE(total->sequences.size() == 120);  // without controls
  REQUIRE(again->sequences.size() == 120);
  const auto place = static_cast<std::size_t>(FindMetric("induction") - AllMetrics().data());
  std::vector<double> score(2);
  std::vector<double> control(2);
  for (std::size_t i = 0; i < total->sequences.size(); ++i) {
    const SequenceMeans& one = *total->sequences[i];
    CHECK(one == *again->sequences[i]);
    CHECK_FALSE(scan.corpus.sequences[one.place].is_control);
    CHECK(one.group == scan.corpus.sequences[one.place].group);
    const auto found = std::ranges::find(one.metrics, place, &SequenceMeans::Metric::metric);
    REQUIRE(found != one.metrics.end());
    score[one.group] += static_cast<double>(found->score[4]) * static_cast<double>(found->rows);
    control[one.group] += static_cast<double>(found->score[4] - found->ControlOf(4));
  }
  for (const std::size_t group : {std::size_t{0}, std::size_t{1}}) {
    const HeadSums& sums = total->rows[place][group].heads[4];
    CHECK(score[group] == Approx(sums.score).epsilon(1e-6));
    CHECK(control[group] == Approx(sums.difference).epsilon(1e-4).margin(1e-4));
  }
}

TEST_CASE("a part that is cut short is read as far as it is whole, damage is told", "[heads]") {
  const ScanPart& whole = AScan().whole;
  const std::string text = PartText(whole);
  const auto cut = ParsePart(std::string_view(text).substr(0, text.size() - 10), "p.json");
  REQUIRE(cut);
  CHECK(cut->done.size() == whole.done.size() - 1);
  CHECK_FALSE(ParsePart("", "p.json"));
  CHECK_FALSE(ParsePart("{}\n", "p.json"));
  CHECK_FALSE(ParsePart(text.substr(text.find('\n') + 1), "p.json"));
  std::string damaged = text;
  const std::size_t second = damaged.find('\n') + 30;
  damaged.replace(damaged.find("],[", second), 3, "],{");
  const auto refused = ParsePart(damaged, "p.json");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Says("p.json"));
  ScanPart other{.about = whole.about, .done = {}};
  other.about.seed = 77;
  const Status mixed = MergePart(std::move(other), "o.json", &const_cast<ScanPart&>(*cut));
  REQUIRE_FALSE(mixed);
  CHECK_THAT(mixed.error().message, Says("another scan"));
}

TEST_CASE("a report names the head whose writing keys read, through parts too", "[heads]") {
  ScanPart part = AScan().whole;
  BatchSums& sums = part.done.begin()->second;
  sums.key_writers = {-1, -1, -1, 2, 0, -1};
  sums.means["k_composition"].resize(6);
  sums.means["k_composition"][3].AddText(0.5, 0.0, 0.0, 1.0);
  const auto read = ParsePart(PartText(part), "p.json");
  REQUIRE(read);
  const auto scores = ScoresOf(part.about, *TotalOf(*read));
  const auto& found = *std::ranges::find(scores, "k_composition", &NamedScores::id);
  CHECK(found.partner_key == "partner");
  REQUIRE(found.partners.size() == 6);
  CHECK_FALSE(found.partners[0]);
  CHECK(*found.partners[3] == HeadIndex{0, 2});
  CHECK(*found.partners[4] == HeadIndex{0, 0});
  CHECK_THAT(ReportJson(MakeReport(part.about, *TotalOf(*read))), Says("\"partner\": \"L0H2\""));
  std::string damaged = PartText(part);
  damaged.replace(damaged.find("[-1,-1,-1,2"), 11, "[-1,-1,-1,6");
  CHECK_FALSE(ParsePart(damaged, "p.json"));
}

TEST_CASE("what was in the way of a measure stands in parts and reports", "[heads]") {
  ScanPart part = AScan().whole;
  const std::string reason = "a/token_maps.txt: \"not\" there";
  part.done.begin()->second.why_not.emplace("token_map:plural", reason);
  const auto read = ParsePart(PartText(part), "p.json");
  REQUIRE(read);
  const auto scores = ScoresOf(part.about, *TotalOf(*read));
  const auto of = [&](std::string_view id) {
    return std::ranges::find(scores, id, &NamedScores::id)->why_not;
  };
  CHECK(of("token_map:plural") == "not measured: " + reason);
  CHECK_THAT(of("token_map:past"), Says("30 pairs that are one token each"));
}

TEST_CASE("reports name every head and metric, and say why there is no score", "[heads]") {
  const ScanPart& whole = AScan().whole;
  const ScoreReport report = MakeReport(whole.about, *TotalOf(whole));
  const std::string json = ReportJson(report);
  CHECK_THAT(json, Says("\"L1H2\"") && Says("\"by_period\"") && Says("a causal model sees none"));
  const std::string csv = ReportCsv(report);
  CHECK(csv.starts_with("head,metric,score,error,chance,control,queries\n"));
  const auto metrics = std::ranges::count_if(  // those of cross-attention are of no such model
      AllMetrics(),
      [](const HeadMetric& metric) { return metric.IsOf(ModelPart::kWhole); });
  CHECK(std::count(csv.begin(), csv.end(), '\n') ==
        1 + 6 * (metrics + 1 + std::ssize(AllMeasures())));
  CHECK_THAT(csv, Says("\nL0H0,next_token,,,,,\n"));
}

}  // namespace headscope

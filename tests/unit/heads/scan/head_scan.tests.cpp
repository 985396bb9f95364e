#include "core/heads/scan/head_scan.h"

#include <fstream>

#include "core/heads/scan/methods.h"
#include "core/heads/scan/weight_means.h"
#include "core/model/config.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/copying_bart.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tiny_model.h"

namespace headscope {
namespace {

using test::Says;

const std::string kScannedModel = R"({"model_type": "gpt2", "n_layer": 2, "n_head": 3, "n_embd": 12,
                              "n_positions": 64, "vocab_size": 90, "bos_token_id": 0})";

struct Fixture {
  std::shared_ptr<const Model> model = test::TinyModel(kScannedModel).Open();
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Forward forward{model, backend.get()};
  test::TempFolder kept;

  std::unique_ptr<HeadScan> Make(const HeadScanSettings& settings = {}) {
    auto scan =
        HeadScan::Make(&forward, settings, test::SourceFolder() / "assets/probes", kept.path(), {});
    REQUIRE(scan);
    return std::move(*scan);
  }
};

void RunToTheEnd(HeadScan* scan) {
  while (!scan->is_whole()) {
    REQUIRE(scan->Step({}));
  }
}

// The same numbers: the order in which they were added up may differ.
void CheckEqual(const ScoreReport& a, const ScoreReport& b) {
  REQUIRE(a.scores.size() == b.scores.size());
  for (std::size_t metric = 0; metric < a.scores.size(); ++metric) {
    INFO(a.scores[metric].id);
    for (std::size_t head = 0; head < a.scores[metric].heads.size(); ++head) {
      const HeadScore& one = a.scores[metric].heads[head];
      const HeadScore& other = b.scores[metric].heads[head];
      CHECK(one.rows == other.rows);
      CHECK(one.sequences == other.sequences);
      REQUIRE(one.score.has_value() == other.score.has_value());
      if (one.score) {
        CHECK(std::abs(*one.score - *other.score) <= 1e-12 * (1.0 + std::abs(*one.score)));
      }
    }
  }
}

}  // namespace

TEST_CASE("a scan in steps ends with the scores of one over the whole corpus", "[heads]") {
  Fixture fixture;
  const auto scan = fixture.Make();
  CHECK_FALSE(scan->is_whole());
  const HeadScanReport before = scan->Report();
  CHECK(before.done == 0);
  CHECK_FALSE(before.repeats);
  CHECK_THAT(before.why_no_sentences, Says("no tokenizer"));
  REQUIRE(scan->Step({}));
  const HeadScanReport first = scan->Report();
  CHECK(first.done > 0);
  CHECK(first.done < first.total);
  REQUIRE(first.repeats);
  CHECK(first.repeats->report.about.sequences == 40);
  RunToTheEnd(scan.get());
  const HeadScanReport whole = scan->Report();
  CHECK(whole.is_whole());
  CHECK(whole.total == 20 * 2 * (21 + 41));

  const auto corpus =
      MakeRepeats(*fixture.model, ReadVocabulary(*fixture.model), {.sequences = 20});
  REQUIRE(corpus);
  const auto effect = CopyEffect::Make(&fixture.forward, {});
  BatchSums sums;
  for (const ScanBatch& batch : CutBatches(*corpus)) {
    const ScanTools tools{.effect = effect ? effect->get() : nullptr};
    const auto one = RunBatch(&fixture.forward, *corpus, tools, batch, {});
    REQUIRE(one);
    sums.Add(*one);
  }
  CheckEqual(whole.repeats->report, MakeReport(DescribeScan(*fixture.model, *corpus), sums));
}

TEST_CASE("the measures come after the roles, over the batches of a scan by command", "[heads]") {
  Fixture fixture;
  const auto scan = fixture.Make();
  RunToTheEnd(scan.get());
  CHECK_FALSE(scan->is_measured());
  const auto of = [](const HeadScanReport& report, std::string_view id) {
    const auto& scores = report.repeats->report.scores;
    return *std::ranges::find(scores, id, &NamedScores::id);
  };
  const HeadScanReport before = scan->Report();
  CHECK_FALSE(before.is_measured);
  CHECK_FALSE(of(before, "variability").heads[0].score.has_value());
  const MeasureSources sources{test::SourceFolder() / "assets/probes",
                               test::SourceFolder() / "assets/token_maps.txt"};
  std::stop_source stopped;
  stopped.request_stop();
  REQUIRE_FALSE(scan->StepMeasures(sources, stopped.get_token()));
  std::int64_t steps = 0;
  while (!scan->is_measured()) {
    CHECK(scan->measure_steps().done == steps);
    REQUIRE(scan->StepMeasures(sources, {}));
    ++steps;
  }
  CHECK(scan->measure_steps().done == steps);
  CHECK(scan->measure_steps().total == steps);
  const HeadScanReport report = scan->Report();
  CHECK(report.is_measured);
  CHECK(report.is_whole());

  const auto corpus =
      MakeRepeats(*fixture.model, ReadVocabulary(*fixture.model), {.sequences = 20});
  REQUIRE(corpus);
  // As the command runs it: those texts apart of which the whole model is shown.
  OutputNorms norms(&fixture.forward);
  BatchSums sums;
  for (const ScanBatch& batch : CutBatches(*corpus)) {
    const auto one =
        RunBatch(&fixture.forward, *corpus, {.norms = &norms, .measures = true}, batch, {});
    REQUIRE(one);
    sums.Add(*one);
  }
  REQUIRE(AddWeightMeans(&fixture.forward, {}, {}, &sums));
  const auto expected = ScoresOf(DescribeScan(*fixture.model, *corpus), sums);
  for (const char* const id : {"variability",
                               "layer_divergence",
                               "nearest_head",
                               "effective_heads",
                               "copying",
                               "output_norm"}) {
    INFO(id);
    const NamedScores found = of(report, id);
    const auto same = std::ranges::find(expected, id, &NamedScores::id);
    REQUIRE(found.heads.size() == same->heads.size());
    for (std::size_t head = 0; head < found.heads.size(); ++head) {
      REQUIRE(found.heads[head].score.has_value());
      CHECK(*found.heads[head].score == Approx(*same->heads[head].score).epsilon(1e-9));
      CHECK(found.heads[head].rows == same->heads[head].rows);
    }
    CHECK(found.partners == same->partners);
  }
  // What the scan itself gave is as it was.
  for (const char* const id : {"previous_token", "induction", "entropy"}) {
    CHECK(*of(report, id).heads[2].score == *of(before, id).heads[2].score);
    CHECK(of(report, id).heads[2].rows == of(before, id).heads[2].rows);
  }

  SECTION("they are kept") {
    const auto again = fixture.Make();
    CHECK(again->is_measured());
    CHECK(*of(again->Report(), "variability").heads[1].score ==
          *of(report, "variability").heads[1].score);
  }
}

TEST_CASE("a table of words that cannot be read is told with the reason", "[heads]") {
  Fixture fixture;
  const auto scan = fixture.Make();
  RunToTheEnd(scan.get());
  const std::filesystem::path nowhere = test::SourceFolder() / "assets/no_such_maps.txt";
  while (!scan->is_measured()) {
    REQUIRE(scan->StepMeasures({test::SourceFolder() / "assets/probes", nowhere}, {}));
  }
  const HeadScanReport report = scan->Report();
  const auto& scores = report.repeats->report.scores;
  CHECK_THAT(std::ranges::find(scores, "token_map:plural", &NamedScores::id)->why_not,
             Says(nowhere.string()));
  CHECK_FALSE(fixture.Make()->is_measured());  // it may be there the next time
}

TEST_CASE("the first texts that are run are of all lengths", "[heads]") {
  Fixture fixture;
  const auto scan = fixture.Make();
  for (int step = 0; step < 3; ++step) {
    REQUIRE(scan->Step({}));
  }
  const HeadScanReport report = scan->Report();
  REQUIRE(report.repeats);
  CHECK(report.done < report.total / 2);
  for (const NamedScores& metric : report.repeats->report.scores) {
    if (metric.id == "induction") {
      REQUIRE(metric.by_group.size() == 2);
      CHECK(metric.by_group[0][0].rows > 0);
      CHECK(metric.by_group[1][0].rows > 0);
    }
  }
}

TEST_CASE("a step that is stopped changes nothing", "[heads]") {
  Fixture fixture;
  const auto scan = fixture.Make();
  REQUIRE(scan->Step({}));
  const std::int64_t done = scan->Report().done;
  std::stop_source stopped;
  stopped.request_stop();
  const Status status = scan->Step(stopped.get_token());
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kCancelled);
  CHECK(scan->Report().done == done);
  RunToTheEnd(scan.get());

  Fixture other;
  const auto at_once = other.Make();
  RunToTheEnd(at_once.get());
  CheckEqual(scan->Report().repeats->report, at_once->Report().repeats->report);
}

TEST_CASE("a scan that was done costs nothing the second time", "[heads]") {
  Fixture fixture;
  const auto first = fixture.Make();
  RunToTheEnd(first.get());
  CHECK_FALSE(first->Report().is_kept);
  const auto second = fixture.Make();
  CHECK(second->is_whole());
  const HeadScanReport report = second->Report();
  CHECK(report.is_kept);
  CheckEqual(report.repeats->report, first->Report().repeats->report);

  SECTION("twins come on top of it, and stay when they are not asked for") {
    const auto twins = fixture.Make({.twins = 2});
    const HeadScanReport begun = twins->Report();
    CHECK(begun.done == begun.total / 3);
    RunToTheEnd(twins.get());
    const HeadScanReport with = twins->Report();
    REQUIRE(with.repeats->twins.size() == 2);
    CHECK(with.repeats->twins[0].front().heads.size() == 6);
    CHECK(fixture.Make({.twins = 2})->is_whole());
    const auto without = fixture.Make();
    CHECK(without->is_whole());
    CHECK(without->Report().repeats->twins.empty());
  }
  SECTION("a file that is damaged is made again") {
    for (const auto& entry : std::filesystem::directory_iterator(fixture.kept.path())) {
      std::ofstream(entry.path(), std::ios::trunc) << "{\"headscope_scan_part\": 1}\n{";
    }
    const auto again = fixture.Make();
    CHECK_FALSE(again->is_whole());
    RunToTheEnd(again.get());
    CHECK(fixture.Make()->is_whole());
  }
  SECTION("of other settings there is nothing yet") {
    CHECK(fixture.Make({.repeats = 3})->Report().done == 0);
  }
}

TEST_CASE("a scan of an encoder-decoder has its decoder and cross-attention, kept and saved, too",
          "[heads]") {
  Fixture fixture;
  fixture.model = test::CopyingBart().Open();
  Forward forward(fixture.model, fixture.backend.get());
  const auto make = [&](const HeadScanSettings& settings) {
    auto scan = HeadScan::Make(
        &forward, settings, test::SourceFolder() / "assets/probes", fixture.kept.path(), {});
    REQUIRE(scan);
    return std::move(*scan);
  };
  const auto scan = make({.twins = 1});
  CHECK(scan->Report().more.empty());  // nothing is known yet
  RunToTheEnd(scan.get());
  const MeasureSources sources{test::SourceFolder() / "assets/probes",
                               test::SourceFolder() / "assets/token_maps.txt"};
  while (!scan->is_measured()) {
    REQUIRE(scan->StepMeasures(sources, {}));
  }
  const HeadScanReport whole = scan->Report();
  REQUIRE(whole.more.size() == 2);
  CHECK(&whole.Of(ModelPart::kEncoder) == &whole);
  const HeadScanReport& decoder = whole.Of(ModelPart::kDecoder);
  const HeadScanReport& cross = whole.Of(ModelPart::kCross);
  CHECK(&decoder == &whole.more[0]);
  CHECK(&cross == &whole.more[1]);
  CHECK(whole.repeats->report.suggested.empty());
  CHECK(whole.repeats->report.more.empty());
  REQUIRE(decoder.repeats->report.suggested.size() == 1);
  CHECK(decoder.repeats->report.suggested[0].head == HeadIndex{0, 0, ModelPart::kDecoder});
  CHECK(decoder.repeats->report.suggested[0].twin < 0.5);
  CHECK(cross.repeats->report.suggested.size() == 2);
  CHECK(cross.repeats->twins.size() == 1);
  CHECK(cross.is_measured);
  const auto& scores = cross.repeats->report.scores;
  CHECK(std::ranges::find(scores, "layer_divergence", &NamedScores::id)->heads[0].score > 0.1);
  CHECK(scan->targets(true) != nullptr);
  CHECK(scan->targets(false) == nullptr);

  const auto again = make({.twins = 1});
  CHECK(again->is_whole());
  CHECK(again->is_measured());
  CheckEqual(again->Report().more[1].repeats->report, cross.repeats->report);

  const test::TempFolder folder;
  const ScanFiles files = ScanFilesAt(folder / "bart.txt");
  REQUIRE(WriteScanFiles(files, whole, {.model = "bart", .probes = "probes"}));
  const auto text_of = [](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string methods = text_of(files.text);
  CHECK_THAT(methods,
             Says("Each of the 6 attention heads of") && Says("cross 1 layers of 2 heads"));
  CHECK_THAT(methods, Says("X0H0 positional (strong)") && Says("D0H0 positional (strong)"));
  const std::string table = text_of(files.repeats);
  CHECK_THAT(table, Says("\nD0H0,previous_token,1,") || Says("\nD0H0,previous_token,0.99"));
  CHECK_THAT(table, Says("\nX0H1,source_token,"));
}

}  // namespace headscope

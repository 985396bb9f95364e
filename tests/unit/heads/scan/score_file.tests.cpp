// The JSON of a scan, read back.
#include "core/heads/scan/score_file.h"

#include <algorithm>

#include "core/base/atomic_file.h"
#include "core/heads/scan/scored_metric.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope {
namespace {

ScoreReport MadeScores() {
  ScoreReport report = test::StubScan()->repeats->report;
  report.about.model = "made";
  report.about.fingerprint = "f00";
  report.about.probe = "repeats";
  report.scores[1].heads[3] = {};
  report.suggested[0].verdict = Verdict::kBorderline;
  report.suggested[0].control = 0.125;
  report.numbers = ModelNumbers{.loss = MeanOfRuns{.mean = 2.25, .error = 0.5, .runs = 40},
                                .is_of_repeats = true,
                                .overlap = SubspaceOverlap{.overlap = 0.375, .chance = 0.25}};
  return report;
}

TEST_CASE("What a scan wrote reads back as it was", "[heads][files]") {
  const test::TempFolder folder;
  const ScoreReport made = MadeScores();
  HeadAblation ablation;
  ablation.own.head = {1, 2};
  ablation.own.loss = 3.5;
  ablation.own.tokens = 20;
  ablation.own.texts = 2;
  ablation.own.changes[0] = {.change = 0.25, .error = 0.5};
  ablation.own.changes[1] = {.change = 0.125};
  ablation.own.changes[2].why_not = "there is none";
  ablation.controls.emplace_back().head = {1, 0};
  ablation.controls[0].changes[0].change = 0.0625;
  const std::array ablations = {ablation};
  REQUIRE(WriteReport(folder / "s.json", made, ablations).has_value());
  const auto file = ReadScores(folder / "s.json");
  REQUIRE(file.has_value());
  const ScoreReport& read = file->report;
  CHECK(read.about.model == "made");
  CHECK(read.about.fingerprint == "f00");
  CHECK(read.about.draw == "text");
  CHECK(read.about.heads == made.about.heads);
  REQUIRE(read.scores.size() == made.scores.size());
  for (std::size_t i = 0; i < made.scores.size(); ++i) {
    CHECK(read.scores[i].id == made.scores[i].id);
    for (std::size_t head = 0; head < 12; ++head) {
      const HeadScore& one = made.scores[i].heads[head];
      CHECK(read.scores[i].heads[head].score == one.score);
      CHECK(read.scores[i].heads[head].error == one.error);
      CHECK(read.scores[i].heads[head].chance == one.chance);
      CHECK(read.scores[i].heads[head].control == one.control);
      CHECK(read.scores[i].heads[head].rows == (one.score ? one.rows : 0));
    }
  }
  REQUIRE((read.numbers && read.numbers->loss && read.numbers->overlap));
  CHECK(read.numbers->loss->mean == 2.25);
  CHECK(read.numbers->loss->error == 0.5);
  CHECK(read.numbers->loss->runs == 40);
  CHECK(read.numbers->is_of_repeats);
  CHECK(read.numbers->overlap->overlap == 0.375);
  CHECK(read.numbers->overlap->chance == 0.25);
  REQUIRE(read.suggested.size() == 2);
  const auto found = std::ranges::find(read.suggested, HeadIndex{2, 3}, &Suggestion::head);
  REQUIRE(found != read.suggested.end());
  CHECK(found->verdict == Verdict::kBorderline);
  CHECK(found->control == 0.125);
  CHECK(found->why == "it does so");
  REQUIRE(file->ablations.size() == 1);
  CHECK(file->ablations[0].own.head == HeadIndex{1, 2});
  CHECK(file->ablations[0].own.changes == ablation.own.changes);
  CHECK(file->ablations[0].controls[0].changes[0].change == 0.0625);
}

TEST_CASE("Files of one model join, each for its own probe", "[heads][files]") {
  ScoreFile repeats{.report = MadeScores(), .ablations = {}};
  ScoreFile texts{.report = test::StubScan()->sentences->report, .ablations = {}};
  texts.report.about.probe = "/x/ewt.conllu";
  const std::array files = {repeats, texts};
  const HeadScanReport scan = ScanOfFiles(files);
  REQUIRE(scan.repeats.has_value());
  REQUIRE(scan.sentences.has_value());
  CHECK(ScoredIn(scan, "induction")->probe == &*scan.repeats);
  CHECK(ScoredIn(scan, "entropy")->probe == &*scan.sentences);
  CHECK(SourceOf(scan, *ScoredIn(scan, "entropy")) == "ewt.conllu");
  // One alone speaks for all that it has.
  const std::array alone = {repeats};
  const HeadScanReport one = ScanOfFiles(alone);
  CHECK(ScoredIn(one, "previous_token")->probe == &*one.repeats);
}

TEST_CASE("What is no file of scores is refused with a sentence", "[heads][files]") {
  const test::TempFolder folder;
  const auto wrong = [&](const std::string& text, std::string_view words) {
    REQUIRE(WriteFileAtomically(folder / "w.json", text).has_value());
    const auto file = ReadScores(folder / "w.json");
    REQUIRE_FALSE(file.has_value());
    CAPTURE(file.error().message, text);
    CHECK(file.error().message.find("w.json") != std::string::npos);
    CHECK(file.error().message.find(words) != std::string::npos);
  };
  CHECK(ReadScores(folder / "none.json").error().code == ErrorCode::kIo);
  wrong("[1]", "");
  wrong("{}", "\"heads\" is missing");
  wrong(R"({"heads":[1]})", "a head is no object");
  wrong(R"({"heads":[{"head":"L0"}]})", "\"L0\" is no head");
  wrong(R"({"heads":[{"head":"L0H1","scores":{}}]})", "missing");
  wrong(R"({"heads":[{"head":"L0H0","scores":{"a":{"score":"x"}},"suggested":[]}]})", "score");
  wrong(R"({"heads":[{"head":"L0H0","scores":{"a":{}}},{"head":"L0H1","scores":{"b":{}}}]})",
        "different scores");
  wrong(
      R"({"heads":[{"head":"L0H0","scores":{},"suggested":[{"role":"a","metric":"b","score":1,"verdict":"sure"}]}]})",
      "sure");
}

}  // namespace
}  // namespace headscope

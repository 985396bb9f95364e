// What a scan measures besides its roles, on the worker.
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kProbe;
using test::Only;

constexpr HeadScanSettings kFewTexts{.repeats = 6, .sentences = 6};

HeadScanJob FewTextsScan() {
  return {.settings = kFewTexts, .probes = test::SourceFolder() / "assets/probes", .kept = {}};
}
MeasuresJob FewTextsMeasured() {
  return {.settings = kFewTexts,
          .probes = test::SourceFolder() / "assets/probes",
          .kept = {},
          .token_maps = test::SourceFolder() / "assets/token_maps.txt"};
}

const NamedScores& ScoresNamed(const ProbeScores& probe, std::string_view id) {
  const auto found = std::ranges::find(probe.report.scores, id, &NamedScores::id);
  REQUIRE(found != probe.report.scores.end());
  return *found;
}

}  // namespace

TEST_CASE("measures come with the report of their scan, and the same again without a run",
          "[worker][measures]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto scanned = Only<HeadsScanned>(harness.Wait(harness.Submit(FewTextsScan())));
  const HeadScanReport& plain = *scanned.back().report;
  CHECK_FALSE(plain.is_measured);
  const auto events = harness.Wait(harness.Submit(FewTextsMeasured()));
  CHECK(Only<Failed>(events).empty());
  const auto progress = Only<Progress>(events);
  REQUIRE(progress.size() >= 2);
  for (std::size_t i = 0; i < progress.size(); ++i) {
    CHECK(progress[i].done == static_cast<std::int64_t>(i));
    CHECK(progress[i].total == std::ssize(progress));
  }
  const auto measured = Only<HeadsMeasured>(events);
  REQUIRE(measured.size() == 1);
  const HeadScanReport& report = *measured[0].report;
  CHECK(report.is_measured);
  CHECK(report.is_whole());
  REQUIRE(report.repeats);
  CHECK(ScoresNamed(*report.repeats, "variability").heads[0].score.has_value());
  CHECK(ScoresNamed(*report.repeats, "layer_divergence").heads[0].score.has_value());
  // Numbers of the weights stand with the first probe.
  const ProbeScores& first = report.sentences ? *report.sentences : *report.repeats;
  CHECK(ScoresNamed(first, "copying").heads[0].score.has_value());
  // The probe model's induction heads read a head that looks at the previous token.
  CHECK(ScoresNamed(first, "k_composition").heads[4].score.has_value());
  CHECK(*ScoresNamed(*report.repeats, "induction").heads[4].score ==
        *ScoresNamed(*plain.repeats, "induction").heads[4].score);

  const auto again = harness.Wait(harness.Submit(FewTextsMeasured()));
  CHECK(Only<Progress>(again).empty());
  CHECK(Only<HeadsMeasured>(again).size() == 1);
}

TEST_CASE("measures that are stopped go on where they were, and give way to a text",
          "[worker][measures]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(FewTextsScan()));
  const RequestId first = harness.SubmitAndHold(FewTextsMeasured(), 2);
  const bool is_cancelled = GENERATE(true, false);
  if (is_cancelled) {
    harness.Cancel(first);
    harness.Release();
    const auto failed = Only<Failed>(harness.Wait(first));
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].error.code == ErrorCode::kCancelled);
    const auto again = harness.Wait(harness.Submit(FewTextsMeasured()));
    CHECK(Only<Progress>(again).front().done == 1);
    CHECK(Only<HeadsMeasured>(again).size() == 1);
  } else {
    const RequestId text = harness.Submit(Ids({5, 6, 7, 5}));
    harness.Release();
    CHECK(Only<LayerReady>(harness.Wait(text)).size() == 2);
    for (const Event& event : harness.events()) {
      CHECK_FALSE((event.request == first && test::Ends(event)));
    }
    CHECK(Only<HeadsMeasured>(harness.Wait(first)).size() == 1);
  }
}

}  // namespace headscope

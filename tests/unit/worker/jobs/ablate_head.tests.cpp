// A head taken away on the worker: told of as it goes, stopped, and kept.
#include "core/heads/scan/ablated_heads.h"
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kProbe;
using test::Only;
using test::Says;

AblationJob WithoutHead(HeadIndex head, const std::filesystem::path& kept = {}) {
  return {.head = head,
          .on_repeats = true,
          .settings = {.repeats = 2, .sentences = 2},
          .probes = test::SourceFolder() / "assets/probes",
          .kept = kept};
}

}  // namespace

TEST_CASE("a head is told of first, then each of the others of its layer", "[worker][ablation]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto events = harness.Wait(harness.Submit(WithoutHead({1, 1})));
  CHECK(Only<Failed>(events).empty());
  const auto told = Only<HeadAblated>(events);
  REQUIRE(told.size() == 4);
  for (std::size_t i = 0; i < told.size(); ++i) {
    const AblationReport& report = *told[i].report;
    CHECK(report.done == static_cast<std::int64_t>(i) + 1);
    CHECK(report.total == 4);
    CHECK(report.own.head == HeadIndex{1, 1});
    CHECK(report.controls.size() == i);
    CHECK((report.seconds_left > 0.0) == !report.is_whole());
    CHECK_FALSE(report.is_kept);
  }
  const AblationReport& whole = *told.back().report;
  CHECK(whole.probe == "repeats");
  CHECK(whole.own.texts > 0);
  CHECK(whole.own.loss > 0.0);

  // The others are answered for the heads that they are.
  const auto other = Only<HeadAblated>(harness.Wait(harness.Submit(WithoutHead({1, 2}))));
  REQUIRE(other.size() == 1);
  CHECK(other[0].report->is_whole());
  CHECK(other[0].report->is_kept);
  const auto& controls = whole.controls;
  const auto same = std::ranges::find(controls, HeadIndex{1, 2}, &AblatedHead::head);
  REQUIRE(same != controls.end());
  CHECK(other[0].report->own == *same);
}

TEST_CASE("an ablation that is stopped goes on where it was, and gives way to a text",
          "[worker][ablation]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId first = harness.SubmitAndHold(WithoutHead({0, 0}), 1);
  const bool is_cancelled = GENERATE(true, false);
  if (is_cancelled) {
    harness.Cancel(first);
    harness.Release();
    const auto failed = Only<Failed>(harness.Wait(first));
    REQUIRE(failed.size() == 1);
    CHECK(failed[0].error.code == ErrorCode::kCancelled);
    const auto again = Only<HeadAblated>(harness.Wait(harness.Submit(WithoutHead({0, 0}))));
    REQUIRE(again.size() == 4);
    CHECK(again.front().report->done == 1);
    CHECK(again.back().report->is_whole());
  } else {
    const RequestId text = harness.Submit(Ids({5, 6, 7, 5}));
    harness.Release();
    CHECK(Only<LayerReady>(harness.Wait(text)).size() == 2);
    for (const Event& event : harness.events()) {
      CHECK_FALSE((event.request == first && test::Ends(event)));
    }
    const auto told = Only<HeadAblated>(harness.Wait(first));
    CHECK(told.back().report->is_whole());
    CHECK(told.back().report->total == 4);
  }
}

TEST_CASE("what was measured is there for another window, without a run", "[worker][ablation]") {
  const test::TempFolder kept;
  AblationReport first;
  {
    Harness harness;
    harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
    first = *Only<HeadAblated>(harness.Wait(harness.Submit(WithoutHead({1, 0}, kept.path()))))
                 .back()
                 .report;
  }
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto told =
      Only<HeadAblated>(harness.Wait(harness.Submit(WithoutHead({1, 0}, kept.path()))));
  REQUIRE(told.size() == 1);
  CHECK(told[0].report->is_kept);
  CHECK(told[0].report->own == first.own);
  CHECK(told[0].report->controls == first.controls);
}

TEST_CASE("an ablation without its model or texts says why", "[worker][ablation]") {
  Harness harness;
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe})));
  REQUIRE(opened.size() == 1);
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  AblationJob late = WithoutHead({0, 0});
  late.opening = opened[0].opening();
  const auto gone = Only<Failed>(harness.Wait(harness.Submit(late)));
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].error.code == ErrorCode::kGone);

  harness.Wait(
      harness.Submit(OpenModelRequest{test::SourceFolder() / "tests/golden/data/bert_plain"}));
  const auto refused = Only<Failed>(harness.Wait(harness.Submit(WithoutHead({0, 0}))));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.code != ErrorCode::kCancelled);
}

}  // namespace headscope

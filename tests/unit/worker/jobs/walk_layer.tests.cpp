// The walk through a layer on the worker.
#include "core/headcount/walk.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope::test {

TEST_CASE("a walk is of the text that was run last, and a split after it is too",
          "[worker][walk]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  CHECK(Only<Failed>(harness.Wait(harness.Submit(WalkJob{}))).size() == 1);  // no text yet
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto walked = Only<WalkReady>(
      harness.Wait(harness.Submit(WalkJob{.layer = {ModelPart::kWhole, 1}, .head = 1})));
  REQUIRE(walked.size() == 1);
  CHECK(walked[0].walk->shape.queries == 4);
  CHECK(walked[0].walk->layer.layer == 1);
  CHECK(walked[0].walk->head == 1);
  CHECK(walked[0].walk->stacked_parameters == walked[0].walk->by_head_parameters);
  const auto cut =
      Only<SplitReady>(harness.Wait(harness.Submit(SplitJob{.layer = 1, .split = {}})));
  REQUIRE_FALSE(cut.empty());
  const SplitResult& whole = *cut.back().split;
  REQUIRE(whole.counts.size() == whole.planned.size());
  CHECK(whole.counts.back().is_measured);
  CHECK(whole.counts.back().attention->shape().queries == 4);
  const auto refused =
      Only<Failed>(harness.Wait(harness.Submit(WalkJob{.layer = {ModelPart::kWhole, 9}})));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.message.find("layer 9") != std::string::npos);
}

TEST_CASE("cross-attention is walked through, and says what it cannot show", "[worker][walk]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  const auto walked = Only<WalkReady>(
      harness.Wait(harness.Submit(WalkJob{.layer = {ModelPart::kCross, 1}, .head = 0})));
  REQUIRE(walked.size() == 1);
  CHECK(walked[0].walk->shape.keys == 4);
  CHECK(walked[0].walk->has_own_keys);
  REQUIRE(walked[0].walk->notes.size() == 1);
}

}  // namespace headscope::test

// What other heads cost the open text, on the worker.
#include "core/worker/head_control.h"
#include "core/worker/job.h"
#include "core/worker/text_said.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kProbe;
using test::Near;
using test::Only;

}  // namespace

TEST_CASE("a control is of the open text, and its own cost that of the heads that are off",
          "[worker][head control]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 9})));
  const HeadsOff off{.heads = {{0, 1}}};
  const auto said = Only<TextSaid>(harness.Wait(harness.Submit(HeadsOffJob{.off = off})));
  const auto controls =
      Only<HeadControls>(harness.Wait(harness.Submit(HeadControlJob{.off = off})));
  REQUIRE(controls.size() == 1);
  const HeadControl& control = *controls[0].control;
  REQUIRE(control.cost.has_value());
  CHECK(control.cost->own ==
        Near(*said[0].without->losses.loss - *said[0].whole->losses.loss, 1e-5));
  CHECK_FALSE(control.cost->others.empty());
  // More heads than there are others: that is said.
  HeadsOff all;
  for (std::int64_t head = 0; head < 3; ++head) {
    all.heads.push_back({0, head});
  }
  const auto refused = Only<HeadControls>(harness.Wait(harness.Submit(HeadControlJob{.off = all})));
  REQUIRE(refused.size() == 1);
  CHECK_FALSE(refused[0].control->cost.has_value());
  CHECK_THAT(refused[0].control->why_not, test::Says("other heads, fewer than the 3"));
}

}  // namespace headscope

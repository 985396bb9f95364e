// What losing a head costs the open text, on the worker.
#include "core/worker/head_cost.h"
#include "core/worker/job.h"
#include "core/worker/text_said.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kBart;
using test::kProbe;
using test::Near;
using test::Only;

}  // namespace

TEST_CASE("losing a head costs what taking it away says, and its words are named",
          "[worker][head cost]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5, 9})));
  const auto costs =
      Only<HeadCosts>(harness.Wait(harness.Submit(HeadCostJob{.head = {0, 1}, .row = 2})));
  REQUIRE(costs.size() == 1);
  const HeadCost& cost = *costs[0].cost;
  REQUIRE(cost.losses.has_value());
  const auto said =
      Only<TextSaid>(harness.Wait(harness.Submit(HeadsOffJob{.off = {.heads = {{0, 1}}}})));
  REQUIRE(said.size() == 1);
  CHECK(cost.losses->whole == Near(*said[0].whole->losses.loss, 1e-6));
  CHECK(cost.losses->without == Near(*said[0].without->losses.loss, 1e-5));
  CHECK(cost.losses->whole != Near(cost.losses->without, 1e-4));
  REQUIRE((cost.raised.size() == 10 && cost.lowered.size() == 10));
  CHECK_FALSE(cost.raised.front().token.empty());
  // Another row, other words; the same loss.
  const auto other =
      Only<HeadCosts>(harness.Wait(harness.Submit(HeadCostJob{.head = {0, 1}, .row = 4})));
  CHECK(other[0].cost->losses == cost.losses);
  CHECK(other[0].cost->raised != cost.raised);
  // Of a row that was run for its next word they are the same; not of one with heads off.
  for (const HeadsOff& off : {HeadsOff{}, HeadsOff{.heads = {{0, 0}}}}) {
    harness.Wait(harness.Submit(NextWordJob{.row = 2, .off = off}));
    const auto again =
        Only<HeadCosts>(harness.Wait(harness.Submit(HeadCostJob{.head = {0, 1}, .row = 2})));
    CHECK(again[0].cost->raised == cost.raised);
    CHECK(again[0].cost->lowered == cost.lowered);
  }
}

TEST_CASE("an encoder's head costs, and writes no word itself", "[worker][head cost]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  for (const ModelPart part : {ModelPart::kEncoder, ModelPart::kCross}) {
    const auto costs =
        Only<HeadCosts>(harness.Wait(harness.Submit(HeadCostJob{.head = {0, 1, part}, .row = 1})));
    REQUIRE(costs.size() == 1);
    CHECK(costs[0].cost->losses.has_value());
    CHECK(costs[0].cost->raised.empty() == (part == ModelPart::kEncoder));
  }
}

}  // namespace headscope

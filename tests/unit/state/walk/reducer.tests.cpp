// The walk's request: when it is asked for, and what becomes of its answer.
#include "app/state/walk/words.h"
#include "app/state/work_under_way.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"
#include "tests/unit/state/walk/walk_stub.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kCounts{.id = "counts", .subject = ScreenSubject::kHeadCounts};

void Open(StateDriver* driver) {
  driver->ShowSomething(6);
  driver->Do(SetScreen{&kCounts});
  driver->effects.clear();
  driver->Do(ShowWalk{true});
}

void Answer(StateDriver* driver) {
  const RequestId id = driver->state.walk.request;
  driver->Event(id, WalkReady{StubWalk(0, 0)});
  driver->Event(id, Finished{});
}

}  // namespace

TEST_CASE("a walk is asked for while it is open, once", "[state][walk]") {
  StateDriver driver;
  Open(&driver);
  CHECK(driver.CountRequests<WalkJob>() == 1);
  CHECK(Busy(driver.state));
  driver.Do(ShowStage{WalkStage::kMix});
  CHECK(driver.CountRequests<WalkJob>() == 1);
  CHECK(IsWalkStale(driver.state));
  Answer(&driver);
  CHECK_FALSE(IsWalkStale(driver.state));
  CHECK(WalkInView(driver.state) != nullptr);
  driver.Do(ShowWalk{false});
  CHECK_FALSE(IsWalking(driver.state));
  driver.Do(StepHead{.heads = 1});
  CHECK(driver.CountRequests<WalkJob>() == 1);
}

TEST_CASE("a walk that was stopped is asked for again, one that failed is not", "[state][walk]") {
  StateDriver driver;
  Open(&driver);
  driver.Event(driver.state.walk.request, Failed{{ErrorCode::kCancelled, "stopped"}});
  CHECK(driver.CountRequests<WalkJob>() == 2);
  driver.Event(driver.state.walk.request, Failed{{ErrorCode::kBackend, "no memory"}});
  CHECK(driver.CountRequests<WalkJob>() == 2);
  CHECK(driver.state.walk.fault == "no memory");
  CHECK(WalkInView(driver.state) == nullptr);
  driver.Do(StepHead{.heads = 1});
  CHECK(driver.CountRequests<WalkJob>() == 3);
  Answer(&driver);
  CHECK(driver.state.walk.fault.empty());
}

TEST_CASE("an answer that nobody waits for is dropped", "[state][walk]") {
  StateDriver driver;
  Open(&driver);
  const RequestId first = driver.state.walk.request;
  driver.Do(StepHead{.heads = 1});
  CHECK(driver.CountRequests<WalkJob>() == 2);
  driver.Event(first, WalkReady{StubWalk(0, 0)});
  CHECK(WalkInView(driver.state) == nullptr);
}

TEST_CASE("while a walk is open arrows step heads and layers, not head counts", "[state][walk]") {
  StateDriver driver;
  Open(&driver);
  driver.Do(StepHead{.layers = 1, .heads = 2});
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
  driver.Do(Escape);
  CHECK_FALSE(driver.state.walk.is_open);
  CHECK(driver.state.selection.head_locked);
}

TEST_CASE("the key in view is the selected one, or that of the largest weight", "[state][walk]") {
  StateDriver driver;
  Open(&driver);
  Answer(&driver);
  const LayerWalk& walk = *WalkInView(driver.state);
  CHECK(WalkRowInView(driver.state, walk) == 5);
  CHECK(WalkKeyInView(driver.state, walk) == 5);
  driver.Do(ClickCell{{.query = 3, .key = 1}});
  CHECK(WalkRowInView(driver.state, walk) == 3);
  CHECK(WalkKeyInView(driver.state, walk) == 1);
}

TEST_CASE("a score is told from its products to its weight, with what the rule has",
          "[state][walk]") {
  LayerWalk walk = *StubWalk(0, 0);
  const std::vector<double> products = ProductsOf(walk, 4, 2);
  REQUIRE(products.size() == 2);
  CHECK(std::abs(products[0] + 1.40 * 1.80) < 1e-6);
  std::vector<ScoreLine> lines = ScoreLines(walk, 4, 2);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].about == "score");
  walk.rule.scale = 0.25;
  walk.rule.softcap = 2.0;
  auto bias = std::make_shared<RelativeBias>();
  bias->span = 1;
  bias->values = {0.5F, 0.0F, 0.0F};
  walk.shape.heads = 1;
  walk.rule.bias = bias;
  lines = ScoreLines(walk, 4, 2);
  REQUIRE(lines.size() == 5);
  const double dot = products[0] + products[1];
  CHECK(lines[1].name == "× 0.25");
  CHECK(lines[2].name == "capped at 2");
  CHECK(lines[2].number == NumberText(2.0 * std::tanh(0.25 * dot / 2.0)));
  CHECK(lines[3].number == NumberText(2.0 * std::tanh(0.25 * dot / 2.0) + 0.5));
  walk.rule.softcap = 0.0;
  walk.rule.bias = nullptr;
  walk.rule.positions =
      std::make_shared<const PositionVectors>(PositionVectors{.heads = 1,
                                                              .head_dim = 2,
                                                              .span = 1,
                                                              .row = {0, 0, 0},
                                                              .keys = {1.0F, 0.0F},
                                                              .queries = {0.0F, 2.0F}});
  lines = ScoreLines(walk, 4, 2);
  REQUIRE(lines.size() == 5);
  const double with_query = 0.25 * static_cast<double>(walk.query.used.At(4 - walk.first_row, 0));
  const double with_key = 0.25 * 2.0 * static_cast<double>(walk.key.used.At(2, 1));
  CHECK(lines[2].name == "+ content with position " + NumberText(with_query));
  CHECK(lines[2].number == NumberText(0.25 * dot + with_query));
  CHECK(lines[3].name == "+ position with content " + NumberText(with_key));
  CHECK(lines[3].number == NumberText(0.25 * dot + with_query + with_key));
  lines = ScoreLines(walk, 1, 4);
  CHECK(lines.back().number == "0");
  CHECK(ProductsOf(walk, 9, 0).empty());
}

}  // namespace headscope::test

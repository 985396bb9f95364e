#include "app/state/work_under_way.h"

#include <algorithm>
#include <functional>
#include <set>

#include "app/state/heads/scores.h"
#include "tests/support/catch.h"
#include "tests/unit/state/heads/scan_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

const HeadScanJob* LastScan(const StateDriver& driver) {
  const HeadScanJob* last = nullptr;
  for (const Effect& effect : driver.effects) {
    const auto* const submit = std::get_if<Submit>(&effect);
    const auto* const scan =
        submit != nullptr ? std::get_if<HeadScanJob>(&submit->request) : nullptr;
    last = scan != nullptr ? scan : last;
  }
  return last;
}

TEST_CASE("the status line's words and its bar are of one request", "[state][work]") {
  // With one thread: a scan stands still while head counts are computed.
  AppState state;
  state.scan.request = 3;
  HeadScanReport report = *StubScan();
  report.done = 40;
  report.seconds = 2.0;
  state.scan.under_way = std::make_shared<const HeadScanReport>(report);
  REQUIRE(AllWork(state).size() == 1);
  CHECK(WorkWords(state) == "scanning all heads, 40 %, 3 s left");
  CHECK(AllWork(state).front().progress.done == 40);
  CHECK(AllWork(state).front().progress.total == 100);
  state.counts.request = 5;
  REQUIRE(AllWork(state).size() == 2);
  CHECK(WorkWords(state) == "computing head counts");
  CHECK(AllWork(state).front().request == 5);
  CHECK(AllWork(state).front().progress.total == 0);  // nobody knows how far: no bar
}

TEST_CASE("of all that is under way the worker's next is told, of equals the oldest",
          "[state][work]") {
  AppState state;
  CHECK_FALSE(Busy(state));
  state.measures.request = 1;
  CHECK(WorkWords(state) == "comparing heads");
  state.ablation.request = 4;
  CHECK(AllWork(state).front().request == 4);
  state.scan.request = 2;
  CHECK(AllWork(state).front().request == 2);
  state.dialogs.exporting.request = 9;
  CHECK(WorkWords(state) == "writing the picture");
  state.why.request = 10;  // a cell that is taken apart is work, too
  CHECK(WorkWords(state) == "taking the score of the cell apart");
  CHECK_FALSE(AllWork(state).front().is_long);
  state.pending.request = 11;
  state.pending.layers.resize(2);
  state.pending.progress = {1, 2, "layer 1 of 2"};
  CHECK(WorkWords(state) == "computing layer 1 of 2");
  CHECK(AllWork(state).front().progress.done == 1);
  state.opening_folder = "/models/beta";
  state.opening.request = 12;
  CHECK(WorkWords(state) == "opening beta");
  CHECK(AllWork(state).size() == 7);
}

TEST_CASE("each kind of request keeps the program busy, and says what it does", "[state][work]") {
  const std::vector<std::function<void(AppState*)>> begin = {
      [](AppState* state) { state->maps.request = 1; },
      [](AppState* state) { state->counts.request = 1; },
      [](AppState* state) { state->tree.request = 1; },
      [](AppState* state) { state->walk.request = 1; },
      [](AppState* state) { state->why.request = 1; },
      [](AppState* state) { state->scan.request = 1; },
      [](AppState* state) { state->scan.reading.request = 1; },
      [](AppState* state) { state->probe_scan.request = 1; },
      [](AppState* state) { state->measures.request = 1; },
      [](AppState* state) { state->text_scores.request = 1; },
      [](AppState* state) { state->examples.request = 1; },
      [](AppState* state) { state->alike.request = 1; },
      [](AppState* state) { state->partners.request = 1; },
      [](AppState* state) { state->ablation.request = 1; },
      [](AppState* state) { state->series.finding.request = 1; },
      [](AppState* state) { state->series.request = 1; },
      [](AppState* state) { state->compare.request = 1; },
      [](AppState* state) { state->compare.maps.request = 1; },
      [](AppState* state) { state->dialogs.exporting.request = 1; },
  };
  std::set<std::string> said;
  for (const auto& one : begin) {
    AppState state;
    one(&state);
    REQUIRE(AllWork(state).size() == 1);
    CHECK(Busy(state));
    said.insert(WorkWords(state));
  }
  CHECK(said.size() == begin.size());
  CHECK_FALSE(said.contains(""));
}

TEST_CASE("the rest of the sentences is scanned by itself after the first ones",
          "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  HeadScanReport few = *StubScan();
  few.all_sentences = 471;
  few.is_measured = false;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(few)});
  CHECK(driver.CountRequests<HeadScanJob>() == 1);  // not before it ends
  driver.Event(driver.state.scan.request, Finished{});
  REQUIRE(driver.CountRequests<HeadScanJob>() == 2);
  CHECK(LastScan(driver)->settings.sentences == 0);
  CHECK(driver.CountRequests<MeasuresJob>() == 0);  // they are of all of them

  // What is whole stays on screen until more is whole, and the status line tells the rest.
  HeadScanReport all = few;
  all.settings.sentences = 0;
  all.done = 50;
  all.seconds = 1.0;
  driver.Event(driver.state.scan.request,
               HeadsScanned{std::make_shared<const HeadScanReport>(all)});
  CHECK(ScanInView(driver.state)->settings == HeadScanSettings{});
  CHECK(WorkWords(driver.state, driver.state.scan.request) ==
        "scanning all sentences, 50 %, 1 s left");

  SECTION("it is whole") {
    all.done = 100;
    all.sentences->report.about.sequences = 471;
    driver.Event(driver.state.scan.request,
                 HeadsScanned{std::make_shared<const HeadScanReport>(all)});
    driver.Event(driver.state.scan.request, Finished{});
    CHECK(ScanInView(driver.state)->settings.sentences == 0);
    CHECK(driver.CountRequests<HeadScanJob>() == 2);
    CHECK(driver.CountRequests<MeasuresJob>() == 1);
  }
  SECTION("a person stops it, and it goes on when it is asked for") {
    driver.Event(driver.state.scan.request, Failed{{ErrorCode::kCancelled, "stopped"}});
    CHECK(driver.state.scan.is_stopped);
    CHECK(ScanInView(driver.state)->settings == HeadScanSettings{});
    CHECK(driver.CountRequests<HeadScanJob>() == 2);
    driver.Do(ScanHeads{driver.state.scan.settings});
    CHECK(driver.CountRequests<HeadScanJob>() == 3);
    CHECK(LastScan(driver)->settings.sentences == 0);
  }
}

TEST_CASE("what an earlier scan kept is suggested without a visit to Heads", "[state][scores]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.state.scans_folder = "/scans";
  driver.Do(SetTheme{Theme::kDark});
  REQUIRE(driver.CountRequests<HeadScanJob>() == 1);
  CHECK(LastScan(driver)->only_kept);
  const HeadSuggestions none = SuggestionsInView(driver.state);
  CHECK(none.Of({2, 3}).empty());

  SECTION("there is one") {
    driver.Event(driver.state.scan.reading.request, HeadsScanned{StubScan()});
    driver.Event(driver.state.scan.reading.request, Finished{});
    const HeadSuggestions found = SuggestionsInView(driver.state);
    REQUIRE(found.Of({2, 3}).size() == 1);
    CHECK(found.Of({2, 3}).front()->role == "induction");
    driver.Do(SetScreen{&kScoresScreen});
    CHECK(driver.CountRequests<HeadScanJob>() == 1);  // it is all there
  }
  SECTION("there is none") {
    driver.Event(driver.state.scan.reading.request, Finished{});
    driver.Do(SetTheme{Theme::kLight});
    CHECK(driver.CountRequests<HeadScanJob>() == 1);  // asked once
    driver.Do(SetScreen{&kScoresScreen});
    REQUIRE(driver.CountRequests<HeadScanJob>() == 2);
    CHECK_FALSE(LastScan(driver)->only_kept);
  }
}

}  // namespace
}  // namespace headscope::test

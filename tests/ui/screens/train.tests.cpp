// The Train screen with made-up runs: what it says, and what buttons ask for.
#include <algorithm>
#include <memory>

#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

struct TrainDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void Open() {
    app.Do(SetScreen{&ScreenNamed("train").kind});
    Frames(3);
  }
  void See(TrainRunId run, std::int64_t step, bool is_running = true) {
    TrainSight sight{.run = run, .step = step, .is_running = is_running};
    sight.kept = {0, 50};
    sight.losses = {{5, 4.1}, {step, 2.5}};
    const HeadTable table(2, std::vector<double>(4, 0.25));
    HeadTable induction = table;
    induction[1][2] = 0.75;
    sight.scored.push_back({.step = step,
                            .measures = {.previous_token = table,
                                         .induction = induction,
                                         .duplicate_token = table,
                                         .divergence = {0.125, 0.0625}},
                            .moved = table,
                            .gradients = induction});
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      sight.layers.push_back(
          MakeEven({.id = {ModelPart::kWhole, layer}, .heads = 4, .queries = 21, .keys = 21}));
    }
    app.Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(std::move(sight))}}});
    Frames(8);
  }
  // Presses along a line of buttons until an order of that kind is asked for; where it was found.
  std::optional<TrainOrder> PressFor(TrainOrder::Kind kind, float top, float bottom) {
    const Rect& middle = layout().middle;
    for (float y = top; y < bottom; y += 14.0F) {
      for (float x = middle.x + 20.0F; x < middle.x + middle.width; x += 18.0F) {
        app.effects.clear();
        Click(x, y);
        const TrainOrder* order = app.Last<TrainOrder>();
        if (order != nullptr && order->kind == kind) {
          return *order;
        }
      }
    }
    return std::nullopt;
  }
};

TEST_CASE("the Train screen asks questions first, and a card begins its run", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  CHECK(driver.Says("Watch induction heads form"));
  CHECK(driver.Says("Heads that start alike"));
  const auto order = driver.PressFor(TrainOrder::Kind::kBegin, 180.0F, 400.0F);
  REQUIRE(order);
  CHECK(order->settings.shape.heads == 4);
  REQUIRE(driver.state().train.runs.size() == 1);
  driver.Frames(3);
  CHECK(driver.Says("beginning"));
}

// Presses all cards, one after another, each with no run there, until one begins runs that are wanted.
template <typename Wanted>
std::vector<TrainRunShown> PressCards(TrainDriver* driver, const Wanted& is_wanted) {
  const Rect& middle = driver->layout().middle;
  for (float y = middle.y + middle.height - 10.0F; y > middle.y; y -= 14.0F) {
    for (const float part : {0.1F, 0.6F}) {
      while (!driver->state().train.runs.empty()) {
        driver->app.Do(EndTraining{driver->state().train.runs.front().id});
      }
      driver->app.Do(SetTrainKnobs{});
      driver->Frames(2);
      driver->Click(middle.x + part * middle.width, y);
      if (is_wanted(driver->state().train.runs)) {
        return driver->state().train.runs;
      }
    }
  }
  return {};
}

TEST_CASE("all cards fit the screen, and each begins its runs", "[ui][train]") {
  for (const float width : {1600.0F, 1000.0F}) {
    TrainDriver driver(width, width == 1600.0F ? 1000.0F : 700.0F);
    driver.Open();
    for (const char* title : {"Watch induction heads form",
                              "How many heads?",
                              "Heads that start alike",
                              "How much noise parts them?",
                              "One layer alone",
                              "Blocks of one length",
                              "A task that asks heads to differ",
                              "Push heads apart"}) {
      INFO(title);
      CHECK(driver.Says(title));
    }
    using Runs = std::vector<TrainRunShown>;
    const Runs noise = PressCards(
        &driver, [](const Runs& runs) { return runs.size() == 4 && runs.front().knobs.alike; });
    REQUIRE(noise.size() == 4);
    double before = -1.0;
    for (const TrainRunShown& run : noise) {
      CHECK((run.knobs.alike && run.knobs.noise > before));
      before = run.knobs.noise;
    }
    const Runs layer = PressCards(
        &driver, [](const Runs& runs) { return runs.size() == 2 && runs[0].knobs.layers == 1; });
    REQUIRE(layer.size() == 2);
    CHECK(layer[1].knobs == TrainKnobs{});
    const Runs period = PressCards(
        &driver, [](const Runs& runs) { return runs.size() == 2 && runs[0].knobs.fixed_period; });
    REQUIRE(period.size() == 2);
    CHECK(TrainSettingsOf(period[0].knobs).periods == TrainPeriods{32, 32});
    CHECK(period[1].knobs == TrainKnobs{});
  }
}

TEST_CASE("the card that pushes heads apart begins runs that differ in that alone", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  CHECK(driver.Says("Push heads apart"));
  const auto runs = PressCards(
      &driver, [](const std::vector<TrainRunShown>& begun) { return begun.size() == 3; });
  REQUIRE(runs.size() == 3);
  TrainKnobs knobs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CHECK((i == 0) == (runs[i].knobs.disagreement == 0.0));
    knobs.disagreement = runs[i].knobs.disagreement;
    CHECK(runs[i].knobs == knobs);
  }
}

TEST_CASE("a run shows its numbers, its kept steps and a map of every head", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{});
  driver.See(1, 130);
  // Paragraphs are drawn word by word.
  for (const char* word : {"copy,", "130,", "2.50", "0.125,", "0.062"}) {
    INFO(word);
    CHECK(driver.Says(word));
  }
  CHECK(driver.Says("induction 0.75"));
  CHECK(driver.Says("previous 0.25"));
  CHECK(driver.Says("L1H3"));
  CHECK(driver.Says("moved 0.25"));
  CHECK(driver.Says("gradient 0.75"));
  CHECK(driver.region(Panel::kMiddle).maps.size() == 8);
  CHECK(driver.Says("Pause"));
  CHECK(!driver.Says("Go on"));
  driver.See(1, 140, false);
  CHECK(driver.Says("Go on"));
}

TEST_CASE("a paused run tells in how long it stopped", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{});
  TrainSight sight{.run = 1, .step = 140, .step_milliseconds = 77.0, .stop_milliseconds = 3.25};
  driver.app.Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(sight)}}});
  driver.Frames(3);
  CHECK(driver.Says("stopped:"));
  CHECK(driver.Says("3.2"));
  CHECK(!driver.Says("77"));
  sight.is_running = true;
  sight.stop_milliseconds.reset();
  driver.app.Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(sight)}}});
  driver.Frames(3);
  CHECK(!driver.Says("stopped:"));
  CHECK(driver.Says("77"));
}

TEST_CASE("saving a session says how it holds runs, where there are any", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.memory().popup_anchor = {300.0F, 200.0F, 40.0F, 20.0F};
  driver.app.Do(OpenPopup{Popup::kSessions});
  driver.Frames(4);
  CHECK(!driver.Says("folders:"));
  driver.app.Do(BeginTraining{});
  driver.Frames(4);
  CHECK(driver.Says("folders:"));
}

TEST_CASE("the list of what is computed promises no last step of a run", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{});
  driver.See(1, 1300);
  driver.memory().popup_anchor = {300.0F, 200.0F, 40.0F, 20.0F};
  driver.app.Do(OpenPopup{Popup::kWork});
  driver.Frames(4);
  CHECK(driver.Says("copy, h 4, seed 1: step 1,300, until it is paused"));
  CHECK(!driver.Says("step 1,300 of"));
}

KeptRun OfferedRun(const std::string& name, RunEnd end) {
  return {.folder = "/runs/" + name,
          .settings = TrainSettingsOf({}),
          .step = 1300,
          .steps = 0,
          .end = end};
}

TEST_CASE("runs that were left are offered above the questions, each with its buttons",
          "[ui][train]") {
  for (const float width : {1600.0F, 1000.0F}) {
    TrainDriver driver(width, width == 1600.0F ? 1000.0F : 700.0F);
    driver.Open();
    CHECK(!driver.Says("Kept runs"));
    KeptRun torn = OfferedRun("torn", RunEnd::kUnderWay);
    torn.fault = "optimizer.safetensors: torn; the run goes on from step 1300, the last whole one";
    driver.app.Do(KeptRunsFound{{torn, OfferedRun("shut", RunEnd::kClosed)}});
    driver.Frames(3);
    for (const char* words :
         {"Kept runs", "Go on", "Open", "Discard", "1,300", "Kept 2", "whole"}) {
      INFO(words);
      CHECK(driver.Says(words));
    }
    CHECK(driver.state().train.runs.empty());
    const float top = driver.layout().middle.y + 90.0F;
    const auto on = driver.PressFor(TrainOrder::Kind::kResume, top, top + 160.0F);
    REQUIRE(on);
    CHECK((on->folder == "/runs/torn" && on->trains));
    // The runs are shown now; what is left is behind a button.
    driver.Frames(3);
    CHECK(!driver.Says("Kept runs"));
    driver.app.Do(ShowKeptRuns{});
    driver.Frames(3);
    CHECK(driver.Says("Kept runs"));
    CHECK(driver.Says("Open"));
    CHECK(!driver.Says("Go on"));
    driver.app.Do(DiscardTraining{"/runs/shut"});
    driver.Frames(3);
    CHECK(driver.Says("There"));
  }
}

TEST_CASE("a run tells what was torn, and that the disk does not take it", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{});
  TrainSight sight{.run = 1, .torn = "its state was torn", .unkept = "the disk is full"};
  driver.app.Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(std::move(sight))}}});
  driver.Frames(3);
  CHECK(driver.Says("torn"));
  CHECK(driver.Says("full"));
}

TEST_CASE("a run that ended before its first weights has no steps to show", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{});
  TrainSight sight{.run = 1, .fault = "memory is short"};
  driver.app.Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(std::move(sight))}}});
  driver.Frames(3);
  CHECK(driver.Says("memory"));
  CHECK(!driver.Says("newest"));
}

TEST_CASE("maps of runs side by side do not overlap", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{{4, 4, 4, 4}});
  for (TrainRunId run = 1; run <= 4; ++run) {
    driver.See(run, 100 * run);
  }
  const std::vector<MapPlacement>& maps = driver.region(Panel::kMiddle).maps;
  REQUIRE(maps.size() == 32);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    for (std::size_t j = i + 1; j < maps.size(); ++j) {
      const Rect both = Intersection(maps[i].target, maps[j].target);
      CHECK((both.width <= 0.0F || both.height <= 0.0F));
    }
  }
}

TEST_CASE("buttons of a run ask for what they say", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(BeginTraining{});
  driver.See(1, 130);
  const float top = driver.layout().middle.y + 150.0F;
  for (const TrainOrder::Kind kind : {TrainOrder::Kind::kPause,
                                      TrainOrder::Kind::kStepOnce,
                                      TrainOrder::Kind::kGoBack,
                                      TrainOrder::Kind::kWriteAll}) {
    const auto order = driver.PressFor(kind, top, top + 80.0F);
    REQUIRE(order);
    CHECK(order->run == 1);
    if (driver.state().train.runs.empty()) {
      driver.app.Do(BeginTraining{});
    }
  }
}

TEST_CASE("knobs change the next run, and a run that does not fit is refused in a sentence",
          "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  const TrainKnobs before = driver.state().train.knobs;
  const Rect& middle = driver.layout().middle;
  driver.Click(middle.x + 75.0F, middle.y + 22.0F);  // the mixture
  CHECK(driver.state().train.knobs.task == TrainTask::kMixture);
  CHECK(driver.state().train.knobs != before);
  TrainKnobs knobs;
  knobs.rate = -1.0;
  driver.app.Do(SetTrainKnobs{knobs});
  driver.app.Do(BeginTraining{});
  driver.Frames(3);
  CHECK(driver.state().train.runs.empty());
  CHECK(driver.Says("--rate"));
}

TEST_CASE("the toolbar has two rows at 1600 pixels and three at 1000, with every knob in reach",
          "[ui][train]") {
  for (const auto& [width, rows] : {std::pair(1600.0F, 2.0F), std::pair(1000.0F, 3.0F)}) {
    TrainDriver driver(width, 1000.0F);
    driver.Open();
    TrainKnobs knobs;
    knobs.alike = true;  // its noise takes most room
    knobs.mlp = true;
    driver.app.Do(SetTrainKnobs{knobs});
    driver.Frames(3);
    const float tall = driver.region(Panel::kMiddle).rect.y - driver.layout().middle.y;
    CHECK(tall <= rows * 44.0F + 1.0F);
    CHECK(driver.Says("More knobs (1 turned) ▾"));
    driver.app.Do(OpenPopup{Popup::kTrainMore});
    driver.Frames(4);
    for (const char* word : {"Columns of a head",
                             "Spread of the first weights",
                             "All ones",
                             "Own segments",
                             "MLP",
                             "Tied",
                             "Sinusoids",
                             "One period"}) {
      INFO(word);
      CHECK(driver.Says(word));
    }
  }
}

TEST_CASE("curves of all runs stand in place of the runs, with their seeds", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(ShowTrainCurves{});
  driver.Frames(3);
  CHECK(driver.Says("Runs of a folder…"));
  CHECK(driver.Says("numbers"));
  driver.app.Do(BeginTraining{{1, 4}});
  for (TrainRunId run = 1; run <= 2; ++run) {
    TrainSight sight{.run = run, .step = 50};
    for (const std::int64_t step : {25, 50}) {
      TrainScored scored{.step = step, .loss = 3.0};
      scored.measures.induction = {{0.25, 0.5}};
      scored.measures.previous_token = scored.measures.induction;
      sight.scored.push_back(std::move(scored));
    }
    driver.app.Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(std::move(sight))}}});
  }
  driver.Frames(3);
  CHECK(driver.Says("h 1 (1 seed)"));
  CHECK(driver.Says("h 4 (1 seed)"));
  CHECK(driver.Says("↑ loss (nats a token, on the step's batch)"));
  CHECK(driver.Says("Export"));
  driver.app.Do(ShowTrainCurves{false});
  driver.Frames(3);
  CHECK(driver.Says("Pause") == false);
  CHECK(driver.Says("Go on"));
}

TEST_CASE("a button reads the bundled models that learnt to copy as runs", "[ui][train]") {
  TrainDriver driver;
  driver.Open();
  driver.app.Do(ShowTrainCurves{});
  driver.Frames(3);
  CHECK(!driver.Says("Bundled: copy-h1 to h16"));
  driver.app.state.bundled_models = {
      {.name = "english", .folder = "/models/english"},
      {.name = "copy-h4", .folder = "/models/copy-h4", .checkpoint_steps = {0, 200}}};
  driver.Frames(3);
  REQUIRE(driver.Says("Bundled: copy-h1 to h16"));
  const Rect& middle = driver.layout().middle;
  const auto& chosen = driver.state().train.curves.chosen;
  for (float y = middle.y + 240.0F; y > middle.y && !chosen; y -= 12.0F) {
    // From the right, and from below: the toolbar above would lead away.
    for (float x = middle.x + 500.0F; x > middle.x + 160.0F && !chosen; x -= 20.0F) {
      driver.Click(x, y);
    }
  }
  REQUIRE(driver.state().train.curves.chosen);
  CHECK(driver.state().train.curves.chosen->folder == "/models");
  CHECK(driver.app.CountRequests<ReadRunsJob>() == 1);
}

}  // namespace
}  // namespace headscope::test

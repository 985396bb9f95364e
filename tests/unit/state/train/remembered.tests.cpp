#include "app/state/train/remembered.h"

#include <nlohmann/json.hpp>

#include "app/state/flags/session_view.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

KeptRun OnDisk(const std::string& name, RunEnd end = RunEnd::kClosed) {
  return {.folder = "/runs/" + name,
          .settings = TrainSettingsOf({.heads = 8}),
          .step = 700,
          .end = end};
}

void KeepIn(StateDriver* app, TrainRunId run, const std::string& folder) {
  TrainSight sight{.run = run};
  sight.folder = folder;
  app->Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(std::move(sight))}}});
}

std::vector<TrainOrder> Orders(const StateDriver& app) {
  std::vector<TrainOrder> orders;
  for (const Effect& effect : app.effects) {
    if (const auto* order = std::get_if<TrainOrder>(&effect)) {
      orders.push_back(*order);
    }
  }
  return orders;
}

// Opens a session with this training in its view.
void OpenWith(StateDriver* app, const RememberedTraining& training) {
  SessionView view = SessionViewOf(app->state);
  view.training = training;
  const auto read = ReadSessionView(SessionViewText(view), "x.json");
  REQUIRE(read == view);
  app->Do(SetInput{InputText{.text = "again", .pair = {}, .ids = {}}});
  app->state.arriving_view = *read;
  app->effects.clear();
  app->Answer(6);
}

TEST_CASE("a session remembers knobs, runs that are on disk, and the folder of curves",
          "[state][train][session]") {
  StateDriver app;
  CHECK_FALSE(TrainingToRemember(app.state));
  app.Do(SetTrainKnobs{{.task = TrainTask::kMixture, .heads = 8, .seed = 5}});
  app.Do(BeginTraining{{1, 4, 8}});
  KeepIn(&app, app.state.train.runs[0].id, "/runs/one");
  KeepIn(&app, app.state.train.runs[2].id, "/runs/eight");
  app.Do(LookAtTrainedStep{.run = app.state.train.runs[2].id, .step = 200});
  app.Do(ReadTrainFolder{"/elsewhere"});
  const auto training = TrainingToRemember(app.state);
  REQUIRE(training);
  CHECK(training->knobs == app.state.train.knobs);
  CHECK(training->runs == std::vector<RememberedRun>{{"/runs/one", {}}, {"/runs/eight", 200}});
  CHECK(training->compared == "/elsewhere");
  CHECK(training->shows_curves);
  // Figures are made again where they were kept, and no run opens with them.
  CHECK_FALSE(PlainViewOf(app.state).training);
}

TEST_CASE("a session's runs open paused once it is known which are kept",
          "[state][train][session]") {
  StateDriver app;
  app.ShowSomething(6);
  RememberedTraining training{.knobs = {.heads = 2, .seed = 9},
                              .runs = {{"/runs/a", 500}, {"/runs/b", {}}, {"/runs/gone", {}}},
                              .compared = "/elsewhere",
                              .shows_curves = true};
  const bool known_before = GENERATE(false, true);
  const KeptRunsFound found{{OnDisk("b", RunEnd::kUnderWay), OnDisk("c"), OnDisk("a")}};
  if (known_before) {
    app.Do(found);
  }
  OpenWith(&app, training);
  if (!known_before) {
    CHECK(app.state.train.runs.empty());
    CHECK(TrainingToRemember(app.state)->runs == training.runs);  // saved before they are there
    app.Do(found);
  }
  const TrainScreenState& train = app.state.train;
  CHECK(train.knobs == training.knobs);
  CHECK(train.curves.is_shown);
  CHECK(train.curves.chosen->folder == "/elsewhere");
  REQUIRE(train.runs.size() == 2);
  CHECK(train.runs[0].looked == 500);
  const std::vector<TrainOrder> orders = Orders(app);
  REQUIRE(orders.size() == 3);
  CHECK((orders[0].kind == TrainOrder::Kind::kResume && orders[0].folder == "/runs/a"));
  CHECK((orders[1].kind == TrainOrder::Kind::kLook && orders[1].step == 500));
  CHECK((orders[2].kind == TrainOrder::Kind::kResume && orders[2].folder == "/runs/b"));
  CHECK_FALSE((orders[0].trains || orders[2].trains));
  CHECK_THAT(train.words, Says("session's 3 runs, 1 did not open: 1 kept no longer"));
  // Only once.
  app.effects.clear();
  app.Do(KeptRunsFound{{OnDisk("gone")}});
  CHECK(Orders(app).empty());
}

TEST_CASE("a session's runs end none that are here", "[state][train][session]") {
  StateDriver app;
  app.ShowSomething(6);
  app.Do(BeginTraining{{1, 4, 8}});
  KeepIn(&app, app.state.train.runs[1].id, "/runs/four");
  app.Do(KeptRunsFound{{OnDisk("a"), OnDisk("b")}});
  OpenWith(&app, {.knobs = {}, .runs = {{"/runs/four", 100}, {"/runs/a", {}}, {"/runs/b", {}}}});
  CHECK(app.state.train.runs.size() == kMostTrainRuns);
  CHECK(app.state.train.runs[1].looked == 100);
  for (const TrainOrder& order : Orders(app)) {
    CHECK(order.kind != TrainOrder::Kind::kEnd);
  }
  CHECK_THAT(app.state.train.words, Says("1 without room"));
}

TEST_CASE("training that cannot be is left out or told", "[state][train][session]") {
  StateDriver app;
  app.ShowSomething(6);
  OpenWith(&app, {.knobs = {.heads = 77}});
  CHECK(app.state.train.knobs == TrainKnobs{});
  for (const char* wrong : {R"({"knobs":7})",
                            R"({"knobs":{"heads":0}})",
                            R"({"knobs":{},"runs":[7]})",
                            R"({"knobs":{},"runs":[{"looked":-1}]})",
                            R"([])"}) {
    auto json = nlohmann::json::parse(SessionViewText(SessionView{}));
    json["training"] = nlohmann::json::parse(wrong);
    const auto read = ReadSessionView(json.dump(), "x.json");
    INFO(wrong);
    REQUIRE_FALSE(read);
    CHECK_THAT(read.error().message, Says("training"));
  }
}

}  // namespace
}  // namespace headscope::test

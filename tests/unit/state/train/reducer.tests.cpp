#include "app/state/train/state.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

std::vector<TrainOrder> OrdersOf(const StateDriver& app) {
  std::vector<TrainOrder> orders;
  for (const Effect& effect : app.effects) {
    if (const auto* order = std::get_if<TrainOrder>(&effect)) {
      orders.push_back(*order);
    }
  }
  return orders;
}

void SeeTrainSight(StateDriver* app, TrainSight sight) {
  app->Do(TrainingSeen{{.sights = {std::make_shared<const TrainSight>(std::move(sight))}}});
}

TEST_CASE("a run begins with what the knobs say", "[state][train]") {
  StateDriver app;
  TrainKnobs knobs{.task = TrainTask::kMixture,
                   .heads = 8,
                   .rate = 1e-2,
                   .seed = 5,
                   .alike = true,
                   .noise = 1e-3};
  knobs.mlp = true;
  knobs.disagreement = 0.5;
  app.Do(SetTrainKnobs{knobs});
  app.Do(BeginTraining{});
  const std::vector<TrainOrder> orders = OrdersOf(app);
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].kind == TrainOrder::Kind::kBegin);
  const TrainSettings& settings = orders[0].settings;
  CHECK(settings.task == TrainTask::kMixture);
  CHECK((settings.shape.heads == 8 && settings.shape.head_dim == 8));
  CHECK(settings.shape.inner > 0);
  CHECK((settings.start.alike && settings.start.noise == 1e-3));
  CHECK(settings.disagreement == 0.5);
  CHECK((settings.rate == 1e-2 && settings.seed == 5));
  CHECK(CheckTrainSettings(settings));
  REQUIRE(app.state.train.runs.size() == 1);
  CHECK(TrainKnobWords(knobs) == "mixture, h 8, alike ± 0.001, disagreement 0.5, MLP, seed 5");
}

TEST_CASE("every choice of the knobs fits", "[state][train]") {
  for (const TrainTask task : {TrainTask::kCopy, TrainTask::kMixture}) {
    for (const std::int64_t heads : {1, 2, 4, 8, 16}) {
      for (const std::int64_t head_dim : {0, 4, 16, 64}) {
        for (int marks = 0; marks < 128; ++marks) {
          TrainKnobs knobs{.task = task, .heads = heads, .head_dim = head_dim};
          const auto is_set = [&](int bit) { return (marks >> bit) % 2 == 1; };
          knobs.alike = is_set(0);
          knobs.ones = is_set(1);
          knobs.noise = is_set(0) ? 1e-3 : 0.0;
          knobs.mlp = is_set(2);
          knobs.tied = is_set(3);
          knobs.sinusoids = is_set(4);
          knobs.fixed_period = is_set(5);
          knobs.own_segments = is_set(6);
          const Status fits = CheckTrainSettings(TrainSettingsOf(knobs));
          INFO((fits ? "" : fits.error().message));
          REQUIRE(fits);
        }
      }
    }
  }
}

TEST_CASE("four runs stand side by side, and the oldest makes way for a fifth", "[state][train]") {
  StateDriver app;
  app.Do(BeginTraining{{1, 4, 8, 16}});
  REQUIRE(app.state.train.runs.size() == 4);
  CHECK(app.state.train.runs[3].knobs.heads == 16);
  const TrainRunId first = app.state.train.runs[0].id;
  app.effects.clear();
  app.Do(BeginTraining{});
  REQUIRE(app.state.train.runs.size() == 4);
  const std::vector<TrainOrder> orders = OrdersOf(app);
  REQUIRE(orders.size() == 2);
  CHECK((orders[0].kind == TrainOrder::Kind::kEnd && orders[0].run == first));
  CHECK(orders[1].kind == TrainOrder::Kind::kBegin);
}

KeptRun LeftRun(const std::string& name, RunEnd end = RunEnd::kUnderWay) {
  TrainKnobs knobs;
  knobs.seed = 3;
  return {.folder = "/runs/" + name,
          .settings = TrainSettingsOf(knobs),
          .step = 1300,
          .steps = 0,
          .end = end};
}

TEST_CASE("every choice of the knobs is found again in its settings", "[state][train]") {
  for (const TrainTask task : {TrainTask::kCopy, TrainTask::kMixture}) {
    for (const std::int64_t head_dim : {0, 4}) {
      for (int marks = 0; marks < 128; ++marks) {
        TrainKnobs knobs{.task = task, .heads = 8, .head_dim = head_dim, .layers = 1 + marks % 2};
        const auto is_set = [&](int bit) { return (marks >> bit) % 2 == 1; };
        knobs.alike = is_set(0);
        knobs.ones = is_set(1);
        knobs.noise = is_set(0) ? 1e-3 : 0.0;
        knobs.mlp = is_set(2);
        knobs.tied = is_set(3);
        knobs.sinusoids = is_set(4);
        knobs.fixed_period = is_set(5);
        knobs.own_segments = is_set(6);
        const TrainSettings settings = TrainSettingsOf(knobs);
        const auto found = TrainKnobsOf(settings);
        REQUIRE(found);
        CHECK(TrainSettingsOf(*found) == settings);
      }
    }
  }
  TrainSettings other = TrainSettingsOf({});
  other.steps = 3000;
  CHECK(TrainKnobsOf(other));
  other.batch = 7;
  CHECK(!TrainKnobsOf(other));
  other.shape.heads = 0;
  CHECK(!TrainKnobsOf(other));
}

TEST_CASE("a run that was left is told in a line", "[state][train]") {
  KeptRun run = LeftRun("a");
  CHECK(KeptRunWords(run) == "copy, h 4, seed 3: stopped at step 1,300");
  run.steps = 3000;
  CHECK(KeptRunWords(run) == "copy, h 4, seed 3: stopped at step 1,300 of 3,000");
  run.end = RunEnd::kClosed;
  CHECK(KeptRunWords(run) == "copy, h 4, seed 3: closed at step 1,300");
  run.end = RunEnd::kDone;
  CHECK(KeptRunWords(run) == "copy, h 4, seed 3: finished, 1,300 steps");
  run.end = RunEnd::kFailed;
  run.failure = "the loss is 9";
  CHECK(KeptRunWords(run) == "copy, h 4, seed 3: ended at step 1,300: the loss is 9");
  run.can_go_on = false;
  CHECK(KeptRunWords(run) == "a: nothing of it is whole");
}

TEST_CASE("a run that was left is offered, and goes on, opens or is discarded when asked",
          "[state][train]") {
  StateDriver app;
  app.Do(KeptRunsFound{{LeftRun("a"), LeftRun("b", RunEnd::kClosed), LeftRun("c")}});
  CHECK((app.state.train.runs.empty() && OrdersOf(app).empty()));
  app.Do(ShowKeptRuns{});
  CHECK(app.state.train.kept.is_shown);
  app.Do(ResumeTraining{"/runs/a"});
  app.Do(ResumeTraining{"/runs/a"});  // it is no longer offered
  app.Do(ResumeTraining{"/runs/b", false});
  app.Do(DiscardTraining{"/runs/c"});
  const std::vector<TrainOrder> orders = OrdersOf(app);
  REQUIRE(orders.size() == 3);
  CHECK((orders[0].kind == TrainOrder::Kind::kResume && orders[0].trains));
  CHECK(orders[0].folder == "/runs/a");
  CHECK((orders[1].kind == TrainOrder::Kind::kResume && !orders[1].trains));
  CHECK((orders[2].kind == TrainOrder::Kind::kDiscard && orders[2].folder == "/runs/c"));
  CHECK(app.state.train.kept.runs.empty());
  CHECK(!app.state.train.kept.is_shown);
  REQUIRE(app.state.train.runs.size() == 2);
  CHECK(app.state.train.runs[0].id != app.state.train.runs[1].id);
  CHECK(app.state.train.runs[0].knobs.seed == 3);
  app.Do(KeptRunsFound{{}, "/runs/c: busy"});
  CHECK(app.state.train.words == "/runs/c: busy");
}

TEST_CASE("a run with sizes that no knobs make is not opened, and its line says who can",
          "[state][train]") {
  StateDriver app;
  KeptRun run = LeftRun("a");
  run.settings.shape.model_dim = 32;
  app.Do(KeptRunsFound{{run}});
  app.Do(ResumeTraining{run.folder});
  CHECK(OrdersOf(app).empty());
  CHECK(app.state.train.words.find("--resume") != std::string::npos);
  CHECK(app.state.train.kept.runs.size() == 1);
}

TEST_CASE("a run that goes on takes the place of the oldest of four", "[state][train]") {
  StateDriver app;
  app.Do(BeginTraining{{1, 4, 8, 16}});
  CHECK(OrdersOf(app)[1].name == "copy-h4-seed-1");
  const TrainRunId first = app.state.train.runs[0].id;
  app.Do(KeptRunsFound{{LeftRun("a")}});
  app.effects.clear();
  app.Do(ResumeTraining{"/runs/a"});
  const std::vector<TrainOrder> orders = OrdersOf(app);
  REQUIRE(orders.size() == 2);
  CHECK((orders[0].kind == TrainOrder::Kind::kEnd && orders[0].run == first));
  CHECK(app.state.train.runs.size() == 4);
}

TEST_CASE("orders go to runs that are there, and back goes to the kept step before",
          "[state][train]") {
  StateDriver app;
  app.state.exports_folder = "/pictures";
  app.Do(BeginTraining{});
  const TrainRunId run = app.state.train.runs[0].id;
  app.effects.clear();
  app.Do(RewindTraining{run});  // nothing is known of it yet
  app.Do(PauseTraining{run + 7});
  CHECK(OrdersOf(app).empty());
  SeeTrainSight(&app, {.run = run, .step = 130, .kept = {0, 50, 100}});
  app.Do(PauseTraining{run});
  app.Do(StepTraining{run});
  app.Do(GoOnTraining{run});
  app.Do(RewindTraining{run});
  app.Do(OpenTrainedStep{run, 50});
  app.Do(SaveTraining{run});
  const std::vector<TrainOrder> orders = OrdersOf(app);
  REQUIRE(orders.size() == 6);
  CHECK(orders[0].kind == TrainOrder::Kind::kPause);
  CHECK(orders[1].kind == TrainOrder::Kind::kStepOnce);
  CHECK(orders[2].kind == TrainOrder::Kind::kGoOn);
  CHECK((orders[3].kind == TrainOrder::Kind::kGoBack && orders[3].step == 100));
  CHECK((orders[4].kind == TrainOrder::Kind::kWriteStep && orders[4].step == 50));
  CHECK(orders[4].name == "copy-h4-step-50");
  CHECK((orders[5].kind == TrainOrder::Kind::kWriteAll && orders[5].folder == "/pictures"));
  app.effects.clear();
  SeeTrainSight(&app, {.run = run, .step = 100, .kept = {0, 50, 100}});
  app.Do(RewindTraining{run});
  CHECK(OrdersOf(app).at(0).step == 50);
  app.Do(EndTraining{run});
  CHECK(app.state.train.runs.empty());
  SeeTrainSight(&app, {.run = run, .step = 200});  // on its way when it ended
  CHECK(app.state.train.runs.empty());
}

TEST_CASE("a kept step is shown once it is measured, and Back goes to it", "[state][train]") {
  StateDriver app;
  app.Do(BeginTraining{});
  const TrainRunId run = app.state.train.runs[0].id;
  const TrainRunShown& shown = app.state.train.runs[0];
  TrainSight sight{.run = run, .step = 130, .scored = {{.step = 130}}, .kept = {0, 50, 100}};
  SeeTrainSight(&app, sight);
  app.effects.clear();
  app.Do(LookAtTrainedStep{run, 50});
  CHECK((OrdersOf(app).at(0).kind == TrainOrder::Kind::kLook && OrdersOf(app).at(0).step == 50));
  CHECK(shown.Scored()->step == 130);
  sight.look = std::make_shared<const TrainLook>(TrainLook{.scored = {.step = 50}});
  SeeTrainSight(&app, sight);
  CHECK(shown.Scored()->step == 50);
  app.Do(LookAtTrainedStep{run, std::nullopt});
  CHECK(shown.Scored()->step == 130);
  app.Do(LookAtTrainedStep{run, 50});
  app.effects.clear();
  app.Do(RewindTraining{run});
  CHECK((OrdersOf(app).at(0).kind == TrainOrder::Kind::kGoBack && OrdersOf(app).at(0).step == 50));
  CHECK(!shown.looked);
}

TEST_CASE("a written step opens, a saved run says where it is", "[state][train]") {
  StateDriver app;
  app.Do(BeginTraining{});
  const TrainRunId run = app.state.train.runs[0].id;
  app.Do(TrainingSeen{{.written = {{.run = run, .folder = "/x/copy-h4", .fault = ""}}}});
  CHECK(app.state.train.words == "Saved: /x/copy-h4");
  app.Do(TrainingSeen{{.written = {{.run = run, .folder = "/x", .fault = "the disk is full"}}}});
  CHECK(app.state.train.words == "the disk is full");
  const ScreenKind inspect{.id = "inspect"};
  app.effects.clear();
  app.Do(TrainingSeen{
      {.written = {{.run = run, .folder = "/x/copy-h4-step-50", .is_to_open = true}}}, &inspect});
  CHECK(app.state.screen == &inspect);
  CHECK(app.CountRequests<OpenModelRequest>() == 1);
  CHECK(app.state.opening_folder == "/x/copy-h4-step-50");
  CHECK(app.state.input.text.starts_with("a3 f1 c6"));  // symbols that the model knows
}

// A run that was measured at these steps.
TrainSight MeasuredSight(TrainRunId run, std::initializer_list<std::int64_t> steps) {
  TrainSight sight{.run = run, .step = 100, .is_running = true};
  for (const std::int64_t step : steps) {
    TrainScored scored{.step = step, .loss = 4.0 - static_cast<double>(step) / 100.0};
    scored.measures.induction = {{0.25, 0.5}};
    sight.scored.push_back(std::move(scored));
  }
  return sight;
}

TEST_CASE("curves are of runs that are here, runs that are gone and those of a folder",
          "[state][train]") {
  StateDriver app;
  app.Do(BeginTraining{});
  SeeTrainSight(&app, MeasuredSight(app.state.train.runs[0].id, {25, 50}));
  CHECK(app.state.train.curves.curves == nullptr);  // nobody looks at them
  app.Do(ShowTrainCurves{});
  REQUIRE(app.state.train.curves.curves != nullptr);
  CHECK(app.state.train.curves.curves->curves.at(0).seeds == std::vector<std::uint64_t>{1});
  // Closed; then another seed.
  app.Do(EndTraining{app.state.train.runs[0].id});
  REQUIRE(app.state.train.curves.curves != nullptr);
  app.Do(SetTrainKnobs{{.seed = 2}});
  app.Do(BeginTraining{});
  SeeTrainSight(&app, MeasuredSight(app.state.train.runs[0].id, {25, 50}));
  CHECK(app.state.train.curves.curves->curves.at(0).seeds == std::vector<std::uint64_t>{1, 2});
  // And a folder.
  app.Do(ReadTrainFolder{"/runs"});
  const auto* job = std::get_if<ReadRunsJob>(&app.Last<Submit>()->request);
  REQUIRE(job != nullptr);
  CHECK(job->folder == "/runs");
  NamedTrain other{.name = "copy-h8", .record = {.settings = TrainSettingsOf({.heads = 8})}};
  other.record.lines = {{.step = 25, .loss = 4.0, .measures = {}}};
  const RequestId request = app.state.train.curves.read.request;
  app.Event(request, RunsRead{{other}});
  app.Event(request, Finished{});
  REQUIRE(app.state.train.curves.curves->curves.size() == 2);
  CHECK(app.state.train.curves.curves->curves[1].heads == 8);
  app.Do(Action(ForgetTrainFolder));
  CHECK(app.state.train.curves.curves->curves.size() == 1);
}

TEST_CASE("a folder without runs says why, and is read again when it is chosen again",
          "[state][train]") {
  StateDriver app;
  app.Do(ReadTrainFolder{"/empty"});
  const RequestId request = app.state.train.curves.read.request;
  app.Event(request, Failed{{ErrorCode::kInput, "/empty: holds no training run"}});
  CHECK(app.state.train.curves.read.fault == "/empty: holds no training run");
  CHECK(app.state.train.curves.curves == nullptr);
  const auto asked = app.CountRequests<ReadRunsJob>();
  app.Do(ReadTrainFolder{"/empty"});
  CHECK(app.CountRequests<ReadRunsJob>() == asked + 1);
}

}  // namespace
}  // namespace headscope::test

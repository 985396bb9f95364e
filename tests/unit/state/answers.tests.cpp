// What is asked about numbers of heads, answered with what was measured.
#include "app/state/answers.h"

#include <algorithm>
#include <string>

#include "core/headcount/split.h"
#include "tests/support/catch.h"
#include "tests/support/cut_layer.h"
#include "tests/support/screens.h"
#include "tests/unit/state/compare/compare_stub.h"
#include "tests/unit/state/heads/scan_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

Answer AnswerTo(const AppState& state, std::string_view word) {
  const std::vector<Answer> answers = AnswersOf(state);
  const auto found = std::ranges::find_if(answers, [&](const Answer& answer) {
    return answer.question.find(word) != std::string_view::npos;
  });
  REQUIRE(found != answers.end());
  return *found;
}

bool Holds(const std::string& words, std::string_view part) {
  return words.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("without a model each question has words and a way to see it", "[state][answers]") {
  const AppState state;
  const std::vector<Answer> answers = AnswersOf(state);
  CHECK(answers.size() == 12);
  for (const Answer& answer : answers) {
    CAPTURE(answer.question);
    CHECK_FALSE(answer.words.empty());
    CHECK_FALSE(answer.button.empty());
    CHECK_FALSE(answer.screen.empty());
  }
}

TEST_CASE("an answer has the numbers of the picture's layer, and none of another's",
          "[state][answers]") {
  StateDriver driver;
  driver.ShowSomething(5);
  driver.Do(SetScreen{&kCountsScreen});
  CHECK(Holds(AnswerTo(driver.state, "parameters").words, "The button measures it"));
  SplitResult cut = CutDistinct(5, {.head_counts = {1, 2, 4, 8}});
  for (SplitCount& count : cut.counts) {
    count.parameters = 1088;
    count.is_measured = true;
    count.output_difference = count.heads == 2 ? 0.625 : 0.125;
  }
  driver.Event(driver.state.counts.request,
               SplitReady{std::make_shared<const SplitResult>(std::move(cut))});
  driver.Event(driver.state.counts.request, Finished{});
  const std::string words = AnswerTo(driver.state, "parameters").words;
  CHECK(Holds(words, "1,088 parameters in its attention from h = 1 to h = 8"));
  CHECK(Holds(words, "at h = 2 the layer's output differs by 62.5 %"));
  CHECK(Holds(words, "Layer 0 as it was trained, its columns contiguous, on this text: "));
  // Another cut is asked for: of the trained layer the same is known as before.
  driver.Do(CutAs{{.head_counts = {}, .weights = SplitWeights::kOnes}});
  SplitResult equal = CutDistinct(5, {.head_counts = {1, 2}, .weights = SplitWeights::kOnes});
  equal.scales = {{1.0, {{1, 0.0, 1.0}, {2, 3e-9, 1.0}}}, {0.1, {{1, 0.117, 0.9}, {2, 0.0, 0.8}}}};
  driver.Event(driver.state.counts.request,
               SplitReady{std::make_shared<const SplitResult>(std::move(equal))});
  driver.Event(driver.state.counts.request, Finished{});
  CHECK(AnswerTo(driver.state, "parameters").words == words);
  const std::string told = AnswerTo(driver.state, "every weight").words;
  CAPTURE(told);
  CHECK(Holds(told, "every weight 1; normal numbers in place of what the layer reads (seed 1)"));
  CHECK(Holds(told, "it changes by up to 11.7 % (h = 1)"));
  CHECK_FALSE(Holds(told, "0.000"));
  // Another layer: nothing is known of it.
  driver.Do(SelectLayer{1});
  CHECK(Holds(AnswerTo(driver.state, "parameters").words, "The button measures it"));
  driver.Do(SelectLayer{0});
  // Another model's picture: nothing is known of it yet.
  driver.ShowSomething(5);
  driver.state.counts.source_of.model = nullptr;
  CHECK(Holds(AnswerTo(driver.state, "parameters").words, "The button measures it"));
}

TEST_CASE("what two do differently is told of the comparison that was made", "[state][answers]") {
  StateDriver driver;
  driver.ShowSomething(5);
  CHECK_FALSE(Holds(AnswerTo(driver.state, "two models").words, "furthest"));
  driver.state.compare.result = StubPair(driver.state);
  const std::string words = AnswerTo(driver.state, "two models").words;
  CHECK(Holds(words, "Made last: alpha beside beta."));
  CHECK(Holds(words, "L2H3 and its match L2H0 lie furthest apart, 0.120 nats of 0.693."));
}

TEST_CASE("how heads are made different is told of the model's own kept steps",
          "[state][answers]") {
  StateDriver driver;
  driver.ShowSomething(5);
  CHECK_FALSE(Holds(AnswerTo(driver.state, "made different").words, "kept step"));
  CHECK(AnswerTo(driver.state, "made different").screen == "train");
  ModelSeries& series = driver.state.series.there;
  series.checkpoints = {{.folder = "/m/step-0", .value = 0}, {.folder = "/m", .value = 1}};
  series.checkpoints.back().is_trained = true;
  CHECK(Holds(AnswerTo(driver.state, "made different").words, "2 kept steps of its own training"));
  for (const auto& [folder, score] : {std::pair("/m/step-0", 0.125), std::pair("/m", 0.375)}) {
    HeadScanReport report = *StubScan();
    NamedScores apart = StubScores("layer_divergence");
    for (HeadScore& one : apart.heads) {
      one.score = score;
    }
    report.sentences->report.scores.push_back(std::move(apart));
    driver.state.series.found.push_back(
        {.folder = folder, .report = std::make_shared<const HeadScanReport>(std::move(report))});
  }
  const std::string words = AnswerTo(driver.state, "made different").words;
  CAPTURE(words);
  CHECK(Holds(words, "0.125 ± 0.010 at step 0, 0.375 ± 0.010 at the end of training"));
  CHECK_FALSE(Holds(words, "being measured"));
  // Of many steps some are told, the first and the last among them.
  const ModelSeries two = series;
  const auto found = driver.state.series.found;
  for (int step = 1; step <= 20; ++step) {
    const std::string folder = "/m/step-" + std::to_string(step);
    series.checkpoints.insert(series.checkpoints.end() - 1, {.folder = folder, .value = step});
    driver.state.series.found.push_back({.folder = folder, .report = found[0].report});
  }
  const std::string many = AnswerTo(driver.state, "made different").words;
  CAPTURE(many);
  CHECK(Holds(many, "at step 0, 0.125 ± 0.010 at step 3, "));
  CHECK(Holds(many, "0.375 ± 0.010 at the end of training"));
  CHECK_FALSE(Holds(many, "at step 4,"));
  series = two;
  driver.state.series.found = found;
  driver.state.series.found.pop_back();
  driver.state.series.request = 99;
  const std::string so_far = AnswerTo(driver.state, "made different").words;
  CAPTURE(so_far);
  CHECK(Holds(so_far, "by 0.125 ± 0.010 at step 0;"));
  CHECK(Holds(so_far, "Its 2 kept steps are being measured, 1 of them so far."));
}

TEST_CASE("the button beside how heads are made different trains some, but never a second time",
          "[state][answers]") {
  StateDriver driver;
  driver.ShowSomething(5);
  const auto press = [&driver] {
    for (const Action& action : AnswerTo(driver.state, "made different").actions) {
      driver.Do(action);
    }
  };
  driver.Do(ShowTrainCurves{});
  press();
  CHECK_FALSE(driver.state.train.curves.is_shown);
  REQUIRE(driver.state.train.runs.size() == 1);
  CHECK(driver.state.train.runs[0].knobs == TrainKnobs{});
  REQUIRE(driver.Count<TrainOrder>() == 1);
  CHECK(driver.Last<TrainOrder>()->kind == TrainOrder::Kind::kBegin);
  press();
  CHECK(driver.state.train.runs.size() == 1);
}

TEST_CASE("an answer's button asks of the trained model, whatever was typed before",
          "[state][answers]") {
  StateDriver driver;
  driver.ShowSomething(5);
  driver.Do(SetScreen{&kCountsScreen});
  const auto press = [&driver](std::string_view word) {
    driver.Do(CutAs{{.head_counts = {}, .weights = SplitWeights::kOnes}});
    driver.Do(EditCut{CutField::kScale, "0.01"});
    driver.Do(EditCut{CutField::kHeadDim, "2"});
    for (const Action& action : AnswerTo(driver.state, word).actions) {
      driver.Do(action);
    }
    return driver.state.tree.how;
  };
  for (const std::string_view word : {"parameters", "strided", "divide"}) {
    const SplitRequest how = press(word);
    CAPTURE(word);
    CHECK(how.UsesLayer());
    CHECK_FALSE(how.head_dim);
    CHECK(driver.state.tree.texts.scale.empty());
    CHECK(driver.state.tree.texts.head_dim.empty());
  }
  CHECK(press("every weight").weights == SplitWeights::kOnes);
  CHECK(press("every weight").input_scale == 1.0);
  // This model has no step 0 beside it, and the answer says so.
  CHECK(Holds(AnswerTo(driver.state, "before training").words, "no step 0 beside it"));
  CHECK(press("before training").weights == SplitWeights::kRandom);
}

TEST_CASE("an answer's button leads to where one sees it", "[state][answers]") {
  StateDriver driver;
  driver.ShowSomething(5);
  driver.Do(SetScreen{&kCountsScreen});
  for (const Action& action : AnswerTo(driver.state, "strided").actions) {
    driver.Do(action);
  }
  CHECK(driver.state.tree.how.segments == SegmentKind::kStrided);
  CHECK_FALSE(driver.state.walk.is_open);
  for (const Action& action : AnswerTo(driver.state, "projected").actions) {
    driver.Do(action);
  }
  CHECK(driver.state.walk.is_open);
  CHECK(driver.state.walk.stage == WalkStage::kProject);
  for (const Action& action : AnswerTo(driver.state, "divide").actions) {
    driver.Do(action);
  }
  CHECK_FALSE(driver.state.walk.is_open);
  CHECK(driver.state.tree.how.head_counts == std::vector<std::int64_t>{3, 5});
}

}  // namespace headscope::test

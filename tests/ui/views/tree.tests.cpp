// Inspect's arcs beside the tree of the text, and steps of a training.
#include <algorithm>
#include <memory>

#include "app/state/inspect/film.h"
#include "app/state/inspect/text_tree.h"
#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/support/small_tree.h"
#include "tests/ui/shown_layer.h"

namespace headscope::test {
namespace {

// The newest request of that kind, and its number.
template <typename Job>
std::pair<RequestId, const Job*> Newest(const PanelDriver& driver) {
  const auto& effects = driver.app.effects;
  for (auto it = effects.rbegin(); it != effects.rend(); ++it) {
    const auto* const submit = std::get_if<Submit>(&*it);
    const auto* const job = submit != nullptr ? std::get_if<Job>(&submit->request) : nullptr;
    if (job != nullptr) {
      return {submit->id, job};
    }
  }
  return {0, nullptr};
}

void AnswerTreeOf(PanelDriver* driver, FoundTree found) {
  const auto [id, job] = Newest<FindTreeJob>(*driver);
  REQUIRE(job != nullptr);
  driver->app.Event(id, TreeFound{std::make_shared<const FoundTree>(std::move(found))});
  driver->app.Event(id, Finished{});
  Settle(driver);
}

void AnswerHead(PanelDriver* driver) {
  const auto [id, job] = Newest<AnswerTreeJob>(*driver);
  REQUIRE(job != nullptr);
  driver->app.Event(id,
                    TreeAnswered{std::make_shared<const TreeAnswers>(
                        AnswerTree(*job->tree, job->map, job->direction))});
  driver->app.Event(id, Finished{});
  Settle(driver);
}

void ShowSmallTree(PanelDriver* driver) {
  ShowLayer(driver, SmallTreeMap());
  LookAt(driver, HeadView::kArcs);
}

}  // namespace

TEST_CASE("a text without a tree greys the choice and says why", "[ui][tree]") {
  PanelDriver driver;
  ShowSmallTree(&driver);
  CHECK(WhyNoTree(driver.state()) == "Looking for the tree of this text.");
  AnswerTreeOf(&driver, {.tree = nullptr, .why_not = "It is none."});
  CHECK(WhyNoTree(driver.state()) == "It is none.");
  HeadLook look = driver.state().head_look;
  look.beside_tree = true;
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  CHECK_FALSE(ShowsTree(driver.state()));
  TokenLook tokens;
  tokens.hides_first = true;
  driver.app.Do(SetTokenLook{tokens});
  CHECK(WhyNoTree(driver.state()).find("Tokens are merged or hidden") == 0);
}

TEST_CASE("the tree stands above the line and the head below it, with counts in words",
          "[ui][tree]") {
  PanelDriver driver;
  ShowSmallTree(&driver);
  AnswerTreeOf(&driver, {.tree = std::make_shared<const TextTree>(SmallTree()), .why_not = {}});
  CHECK(WhyNoTree(driver.state()).empty());
  HeadLook look = driver.state().head_look;
  look.beside_tree = true;
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  REQUIRE(ShowsTree(driver.state()));
  AnswerHead(&driver);
  CHECK(std::ranges::any_of(StrokesOf(driver), [](const Stroke& arc) { return arc.rise > 0.0F; }));
  CHECK(std::ranges::any_of(StrokesOf(driver), [](const Stroke& arc) { return arc.rise < 0.0F; }));
  CHECK(std::ranges::any_of(StrokesOf(driver), [](const Stroke& arc) { return arc.dash > 0.0F; }));
  for (const char* const words : {"det", "nsubj", "amod"}) {
    CHECK(driver.Says(words));
  }
  CHECK(TellsWords(&driver, "largest weight is the governor at 2 of 3 words"));
  // Every arc lies within the view.
  const Rect& view = driver.region(Panel::kDetail).strokes_clip;
  for (const Stroke& arc : StrokesOf(driver)) {
    CHECK(std::min(arc.y0, arc.y0 - arc.rise) >= view.y);
    CHECK(std::max(arc.y0, arc.y0 - arc.rise) <= view.y + view.height);
  }
  // The other direction is another question.
  look.tree_direction = PairDirection::kHeadToDependent;
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  AnswerHead(&driver);
  CHECK(TellsWords(&driver, "largest weight is the dependent on 1 of 3 edges"));
}

TEST_CASE("a treebank gives its sentences, one after another", "[ui][tree]") {
  PanelDriver driver;
  ShowSmallTree(&driver);
  auto treebank = std::make_shared<Treebank>();
  treebank->path = "/data/small.conllu";
  AnnotatedSentence bare;
  bare.text = "No tree.";
  bare.words = {{"No", 0, 2, "", -1, ""}};
  AnnotatedSentence last = *SmallTree().sentence;
  last.text = "the last one";
  treebank->text.sentences = {bare, *SmallTree().sentence, bare, last};
  driver.app.Do(OpenTreebank{treebank, &ScreenNamed("inspect").kind, &ScreenNamed("heads").kind});
  CHECK(driver.state().input.text == "the old dog barks .");
  CHECK(driver.state().head_look.view == HeadView::kArcs);
  CHECK(SentenceInView(driver.state()) == 1);
  driver.app.Do(StepSentence{1});
  CHECK(driver.state().input.text == "the last one");
  driver.app.Do(StepSentence{1});  // there is none
  CHECK(driver.state().input.text == "the last one");
  driver.app.Do(StepSentence{-1});
  CHECK(SentenceInView(driver.state()) == 1);
  driver.app.Do(EditText{"something else"});
  CHECK_FALSE(SentenceInView(driver.state()));
}

TEST_CASE("frames of the steps come one by one, and a click opens one", "[ui][film]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 4, 1));
  LookAt(&driver, HeadView::kSteps);
  const auto [found, asked] = Newest<FindSeriesJob>(driver);
  REQUIRE(asked != nullptr);
  const std::filesystem::path folder = driver.state().model->folder;
  SeriesFound series;
  series.series.checkpoints = {{.folder = folder / "step-0", .value = 0},
                               {.folder = folder / "step-50", .value = 50},
                               {.folder = folder, .value = 0, .is_trained = true}};
  driver.app.Event(found, series);
  driver.app.Event(found, Finished{});
  Settle(&driver);
  const auto [film, job] = Newest<FilmJob>(driver);
  REQUIRE(job != nullptr);
  REQUIRE(job->steps.size() == 3);
  CHECK(driver.Says("step 50"));
  CHECK(driver.region(Panel::kDetail).maps.empty());
  for (std::size_t place = 0; place < 2; ++place) {
    driver.app.Event(film,
                     FilmFrameReady{place,
                                    {.step = job->steps[place].value,
                                     .folder = job->steps[place].folder,
                                     .map = {OneWeight(6, 6, 4, 1), 0},
                                     .score = "0.50 (3 rows)",
                                     .role = "no role"}});
    driver.Frames(3);
    CHECK(driver.region(Panel::kDetail).maps.size() == place + 1);
  }
  CHECK(driver.Says("0.50 (3 rows)"));
  CHECK_FALSE(IsFilmDone(driver.state()));
  driver.app.Event(film, Failed{Error{ErrorCode::kCancelled, "stopped"}});
  Settle(&driver);
  CHECK(driver.state().film.is_stopped);
  const Rect frame = driver.region(Panel::kDetail).maps[1].target;
  driver.Click(frame.x + frame.width / 2.0F, frame.y + frame.height / 2.0F);
  CHECK(driver.state().opening_folder == folder / "step-50");
  CHECK(driver.state().head_look.view == HeadView::kMap);
}

}  // namespace headscope::test

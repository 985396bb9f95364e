// What is drawn, named and exported while maps are not of the model and text that are open.
#include "app/window/exports.h"
#include "core/figure/token_map.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

void Refuse(StateDriver* app) {
  app->Event(app->state.pending.request, Failed{{ErrorCode::kInput, "the text is too long"}});
}

ExportDraft Draft(FigureOf of) {
  ExportDraft draft;
  draft.kind = FindFigureKind(of);
  draft.path = "x.png";
  return draft;
}

TEST_CASE("maps of the model before are dim and say whose they are", "[ui][pictures]") {
  const auto [width, height] = GENERATE(table<float, float>({{1600.0F, 1000.0F}, {1000, 700}}));
  PanelDriver driver(width, height);
  driver.app.ShowSomething(6);
  driver.Frames(3);
  CHECK_FALSE(driver.region(Panel::kMiddle).maps.front().dimmed);
  const float before = driver.region(Panel::kMiddle).maps.front().target.y;
  driver.app.Open("tiny", 1, 2);
  Refuse(&driver.app);
  driver.app.Do(DismissNotice{ErrorPlace::kText});
  driver.Frames(3);
  CHECK((driver.Says("These") && driver.Says("alpha") && driver.Says("none")));
  CHECK_FALSE(driver.Says("6 tokens"));  // of the text that was refused nothing is known
  CHECK(driver.region(Panel::kMiddle).maps.size() == 12);
  CHECK(driver.region(Panel::kMiddle).maps.front().dimmed);
  CHECK(driver.region(Panel::kMiddle).maps.front().target.y > before);  // nothing lies over them
  driver.app.Do(EditText{"short"});
  driver.app.Answer(3);
  driver.Frames(3);
  CHECK_FALSE(driver.Says("These"));
  CHECK(driver.region(Panel::kMiddle).maps.size() == 2);
}

TEST_CASE("a figure of a picture that stayed names the picture's model and text", "[ui][export]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(ClickHead{{1, 2}});
  driver.app.Do(OpenPopup{Popup::kFlag});
  FlagDraft draft = driver.state().dialogs.flag;
  draft.role = "positional";
  driver.app.Do(EditFlag{draft});
  driver.app.Do(SaveFlag);
  driver.app.Open("tiny", 1, 2);
  Refuse(&driver.app);
  const ExportDraft head = Draft(FigureOf::kHead);
  const Result<FigureSubject> subject = SubjectFor(driver.state(), head);
  REQUIRE(subject);
  const auto figure = head.kind->make(*subject);
  REQUIRE(figure);
  CHECK_THAT((*figure)->page().caption, Says("alpha,") && Says("“a b c”"));
  CHECK_THAT((*figure)->page().caption, !Says("tiny"));
  CHECK_FALSE(dynamic_cast<const TokenMap&>(**figure).content().map.flag_role.empty());
  const Result<FigureSubject> all = SubjectFor(driver.state(), Draft(FigureOf::kAll));
  REQUIRE(all);
  CHECK(all->context.model == subject->context.model);
  CHECK(all->context.flags.size() == 1);
}

TEST_CASE("a figure never holds layers of two texts", "[ui][export]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(EditText{"another text"});
  const RequestId id = driver.state().pending.request;
  driver.app.Event(id, Tokenized{NumberedWords(9), driver.state().pending.input});
  driver.app.Event(id, LayerReady{EvenLayer(0, 4, 9)});
  driver.app.Do(ClickHead{{0, 0}});
  const ExportDraft grid = Draft(FigureOf::kAll);
  const Result<FigureSubject> newest = SubjectFor(driver.state(), grid);
  REQUIRE_FALSE(newest);
  CHECK_THAT(newest.error().message, Says("Not every layer is computed yet"));
  driver.app.Do(ClickHead{{2, 0}});
  const Result<FigureSubject> before = SubjectFor(driver.state(), grid);
  REQUIRE(before);
  CHECK(before->context.text == "a b c");
  for (const auto& layer : before->layers) {
    CHECK(layer->shape().queries == 6);
  }
}

}  // namespace
}  // namespace headscope::test

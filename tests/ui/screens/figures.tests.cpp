// Figures that are kept: as they were, in one look, in an order of one's own.
#include <nlohmann/json.hpp>

#include "app/state/figures/kept.h"
#include "app/state/figures/recipe.h"
#include "app/state/files/export_draft.h"
#include "app/views/screens.h"
#include "app/window/exports.h"
#include "app/window/figure_answers.h"
#include "core/figure/preview.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

// As the window does with what the reducer asks of it.
void Answer(PanelDriver* driver) {
  REQUIRE(driver->app.Last<KeepFigureNow>() != nullptr);
  auto figure = FigureToKeep(driver->state());
  REQUIRE(figure.has_value());
  driver->app.Do(FigureKept{std::move(*figure)});
}

void Keep(PanelDriver* driver, FigureOf of, std::string_view view = kPlainView) {
  driver->app.Do(KeepKind{FindFigureKind(of, view)});
  Answer(driver);
}

std::unique_ptr<PanelDriver> WithFigures() {
  auto driver = std::make_unique<PanelDriver>();
  driver->app.ShowSomething(6);
  Keep(driver.get(), FigureOf::kHead, "lines");
  Keep(driver.get(), FigureOf::kLayer);
  Keep(driver.get(), FigureOf::kAll);
  driver->app.Do(SetScreen{&ScreenNamed("figures").kind});
  driver->Frames(3);
  return driver;
}

const FiguresState& Figures(const PanelDriver& driver) {
  return driver.state().figures;
}

std::vector<std::int64_t> Order(const PanelDriver& driver) {
  std::vector<std::int64_t> numbers;
  for (const KeptFigure& figure : Figures(driver).kept) {
    numbers.push_back(figure.number);
  }
  return numbers;
}

// Answers what is asked of the worker with a picture of one colour.
bool DrawNext(PanelDriver* driver) {
  const RequestId id = Figures(*driver).request;
  if (id == 0) {
    return false;
  }
  auto preview = std::make_shared<FigurePreview>();
  preview->picture = {.width = 40, .height = 30, .rgba = std::vector<std::uint8_t>(40 * 30 * 4, 9)};
  preview->whole = {400, 300};
  preview->scale = 0.1;
  driver->app.Event(id, PreviewMade{std::move(preview)});
  driver->app.Event(id, Finished{});
  return true;
}

TEST_CASE("the keys keep what the screen shows, and the rail counts it", "[ui][figures]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.PressCtrl('E', true);
  Answer(&driver);
  driver.Frames(2);
  REQUIRE(Figures(driver).kept.size() == 1);
  const KeptFigure& figure = Figures(driver).kept[0];
  CHECK(figure.title == "head " + HeadName(driver.state().selection.head));
  CHECK(figure.file == "alpha-" + HeadName(driver.state().selection.head));
  CHECK(driver.Says("1"));
  // In the dialog they keep what the dialog says.
  driver.PressCtrl('E');
  driver.Frames(3);
  ExportDraft draft = driver.state().dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kAll);
  driver.app.Do(EditExport{draft});
  driver.PressCtrl('E', true);
  Answer(&driver);
  driver.Frames(2);
  CHECK(Figures(driver).kept.back().title == "all heads");
  CHECK(driver.Says("(5)."));
}

TEST_CASE("a kept figure stays as it was, whatever is opened and chosen later", "[ui][figures]") {
  const auto driver = WithFigures();
  const FigureSubject& before = Figures(*driver).kept[1].subject;
  const auto layers = before.layers;
  const ColorScale scale = before.context.scale;
  driver->app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver->app.Do(SetColormap{driver->state().settings.colormap == Colormap::kGreys
                                 ? Colormap::kViridis
                                 : Colormap::kGreys});
  driver->app.Do(ShowHead{{2, 1}});
  driver->app.ShowSomething(3);
  driver->app.Do(SetScreen{&ScreenNamed("figures").kind});
  driver->Frames(2);
  CHECK(Figures(*driver).kept[1].subject.layers == layers);
  CHECK(Figures(*driver).kept[1].subject.context.scale.colormap == scale.colormap);
  CHECK(driver->Says("layer"));
}

TEST_CASE("previews are drawn one after another, and again for another look", "[ui][figures]") {
  const auto driver = WithFigures();
  int drawn = 0;
  while (DrawNext(driver.get())) {
    REQUIRE(++drawn <= 3);
  }
  CHECK(drawn == 3);
  driver->Frames(2);
  CHECK(driver->Says("400"));  // the chosen one is told with its size
  ExportDraft draft = driver->state().dialogs.exporting;
  draft.theme = Theme::kPrint;
  driver->app.Do(EditExport{draft});
  while (DrawNext(driver.get())) {
    REQUIRE(++drawn <= 6);
  }
  CHECK(drawn == 6);
  // Elsewhere nothing is drawn.
  driver->app.Do(SetScreen{&ScreenNamed("inspect").kind});
  draft.theme = Theme::kDark;
  driver->app.Do(EditExport{draft});
  CHECK(Figures(*driver).request == 0);
}

TEST_CASE("a click chooses a figure, Shift and an arrow move it, Del removes it", "[ui][figures]") {
  const auto driver = WithFigures();
  CHECK(Figures(*driver).chosen == 2);
  driver->Click(driver->layout().middle.x + 60.0F, driver->layout().middle.y + 160.0F);
  CHECK(Figures(*driver).chosen == 0);
  driver->Press(Key::kRight);
  CHECK(Figures(*driver).chosen == 1);
  driver->Press(Key::kLeft, true);
  CHECK(Order(*driver) == std::vector<std::int64_t>{2, 1, 3});
  CHECK(Figures(*driver).chosen == 0);
  driver->Press(Key::kLeft, true);  // no further
  CHECK(Order(*driver) == std::vector<std::int64_t>{2, 1, 3});
  driver->app.Do(MoveKept{9});
  CHECK(Order(*driver) == std::vector<std::int64_t>{1, 3, 2});
  driver->Press(Key::kDelete);
  CHECK(Order(*driver) == std::vector<std::int64_t>{1, 3});
  CHECK(Figures(*driver).chosen == 1);
  driver->Press(Key::kDelete);
  driver->Press(Key::kDelete);
  driver->Press(Key::kDelete);
  driver->Press(Key::kRight);
  driver->Frames(2);
  CHECK(Figures(*driver).kept.empty());
  CHECK(driver->Says("yet"));
}

TEST_CASE("all are exported in one look, each in a numbered file", "[ui][figures][export]") {
  const auto driver = WithFigures();
  driver->PressCtrl('E');
  driver->Frames(3);
  ExportDraft draft = driver->state().dialogs.exporting;
  CHECK(draft.of == ExportOf::kAllKept);
  draft.path = "/exports/paper.svg";
  draft.theme = Theme::kPrint;
  draft.size = "8.9 cm";
  driver->app.Do(EditExport{draft});
  const auto job = FigureToMake(driver->state());
  REQUIRE(job.has_value());
  REQUIRE(job->files.size() == 3);
  const std::string head = HeadName(driver->state().selection.head);
  CHECK(job->files[0].path == "/exports/paper-1-alpha-" + head + "-lines.svg");
  CHECK(job->files[2].path == "/exports/paper-3-alpha-all-heads.svg");
  for (const FigureFile& file : job->files) {
    CHECK(file.subject.context.theme == Theme::kPrint);
    CHECK(file.subject.context.look.is_on_paper);
  }
  // The clipboard takes the chosen one.
  driver->app.Do(ChooseKept{1});
  const auto copied = FigureToMake(driver->state(), true);
  REQUIRE(copied->files.size() == 1);
  CHECK(copied->files[0].kind == Figures(*driver).kept[1].kind);
  // It alone, also as numbers.
  draft.of = ExportOf::kChosenKept;
  draft.path = "/exports/one.pdf";
  driver->app.Do(EditExport{draft});
  REQUIRE(FigureToMake(driver->state())->files.size() == 1);
  CHECK(FigureToMake(driver->state())->files[0].path == "/exports/one.pdf");
  // Numbers are of one kind of figure: all of them are pictures.
  draft.of = ExportOf::kAllKept;
  draft.path = "/exports/all.json";
  CHECK_FALSE(PathProblem(draft).empty());
  CHECK_FALSE(CanExport(draft));
}

TEST_CASE("a figure of maps without some heads is exported with its caption only",
          "[ui][figures][export]") {
  const auto driver = WithFigures();
  KeptFigure figure = Figures(*driver).kept[1];
  figure.kind = FindFigureKind(FigureOf::kHead);  // which has a table
  REQUIRE(figure.kind->table != nullptr);
  figure.needs_caption = true;
  driver->app.Do(FigureKept{figure});
  driver->PressCtrl('E');
  driver->Frames(3);
  ExportDraft draft = driver->state().dialogs.exporting;
  CHECK(FigureToMake(driver->state()).has_value());
  draft.has_caption = false;
  driver->app.Do(EditExport{draft});
  const auto refused = FigureToMake(driver->state());
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message, Says("caption"));
  // Numbers have none.
  draft.has_caption = true;
  draft.of = ExportOf::kChosenKept;
  draft.path = "/exports/one.html";
  driver->app.Do(EditExport{draft});
  const bool is_page = HasGround(driver->state().dialogs.exporting);
  CHECK(FigureToMake(driver->state()).has_value() == is_page);
  const auto table = ValuesToCopy(driver->state());
  REQUIRE_FALSE(table.has_value());
  CHECK_THAT(table.error().message, Says("would not say so"));
}

TEST_CASE("no more are kept than there is room for", "[ui][figures]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  for (std::size_t i = 0; i < kMostKeptFigures; ++i) {
    Keep(&driver, FigureOf::kHead);
  }
  driver.app.Do(KeepKind{FindFigureKind(FigureOf::kHead)});
  CHECK(NoticeAt(driver.state(), ErrorPlace::kFigures) != nullptr);
  CHECK(Figures(driver).kept.size() == kMostKeptFigures);
  driver.app.Do(SetScreen{&ScreenNamed("figures").kind});
  driver.Frames(4);
  // Names of ten and more sort as they stand.
  ExportDraft draft = driver.state().dialogs.exporting;
  draft.path = "/exports/f.png";
  CHECK(FilesOfKept(driver.state(), draft)[8].filename().string().starts_with("f-09-"));
}

// A window that opened a session with the figures of another one.
std::unique_ptr<PanelDriver> Reopened(const std::vector<RememberedFigure>& figures) {
  auto driver = std::make_unique<PanelDriver>();
  driver->app.ShowSomething(6);
  driver->app.Do(KnowScreens{FindScreenKind});
  TakeRemembered(figures, &driver->app.state);
  driver->app.Do(SetScreen{&ScreenNamed("figures").kind});
  driver->Frames(3);
  return driver;
}

std::vector<RememberedFigure> Remembered(const AppState& state) {
  const auto view = ReadSessionView(SessionViewText(SessionViewOf(state)), "x.json");
  REQUIRE(view.has_value());
  return view->figures;
}

TEST_CASE("a session has its kept figures made again", "[ui][figures][session]") {
  const auto before = WithFigures();
  const auto figures = Remembered(before->state());
  REQUIRE(figures.size() == 3);
  const auto driver = Reopened(figures);
  CHECK(WaitingFigures(driver->state()) == 3);
  CHECK(driver->Says("again"));
  // They cannot be exported yet, and say so.
  ExportDraft draft = driver->state().dialogs.exporting;
  draft.of = ExportOf::kAllKept;
  draft.path = "/exports/all.svg";
  driver->app.Do(EditExport{draft});
  const auto early = FigureToMake(driver->state());
  REQUIRE_FALSE(early.has_value());
  CHECK_THAT(early.error().message, Says("Make again"));
  CHECK_FALSE(DrawNext(driver.get()));

  const std::size_t places = driver->state().view_history.past.size();
  driver->app.Do(MakeAgain{});
  for (std::size_t made = 0; made < 3; ++made) {
    CHECK(driver->state().screen->id == "inspect");
    CHECK(WaitingFigures(driver->state()) == 3 - made);
    driver->app.effects.clear();
    driver->app.Do(Action(TakeSettled));
    Answer(driver.get());
  }
  CHECK_FALSE(Figures(*driver).making);
  CHECK(driver->state().screen->id == "figures");
  CHECK(driver->state().view_history.past.size() == places);
  CHECK(Remembered(driver->state()) == figures);
  REQUIRE(Figures(*driver).kept.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const KeptFigure& old = Figures(*before).kept[i];
    const KeptFigure& now = Figures(*driver).kept[i];
    CHECK_FALSE(now.waits);
    CHECK(now.kind == old.kind);
    CHECK(now.title == old.title);
    CHECK(now.subject.layers.size() == old.subject.layers.size());
  }
  CHECK(DrawNext(driver.get()));
  // The same session once more brings nothing new.
  TakeRemembered(figures, &driver->app.state);
  CHECK(Figures(*driver).kept.size() == 3);
}

TEST_CASE("it is told how many figures of a session found no room", "[ui][figures][session]") {
  const auto saved = WithFigures();
  saved->app.Do(OpenPopup{Popup::kSessions});
  saved->app.Do(EditSessionSave{"/my/view.json"});
  saved->app.Do(SaveSessionAs{});
  const SaveSessionFile file = *saved->app.Last<SaveSessionFile>();
  for (const std::size_t free : {3U, 1U}) {
    CAPTURE(free);
    PanelDriver driver;
    driver.app.ShowSomething(6);
    driver.app.Do(KnowScreens{FindScreenKind});
    for (std::size_t i = 0; i < kMostKeptFigures - free; ++i) {
      Keep(&driver, FigureOf::kHead);
    }
    driver.app.Do(OpenSession{file.path});
    driver.app.Do(SessionLoaded{file.path, std::optional(file.session)});
    driver.app.Do(ModelReady{driver.state().opening.request, StateDriver::Model("alpha", 3, 4)});
    driver.app.Answer(6);
    CHECK(Figures(driver).kept.size() == kMostKeptFigures);
    const Notice* const notice = NoticeAt(driver.state(), ErrorPlace::kFigures);
    REQUIRE((notice != nullptr) == (free < 3));
    if (notice != nullptr) {
      CHECK_THAT(notice->sentence, Says("2 figures of the session found no room: 40 are kept"));
    }
  }
}

TEST_CASE("a figure that is not where it was kept stays, and says why", "[ui][figures][session]") {
  auto figures = Remembered(WithFigures()->state());
  figures[0].title = "head L9H9, lines";
  figures[1].of = FigureOf::kAblation;
  figures[1].view = kPlainView;
  figures[2].recipe.view_json = R"({"head":7})";
  const auto driver = Reopened(figures);
  REQUIRE(WaitingFigures(driver->state()) == 3);
  driver->app.Do(MakeAgain{Figures(*driver).kept[0].number});
  driver->app.effects.clear();
  driver->app.Do(Action(TakeSettled));
  Answer(driver.get());
  CHECK(WaitingFigures(driver->state()) == 3);
  CHECK_THAT(Figures(*driver).kept[0].fault, Says("there is now"));
  driver->app.Do(MakeAgain{});
  driver->app.effects.clear();
  driver->app.Do(Action(TakeSettled));
  Answer(driver.get());
  CHECK(driver->state().screen->id == "heads");
  driver->app.Do(Action(TakeSettled));
  CHECK_THAT(Figures(*driver).kept[1].fault, Says("has to be run first"));
  CHECK_THAT(Figures(*driver).kept[2].fault, Says("expected an object"));
  CHECK_FALSE(Figures(*driver).making);
  CHECK(driver->state().screen->id == "figures");
  CHECK(WaitingFigures(driver->state()) == 3);
  // Another model of the same name and text is not taken for it.
  figures[0].title = WithFigures()->state().figures.kept[0].title;
  figures[0].recipe.model = "/elsewhere/alpha";
  const auto other = Reopened({figures[0]});
  other->app.Do(MakeAgain{});
  const RequestId opening = other->state().opening.request;
  REQUIRE(opening != 0);
  other->app.Event(opening, Failed{{ErrorCode::kIo, "no such folder"}});
  other->app.effects.clear();
  other->app.Do(Action(TakeSettled));
  Answer(other.get());
  CHECK(WaitingFigures(other->state()) == 1);
  CHECK_THAT(Figures(*other).kept[0].fault, Says("/elsewhere/alpha"));
  // What is being made can be left.
  driver->app.Do(MakeAgain{});
  driver->app.Do(Action(CancelWork));
  CHECK_FALSE(Figures(*driver).making);
  CHECK(driver->state().screen->id == "figures");
}

TEST_CASE("a session with figures that are none is told in a sentence", "[ui][figures][session]") {
  const auto [wrong, says] =
      GENERATE(table<const char*, const char*>({{R"([{"of":"nothing","made_of":{}}])", "nothing"},
                                                {R"([{"of":"head"}])", "expected an object"},
                                                {R"([7])", "expected an object"},
                                                {R"({"of":"head"})", "figures"}}));
  auto json = nlohmann::json::parse(SessionViewText(SessionView{}));
  json["figures"] = nlohmann::json::parse(wrong);
  const auto read = ReadSessionView(json.dump(), "x.json");
  REQUIRE_FALSE(read.has_value());
  CHECK_THAT(read.error().message, Says(says));
  // One of a kind that is not known is left out.
  AppState state;
  RememberedFigure strange;
  strange.view = "hologram";
  TakeRemembered({strange}, &state);
  CHECK(state.figures.kept.empty());
}

}  // namespace
}  // namespace headscope::test

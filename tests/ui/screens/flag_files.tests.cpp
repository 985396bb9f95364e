// Files of flags and labelling blind in the window: what is said, and what a click does.
#include <sstream>

#include "app/state/flags/files.h"
#include "app/views/inspect/grid_layout.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {
namespace {

GridLook Look(GridOrder order, GridFlags flags, const std::string& role, const std::string& least) {
  GridLook look;
  look.order = order;
  look.flags = flags;
  look.role = role;
  look.least = least;
  return look;
}

struct FilesDriver : PanelDriver {
  using PanelDriver::PanelDriver;

  void ShowScores() {
    app.ShowSomething(6);
    app.Do(SetAuthor{"Me"});
    app.Do(DayIs{"2026-11-23"});
    app.Do(SetScreen{&ScreenNamed("heads").kind});
    app.Event(state().scan.request, HeadsScanned{StubScan()});
    app.Event(state().scan.request, Finished{});
    Frames(3);
  }
  // Of a paragraph, whose words are drawn one by one: all of these.
  [[nodiscard]] bool SaysWords(const std::string& text) const {
    std::istringstream words(text);
    bool says_all = true;
    for (std::string word; words >> word;) {
      says_all = says_all && Says(word);
    }
    return says_all;
  }
  void Show(const char* screen) {
    app.Do(SetScreen{&ScreenNamed(screen).kind});
    Frames(3);
  }
  void Open(Popup popup) {
    app.Do(OpenPopup{popup});
    Frames(4);
  }
  void Import(const std::string& fingerprint) {
    FlagFile file;
    file.model_name = "beta";
    file.model_fingerprint = fingerprint;
    file.author = "Anna";
    HeadFlag flag;
    flag.head = 1;
    flag.role = "rare";
    file.flags = {flag};
    file.places = {TextPlace{}};
    file = WithId(file);
    app.Do(ImportFlags{"/files/anna.json"});
    app.Do(FlagFileRead{"/files/anna.json", FlagFileUse::kImport, file});
    Frames(4);
  }
};

}  // namespace

TEST_CASE("the menu of files names what there is to do", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  CHECK(driver.Says("Files ▾"));
  driver.Open(Popup::kFlagFiles);
  for (const char* const words :
       {"Export flags …", "Import flags …", "Label blind", "Cohen's kappa", "Save the scan …"}) {
    INFO(words);
    CHECK(driver.SaysWords(words));
  }
}

TEST_CASE("an export names its author and its file, and Enter saves", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.Open(Popup::kFlagExport);
  CHECK(driver.state().flag_files.exporting.path == "/exports/alpha-flags.json");
  CHECK(driver.SaysWords("Export flags author"));
  driver.Press(Key::kEnter);
  driver.Frames(2);
  const auto* const write = driver.app.Last<WriteFlags>();
  REQUIRE(write != nullptr);
  driver.app.Do(FlagsExported{write->file, write->path, true});
  driver.Frames(2);
  CHECK(driver.SaysWords("Saved /exports/alpha-flags.json"));
  driver.app.Do(EditFlagExport{"/exports/flags.txt"});
  driver.Frames(2);
  CHECK(driver.SaysWords("ends in .json or .csv"));
}

TEST_CASE("a dialog that saves opens in its path: what is typed replaces it", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.Open(Popup::kFlagExport);
  driver.Type("/tmp/mine.json");
  driver.Frames(2);
  CHECK(driver.state().flag_files.exporting.path == "/tmp/mine.json");
  driver.Press(Key::kEnter);
  REQUIRE(driver.app.Last<WriteFlags>() != nullptr);
  CHECK(driver.app.Last<WriteFlags>()->path == "/tmp/mine.json");
  driver.Press(Key::kEscape);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  driver.Open(Popup::kScanSave);
  driver.Type("/tmp/mine.txt");
  driver.Frames(2);
  CHECK(driver.state().flag_files.saving_scan.path == "/tmp/mine.txt");
  driver.Press(Key::kEscape);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  driver.Open(Popup::kExport);
  driver.Type("/tmp/mine.pdf");
  driver.Frames(2);
  CHECK(driver.state().dialogs.exporting.path == "/tmp/mine.pdf");
}

TEST_CASE("an import shows what changes and both sides of a conflict", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.app.Do(AcceptSuggestion{{0, 1}, "broad"});
  driver.Import(driver.state().shown.model->fingerprint);
  CHECK(driver.Says("Flags of Anna (anna.json)"));
  CHECK(driver.SaysWords("1 head changed on both sides"));
  CHECK(driver.SaysWords("1 conflict to decide."));
  driver.Press(Key::kEnter);
  driver.Frames(2);
  CHECK(driver.state().dialogs.popup == Popup::kFlagImport);  // not before it is decided
  driver.app.Do(DecideConflict{HeadIndex{0, 1}, true});
  driver.Frames(2);
  CHECK(driver.SaysWords("Ctrl Z takes the whole import back."));
  driver.Press(Key::kEnter);
  driver.Frames(2);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  CHECK(FindFlag(FlagsInView(driver.state()), {0, 1})->role == "rare");
}

TEST_CASE("a flag of another window is asked about with both sides", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.app.stores_at_once = false;
  driver.app.Do(AcceptSuggestion{{0, 1}, "broad"});
  const StoreSession sent = *driver.app.Last<StoreSession>();
  SessionFile written = sent.session;
  written.flags.front().role = "rare";
  driver.app.Do(SessionStored{sent.path, sent.session, written, {{0, 1}}});
  driver.Frames(3);
  CHECK(driver.SaysWords("Another window flagged the same, and differently"));
  const ImportPlan plan = PlanImport(driver.state());
  REQUIRE(plan.merge.conflicts.size() == 1);
  CHECK(plan.merge.conflicts.front().mine.role == "broad");
  CHECK(plan.merge.conflicts.front().theirs.role == "rare");
  CHECK(driver.SaysWords("1 conflict to decide."));
  driver.Press(Key::kEnter);
  driver.Frames(2);
  CHECK(driver.state().dialogs.popup == Popup::kFlagImport);
  driver.app.Do(DecideConflict{HeadIndex{0, 1}, false});
  driver.Frames(2);
  driver.Press(Key::kEnter);
  driver.Frames(2);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  CHECK(driver.app.Last<StoreSession>()->session.flags.front().role == "broad");
}

TEST_CASE("another model's flag is a suggestion that says so, to accept", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.Import("another");
  CHECK(driver.SaysWords("another model. 1 flag will stand here as a suggestion"));
  driver.Press(Key::kEnter);
  driver.app.Do(ClickHead{{0, 1}});
  driver.Frames(3);
  CHECK(driver.Says("rare, from beta, another model"));
  CHECK(driver.Says("Accept"));
  driver.Open(Popup::kFlagFiles);
  CHECK(driver.Says("Remove the suggestions from beta"));
}

TEST_CASE("a wrong file is told of in the dialog", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.app.Do(ImportFlags{"/files/a.csv"});
  driver.app.Do(FlagFileRead{"/files/a.csv",
                             FlagFileUse::kImport,
                             Fail(ErrorCode::kFormat, "a.csv: line 3, column 1: no head")});
  driver.Frames(4);
  CHECK(driver.SaysWords("line 3, column 1: no head"));
}

TEST_CASE("labelling blind shows no score and no suggestion on any screen", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.app.Do(ClickHead{{2, 3}});
  driver.Frames(2);
  CHECK(driver.Says("0.55"));
  driver.app.Do(LabelBlind{true});
  driver.Frames(3);
  for (const char* const screen : {"heads", "inspect"}) {
    driver.Show(screen);
    INFO(screen);
    CHECK_FALSE(driver.Says("0.55"));
    CHECK_FALSE(driver.Says("uggested"));
    CHECK_FALSE(driver.Says("it does so"));
  }
  driver.Show("heads");
  CHECK(driver.SaysWords("Labelling blind"));
  CHECK(driver.Says("Save flags, then show scores"));
  const Rect& thumb = [&]() -> const Rect& {
    driver.Show("inspect");
    return driver.region(Panel::kMiddle).maps[11].target;
  }();
  driver.MoveTo(thumb.x + 5.0F, thumb.y + 5.0F);
  driver.Frames(60);
  CHECK_FALSE(driver.Says("suggested"));
}

TEST_CASE("kappa stands with its numbers and chance", "[ui][flag_files]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.app.Do(AcceptSuggestion{{2, 3}, "induction"});
  driver.Open(Popup::kAgreement);
  CHECK(driver.SaysWords("Me and the suggestions"));
  CHECK(driver.Says("kappa"));
  CHECK(driver.SaysWords("by chance"));
  CHECK(driver.SaysWords("of 12 heads"));
}

TEST_CASE("thumbnails are named by the axes, in an order each by itself", "[ui][grid]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.Show("inspect");
  const auto says_all = [&] {
    for (int layer = 0; layer < 3; ++layer) {
      for (int head = 0; head < 4; ++head) {
        INFO(HeadName({layer, head}));
        CHECK(driver.Says(HeadName({layer, head})));
      }
    }
  };
  for (const char* const name : {"L0", "L1", "L2", "H0", "H1", "H2", "H3"}) {
    CHECK(driver.Says(name));
  }
  CHECK_FALSE(driver.Says("L1H2"));
  CHECK(driver.region(Panel::kMiddle).maps.size() == 12);
  driver.app.Do(SetGridLook{Look(GridOrder::kScore, GridFlags::kAll, "", "")});
  driver.Frames(3);
  says_all();
  CHECK(driver.Says("by score ▾"));
  CHECK(driver.Says("0.55"));
  CHECK(driver.region(Panel::kMiddle).maps.size() == 12);
}

TEST_CASE("arrows follow the order that the grid shows", "[ui][grid]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.Show("inspect");
  driver.app.Do(SetGridLook{Look(GridOrder::kScore, GridFlags::kAll, "", "")});
  driver.app.Do(ShowHead{{2, 3}});
  driver.Frames(3);
  driver.Press(Key::kRight);
  CHECK(driver.state().selection.head == HeadIndex{2, 2});
  driver.Press(Key::kRight);
  CHECK(driver.state().selection.head == HeadIndex{2, 1});
  driver.Press(Key::kLeft);
  CHECK(driver.state().selection.head == HeadIndex{2, 2});
  // Down goes to the head that stands below.
  const auto& maps = driver.region(Panel::kMiddle).maps;
  const Rect first = maps.at(1).target;
  std::size_t below = 2;
  while (below < maps.size() && maps[below].target.x != first.x) {
    ++below;
  }
  REQUIRE(below < maps.size());
  driver.Press(Key::kDown);
  CHECK(driver.state().selection.head == HeadIndex{2 - static_cast<std::int64_t>(below) / 4,
                                                   3 - static_cast<std::int64_t>(below) % 4});
  // A click takes the head that is drawn there.
  const Rect last = driver.region(Panel::kMiddle).maps.back().target;
  driver.Click(last.x + 5.0F, last.y + 5.0F);
  CHECK(driver.state().selection.head == HeadIndex{0, 0});
}

TEST_CASE("filters that leave no head say so, with a way back", "[ui][grid]") {
  FilesDriver driver;
  driver.ShowScores();
  driver.Show("inspect");
  driver.app.Do(SetGridLook{Look(GridOrder::kName, GridFlags::kFlagged, "", "")});
  driver.Frames(3);
  CHECK(driver.SaysWords("No head is left by the filters: flagged."));
  CHECK(driver.Says("Show all heads"));
  driver.Open(Popup::kGridLook);
  CHECK(driver.Says("Order of the heads"));
}

TEST_CASE("heads in an order stand in lines that fill the area, one for each",
          "[ui][geometry][grid]") {
  const std::int64_t count = GENERATE(1, 2, 5, 12, 37, 144, 1600);
  const GridLayout grid = LayOutGrid({.area = {64.0F, 100.0F, 900.0F, 700.0F},
                                      .visible = {64.0F, 100.0F, 900.0F, 700.0F},
                                      .layers = 1,
                                      .heads = count,
                                      .in_lines = true});
  CHECK(grid.heads * grid.layers >= count);
  CHECK(grid.heads * (grid.layers - 1) < count);
  CHECK(grid.cell_width >= 44.0F);
  CHECK(grid.content_width <= grid.cells.width);
  CHECK((count > 144 || grid.content_height <= grid.cells.height));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Rect cell = grid.Cell(grid.PlaceOf(i), 0.0F, 0.0F);
    CHECK(grid.At(cell.x + 1.0F, cell.y + 1.0F, 0.0F, 0.0F) == grid.PlaceOf(i));
    CHECK(grid.At(cell.x + 1.0F, cell.y - 5.0F, 0.0F, 0.0F) == grid.PlaceOf(i));  // its name
  }
}

}  // namespace headscope::test

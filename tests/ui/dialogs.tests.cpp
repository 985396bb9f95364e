// Dialogs by mouse and keys: flags, files, exports, what is said of a text, the splitter.
#include "app/state/files/export_draft.h"
#include "app/window/exports.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

std::unique_ptr<PanelDriver> Shown() {
  auto driver = std::make_unique<PanelDriver>();
  driver->app.ShowSomething(6);
  driver->Frames(3);
  return driver;
}

TEST_CASE("roles are chosen by digits and arrows, and Enter saves from the roles", "[ui][flags]") {
  const auto driver = Shown();
  driver->Type("f");
  driver->Frames(6);
  driver->Press(Key::kEnter);
  CHECK(driver->state().dialogs.popup == Popup::kFlag);
  CHECK(driver->Says("Choose"));
  driver->Type("4");
  CHECK(driver->state().dialogs.flag.role == "induction");
  driver->Press(Key::kDown);
  CHECK(driver->state().dialogs.flag.role == "duplicate");
  driver->Press(Key::kUp);
  driver->Press(Key::kUp);
  CHECK(driver->state().dialogs.flag.role == "coreference");
  CHECK(driver->state().selection.head == HeadIndex{0, 0});  // arrows walked no heads
  driver->Press(Key::kEnter);
  CHECK(driver->state().dialogs.popup == Popup::kNone);
  REQUIRE(FlagsInView(driver->state()).flags.size() == 1);
  CHECK(FlagsInView(driver->state()).flags[0].role == "coreference");
  CHECK(FlagsInView(driver->state()).flags[0].colour == "#CC79A7");
}

TEST_CASE("a click beside the flag editor keeps what was typed", "[ui][flags]") {
  const auto driver = Shown();
  driver->Type("f");
  driver->Frames(6);
  driver->Type("2half a thought");
  driver->Frames(8);
  driver->Click(200.0F, 900.0F);
  CHECK(driver->state().dialogs.popup == Popup::kNone);
  CHECK(FlagsInView(driver->state()).flags.empty());
  driver->Type("f");
  driver->Frames(6);
  CHECK(driver->state().dialogs.flag.note == "half a thought");
  CHECK(driver->state().dialogs.flag.role == "syntactic");
  CHECK(driver->Says("(not saved)"));
}

// The lowest line of words between two heights.
int LinesDrawn(const std::vector<std::string>& labels, const std::string& word) {
  return static_cast<int>(std::count(labels.begin(), labels.end(), word));
}

TEST_CASE("a long note wraps, and stays in its place", "[ui][flags]") {
  const auto driver = Shown();
  std::string note;
  for (int i = 0; i < 3000; ++i) {
    note += "very ";
  }
  driver->app.Do(ClickHead{{0, 0}});
  driver->app.Do(OpenPopup{Popup::kFlag});
  FlagDraft draft = driver->state().dialogs.flag;
  draft.role = "broad";
  draft.note = note;
  driver->app.Do(EditFlag{draft});
  driver->app.Do(SaveFlag);
  driver->Frames(3);
  // Three lines in the header, not a wall: the map stays where it can be seen.
  const int drawn = LinesDrawn(driver->renderer().labels, "very");
  CHECK(drawn > 10);
  CHECK(drawn < 400);  // each is measured as well as drawn; the note has 3,000
  CHECK(driver->Says("…"));
  REQUIRE_FALSE(driver->region(Panel::kDetail).maps.empty());
  CHECK(driver->region(Panel::kDetail).maps.front().target.y < 400.0F);
  driver->app.Do(OpenPopup{Popup::kFlag});
  driver->Frames(4);
  CHECK(LinesDrawn(driver->renderer().labels, "very") < 1500);
}

TEST_CASE("a word without an end is broken to fit", "[ui][text]") {
  const auto driver = Shown();
  driver->app.Do(ReportError{ErrorPlace::kText, std::string(5000, 'w') + " end"});
  driver->Frames(2);
  CHECK(driver->Says("end"));
  for (const std::string& label : driver->renderer().labels) {
    CHECK(label.size() <= 1024);
  }
}

TEST_CASE("the note of the sentence says what the model does not know", "[ui][sentence]") {
  const auto driver = Shown();
  driver->app.Do(EditText{"the sailor saw an island"});
  const RequestId id = driver->state().pending.request;
  auto encoding = std::make_shared<Encoding>(*NumberedWords(5));
  encoding->unknown = {.words = 5, .unknown = 2, .list = {"sailor", "island"}};
  encoding->cut_from = 900;
  driver->app.Event(id, Tokenized{encoding, driver->state().pending.input});
  driver->Frames(2);
  // The note is set in ImGui's own letters: its words are told by the tooltip.
  driver->MoveTo(1250.0F, 28.0F);
  driver->Frames(40);
  CHECK(driver->Says("sailor,"));
  CHECK(driver->Says("900"));
}

TEST_CASE("a text that is too long offers its first tokens by a button", "[ui][cut]") {
  const auto driver = Shown();
  driver->app.Do(EditText{"long"});
  const RequestId id = driver->state().pending.request;
  driver->app.Event(id, CouldRead{255});
  driver->app.Event(id, Failed{{ErrorCode::kInput, "the text has 900 tokens"}});
  driver->Frames(3);
  REQUIRE(driver->Says("Use the first 255 tokens"));
  driver->app.Do(DismissNotice{ErrorPlace::kText});
  driver->Frames(2);
  CHECK_FALSE(driver->Says("Use the first 255 tokens"));
}

TEST_CASE("the splitter is taken hold of on both of its sides", "[ui][splitter]") {
  const float off = GENERATE(-5.0F, -2.0F, 0.0F, 2.0F, 5.0F);
  const float height = GENERATE(200.0F, 500.0F, 940.0F);
  const auto driver = Shown();
  const float edge = driver->layout().detail.x;
  driver->MoveTo(edge + off, height);
  CHECK(ImGui::GetMouseCursor() == ImGuiMouseCursor_ResizeEW);
  driver->Drag(edge + off, height, -60.0F, 0.0F);
  CHECK(driver->state().detail_width == Approx(560.0F + 60.0F).margin(6.0));
  CHECK_FALSE(driver->state().selection.head_locked);  // nothing else took the click
}

FolderList SomeFolder() {
  FolderList list;
  list.folder = "/data";
  for (int i = 0; i < 40; ++i) {
    list.entries.push_back({.name = "folder-" + std::to_string(i), .is_folder = true});
  }
  list.entries.push_back({.name = "story.txt"});
  return list;
}

TEST_CASE("the list of files goes by keys", "[ui][files]") {
  const auto driver = Shown();
  driver->app.Do(OpenPopup{Popup::kModels});
  driver->app.Do(ChooseFile{FileWanted::kOpen});
  driver->app.Do(DesktopHasNoChooser);
  driver->app.Do(ShowFolder{"/data"});
  driver->Frames(2);
  CHECK(driver->Says("reading"));
  driver->app.Do(FolderListed{SomeFolder()});
  driver->Frames(2);
  CHECK(driver->Says("folder-0/"));
  CHECK_FALSE(driver->Says("story.txt"));  // further down
  driver->Press(Key::kDown);
  driver->Press(Key::kDown);
  CHECK(driver->state().dialogs.files.pointed == 1);
  driver->TypeAtOnce("STO");
  driver->Frames(3);
  CHECK(driver->state().dialogs.files.pointed == 40);
  CHECK(driver->Says("story.txt"));  // scrolled into view
  driver->Press(Key::kBackspace);
  CHECK(driver->app.Last<ReadFolder>()->folder == "/");
  driver->app.Do(ShowFolder{"/data"});
  driver->app.Do(FolderListed{SomeFolder()});
  driver->app.Do(PointFile{40});
  driver->Frames(2);
  driver->Press(Key::kEnter);
  REQUIRE(driver->app.Last<OpenPath>() != nullptr);
  CHECK(driver->app.Last<OpenPath>()->typed == "/data/story.txt");
  CHECK(driver->state().dialogs.popup == Popup::kNone);
}

TEST_CASE("a folder of training runs is taken as a whole where the desktop has no chooser",
          "[ui][files][train]") {
  const auto driver = Shown();
  const auto open = [&] {
    driver->app.Do(ChooseFile{FileWanted::kTrainRuns});
    driver->app.Do(DesktopHasNoChooser);
    driver->app.Do(ShowFolder{"/data"});
    driver->app.Do(FolderListed{SomeFolder()});
    driver->Frames(4);
  };
  open();
  const auto& chosen = driver->state().train.curves.chosen;
  // From below: the dialog's first button is the first thing of it that is met.
  for (float y = 800.0F; y > 400.0F && !chosen; y -= 6.0F) {
    driver->Click(640.0F, y);
    if (!chosen && driver->state().dialogs.popup != Popup::kFiles) {
      open();
    }
  }
  REQUIRE(chosen.has_value());
  CHECK(chosen->folder == "/data");
  CHECK(driver->state().dialogs.popup == Popup::kNone);
}

TEST_CASE("a path is typed into the list of files", "[ui][files]") {
  const auto driver = Shown();
  driver->app.Do(ChooseFile{FileWanted::kOpen});
  driver->app.Do(DesktopHasNoChooser);
  driver->app.Do(ShowFolder{"/data"});
  driver->app.Do(FolderListed{SomeFolder()});
  driver->Frames(3);
  CHECK(driver->field("file path").edit.text() == "/data");
  driver->Type("~/sto");
  driver->Frames(6);
  driver->Type("ry");
  CHECK(driver->state().dialogs.files.typed == "~/story");
  CHECK(driver->state().dialogs.files.pointed == -1);  // no letter jumped
  driver->Press(Key::kEnter);
  REQUIRE(driver->app.Last<FindTypedFile>() != nullptr);
  CHECK(driver->app.Last<FindTypedFile>()->typed == "~/story");
  driver->app.Do(TypedFileFound{"~/story", {"/home/me/story", PathKind::kNothing}});
  driver->Frames(2);
  CHECK(driver->Says("no"));
  CHECK(driver->Says("/home/me/story:"));
  driver->app.Do(TypedFileFound{"~/story", {"/home/me/story", PathKind::kFolder}});
  driver->Frames(3);
  CHECK(driver->app.Last<ReadFolder>()->folder == "/home/me/story");
  FolderList list = SomeFolder();
  list.folder = "/home/me/story";
  driver->app.Do(FolderListed{list});
  driver->Frames(2);
  driver->Press(Key::kDown);  // the list has the keys again
  CHECK(driver->state().dialogs.files.pointed == 0);
  driver->TypeAtOnce("/data/a.txt", Key::kEnter);
  driver->Frames(3);
  CHECK(driver->app.Last<FindTypedFile>()->typed == "/data/a.txt");
  driver->app.Do(TypedFileFound{"/data/a.txt", {"/data/a.txt", PathKind::kFile}});
  CHECK(driver->app.Last<OpenPath>()->typed == "/data/a.txt");
  CHECK(driver->state().dialogs.popup == Popup::kNone);
}

TEST_CASE("Esc in the list of files goes back to where it was opened", "[ui][files]") {
  const auto driver = Shown();
  const Popup from = GENERATE(Popup::kModels, Popup::kExport, Popup::kFlagImport, Popup::kNone);
  const Rect anchor{300.0F, 200.0F, 40.0F, 20.0F};
  driver->memory().popup_anchor = anchor;
  driver->app.Do(OpenPopup{from});
  driver->Frames(3);
  driver->app.Do(ChooseFile{FileWanted::kOpen});
  driver->app.Do(DesktopHasNoChooser);
  driver->Frames(3);
  CHECK(driver->state().dialogs.popup == Popup::kFiles);
  driver->Type("a");
  driver->Press(Key::kEscape);
  driver->Frames(4);
  CHECK(driver->state().dialogs.popup == from);
  CHECK(driver->memory().popup_anchor == anchor);  // and stands where it stood
  driver->Press(Key::kEscape);
  driver->Frames(3);
  CHECK(driver->state().dialogs.popup == Popup::kNone);
}

TEST_CASE("a list of files that opens for a chooser that is silent is of the last question",
          "[ui][files]") {
  const auto driver = Shown();
  driver->app.Do(OpenPopup{Popup::kModels});
  driver->app.Do(ChooseFile{FileWanted::kOpen});
  driver->app.Do(OpenPopup{Popup::kExport});
  driver->app.Do(ChooseFile{FileWanted::kExportPlace});
  CHECK(driver->state().dialogs.popup == Popup::kFiles);
  CHECK(driver->state().dialogs.files.wanted == FileWanted::kExportPlace);
  driver->Press(Key::kEscape);
  CHECK(driver->state().dialogs.popup == Popup::kExport);
}

TEST_CASE("hidden files are shown by a key", "[ui][files]") {
  const auto driver = Shown();
  driver->app.Do(ChooseFile{FileWanted::kOpen});
  driver->app.Do(DesktopHasNoChooser);
  driver->Frames(3);
  CHECK_FALSE(driver->app.Last<ReadFolder>()->shows_hidden);
  driver->PressCtrl('H');
  CHECK(driver->app.Last<ReadFolder>()->shows_hidden);
  driver->PressCtrl('H');
  CHECK_FALSE(driver->app.Last<ReadFolder>()->shows_hidden);
}

TEST_CASE("a folder that cannot be read says so", "[ui][files]") {
  const auto driver = Shown();
  driver->app.Do(ChooseFile{FileWanted::kOpen});
  driver->app.Do(DesktopHasNoChooser);
  FolderList list;
  list.folder = driver->state().dialogs.files.folder;
  list.trouble = "/root: cannot be read (Permission denied)";
  driver->app.Do(FolderListed{list});
  driver->Frames(2);
  CHECK(driver->Says("denied)"));
  driver->Press(Key::kEscape);
  CHECK(driver->state().dialogs.popup == Popup::kNone);
}

TEST_CASE("the limits of an export are said while it is typed", "[ui][export]") {
  const auto driver = Shown();
  driver->PressCtrl('E');
  driver->Frames(2);
  ExportDraft draft = driver->state().dialogs.exporting;
  draft.size = "20";
  draft.path = "/exports/notes.txt";
  driver->app.Do(EditExport{draft});
  driver->Frames(2);
  CHECK(driver->Says("16384"));
  CHECK(driver->Says(".png"));
  driver->Press(Key::kEnter);
  CHECK(driver->app.Last<MakeFigure>() == nullptr);
}

TEST_CASE("an export is a picture or a page, and says how large on paper", "[ui][export]") {
  const auto driver = Shown();
  driver->PressCtrl('E');
  driver->Frames(2);
  CHECK(driver->Says("13.5"));
  ExportDraft draft = driver->state().dialogs.exporting;
  draft.path = "/exports/a.pdf";
  driver->app.Do(EditExport{draft});
  driver->Frames(2);
  CHECK(driver->Says("27.1"));
}

TEST_CASE("a head's figure can be a file for each of several heads", "[ui][export]") {
  const auto driver = Shown();
  driver->PressCtrl('E');
  driver->Frames(2);
  ExportDraft draft = driver->state().dialogs.exporting;
  const HeadIndex head = driver->state().selection.head;
  CHECK(FilesOfHeads(driver->state(), draft).empty());
  draft.each = EachHead::kLayer;
  driver->app.Do(EditExport{draft});
  driver->Frames(3);
  draft = driver->state().dialogs.exporting;
  const std::vector<HeadFile> layer = FilesOfHeads(driver->state(), draft);
  CHECK(std::ssize(layer) == ShownHeads(driver->state()));
  for (const HeadFile& file : layer) {
    CHECK(file.head.layer == head.layer);
    CHECK(file.path.filename().string().find("-" + HeadName(file.head) + ".") != std::string::npos);
  }
  CHECK(driver->Says(layer.front().path.filename().string()));
  draft.each = EachHead::kAll;
  CHECK(std::ssize(FilesOfHeads(driver->state(), draft)) ==
        ShownLayers(driver->state()) * ShownHeads(driver->state()));
  draft.each = EachHead::kFlagged;
  const auto flagged = FilesOfHeads(driver->state(), draft);
  const auto& flags = FlagsInView(driver->state());
  CHECK(std::ranges::all_of(
      flagged, [&](const HeadFile& file) { return FindFlag(flags, file.head) != nullptr; }));
  // The clipboard takes the selected head alone.
  const HeadIndex other{head.layer, head.head + 1, head.part};
  driver->app.Do(ShowHead{other});
  REQUIRE(FigureToMake(driver->state())->files.size() == layer.size());
  const auto copied = FigureToMake(driver->state(), true);
  REQUIRE(copied.has_value());
  REQUIRE(copied->files.size() == 1);
  CHECK(copied->files[0].subject.head == other);
  driver->app.Do(ShowHead{head});
  // A name without the head's own gets it at its end.
  draft.each = EachHead::kLayer;
  draft.path = "/exports/slide.svg";
  CHECK(FilesOfHeads(driver->state(), draft).front().path ==
        "/exports/slide-" + HeadName({head.layer, 0, head.part}) + ".svg");
  // Other pictures are of one file.
  draft.kind = FindFigureKind(FigureOf::kAll);
  CHECK(FilesOfHeads(driver->state(), draft).empty());
  CHECK_FALSE(WhyNotEach(driver->state(), draft).empty());
}

TEST_CASE("the export's preview is asked for once for each look, and says how small it is",
          "[ui][export]") {
  const auto driver = Shown();
  driver->PressCtrl('E');
  driver->Frames(2);
  CHECK(driver->Says("drawing"));
  const auto count = [&] {
    return std::ranges::count_if(driver->app.effects, [](const Effect& effect) {
      return std::holds_alternative<DrawPreviewNow>(effect);
    });
  };
  const auto asked = count();
  REQUIRE(asked > 0);
  driver->Frames(5);
  CHECK(count() == asked);
  FigurePreview preview{
      .picture = {.width = 200, .height = 100, .rgba = {}}, .whole = {1600, 800}, .scale = 0.125};
  preview.picture.rgba.assign(200 * 100 * 4, 255);
  const auto answer = [&] {
    driver->app.Do(PreviewAsked{});
    const RequestId id = driver->state().dialogs.exporting.preview.request;
    driver->app.Event(id, PreviewMade{std::make_shared<const FigurePreview>(preview)});
    driver->app.Event(id, Finished{});
    driver->Frames(3);
  };
  answer();
  CHECK(driver->Says("shown"));
  CHECK(driver->Says("13"));
  ExportDraft draft = driver->state().dialogs.exporting;
  draft.theme = Theme::kPrint;
  driver->app.Do(EditExport{draft});
  driver->Frames(2);
  CHECK(count() == asked + 1);
  driver->app.Do(PreviewRefused{"There is nothing to draw."});
  driver->Frames(3);
  CHECK(driver->Says("nothing"));
  CHECK(count() == asked + 1);
  // What cannot be seen is not drawn.
  driver->Press(Key::kEscape);
  driver->app.Do(SetColormap{Colormap::kGreys});
  driver->Frames(3);
  CHECK(count() == asked + 1);
  // It is drawn anew whenever the dialog opens: what it depends on may have changed.
  driver->app.Do(SetColormap{Colormap::kViridis});
  driver->app.Do(SetRange{RangeMode::kFixed, 0.5F});
  driver->PressCtrl('E');
  driver->Frames(3);
  CHECK(count() == asked + 2);
  CHECK(driver->Says("drawing"));
}

TEST_CASE("a path that could not be opened comes selected, so that typing replaces it",
          "[ui][files]") {
  const auto driver = Shown();
  driver->app.Do(EditModelPath{"/wrong/path"});
  driver->app.Do(OpenTyped{"/wrong/path"});
  driver->Type("m");
  driver->Frames(8);
  CHECK(driver->state().dialogs.popup == Popup::kModels);
  driver->Type("~/r");
  driver->Frames(3);
  CHECK(driver->state().dialogs.model_path == "~/r");
}

TEST_CASE("typed words filter the models, arrows and Enter choose one", "[ui][files]") {
  const auto driver = Shown();
  LibraryFound library;
  library.bundled = {{"gpt-h8", "/assets/gpt-h8"}, {"english", "/assets/english"}};
  library.cached = {{"acme/gpt", "/cache/gpt", "llama · 2 layers × 4 heads · 1.2 GB"}};
  driver->app.Do(library);
  driver->Type("m");
  driver->Frames(8);
  REQUIRE(driver->state().dialogs.popup == Popup::kModels);
  CHECK(driver->Says("In the Hugging Face cache"));
  driver->Type("gpt");
  driver->Frames(3);
  CHECK(driver->Says("2 models found"));
  CHECK(driver->Says("acme/gpt"));
  CHECK_FALSE(driver->Says("In the Hugging Face cache"));
  driver->Press(Key::kDown);
  driver->Press(Key::kDown);  // stays on the last
  driver->Press(Key::kEnter);
  driver->Frames(2);
  CHECK(driver->state().dialogs.popup == Popup::kNone);
  REQUIRE(driver->app.Last<Submit>() != nullptr);
  const auto* const open = std::get_if<OpenModelRequest>(&driver->app.Last<Submit>()->request);
  REQUIRE(open != nullptr);
  CHECK(open->folder == "/cache/gpt");
}

TEST_CASE("a name that is in no list is looked for elsewhere", "[ui][files]") {
  const auto driver = Shown();
  driver->Type("m");
  driver->Frames(8);
  driver->Type("acme/other");
  driver->Frames(3);
  CHECK(driver->Says("looks for \"acme/other\" elsewhere"));
  driver->Press(Key::kEnter);
  driver->Frames(2);
  REQUIRE(driver->app.Last<OpenPath>() != nullptr);
  CHECK(driver->app.Last<OpenPath>()->typed == "acme/other");
}

}  // namespace
}  // namespace headscope::test

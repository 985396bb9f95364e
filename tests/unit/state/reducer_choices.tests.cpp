// Choosing files, exports as they are typed, texts that are too long.
#include "app/state/files/export_draft.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("a text over the model's length offers its first tokens", "[state][cut]") {
  StateDriver driver;
  driver.ShowSomething();
  ModelInfo small = *StateDriver::Model("small", 2, 2);
  small.description.positions = 256;
  driver.Do(OpenFolder{"/models/small"});
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(small)});
  driver.Event(driver.state.pending.request, CouldRead{256});
  driver.Event(driver.state.pending.request,
               Failed{{ErrorCode::kInput, "the text has 900 tokens, but the model reads 256"}});
  REQUIRE(NoticeAt(driver.state, ErrorPlace::kText) != nullptr);
  CHECK(NoticeAt(driver.state, ErrorPlace::kText)->first_tokens == 256);

  driver.Do(UseFirstTokens);
  CHECK(NoticeAt(driver.state, ErrorPlace::kText) == nullptr);
  CHECK(driver.state.pending.input.first_tokens == 256);
  CHECK(driver.state.pending.input.text == "a b c");
  driver.Do(EditText{"a b c d"});  // still too long, and still cut
  CHECK(driver.state.pending.input.first_tokens == 256);

  SECTION("another model reads as many as it can") {
    ModelInfo large = *StateDriver::Model("large", 2, 2);
    large.description.positions = 1024;
    driver.Do(OpenFolder{"/models/large"});
    driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(large)});
    CHECK(driver.state.pending.input.first_tokens == 1024);
  }
  SECTION("another text is whole") {
    driver.Do(SetInput{InputText{.text = "other", .pair = {}, .ids = {}}});
    CHECK(driver.state.pending.input.first_tokens == 0);
  }
}

TEST_CASE("as many first tokens are read as were asked for", "[state][cut]") {
  StateDriver driver;
  const InputText input{.text = "a b c", .pair = {}, .ids = {}, .first_tokens = 5};
  driver.Do(Start{.model = "/models/small", .input = input, .session = {}});
  ModelInfo small = *StateDriver::Model("small", 2, 2);
  small.description.positions = 8;
  driver.Do(ModelReady{driver.state.opening.request, std::make_shared<const ModelInfo>(small)});
  CHECK(driver.state.pending.input.first_tokens == 5);
  driver.Open("other", 2, 2);
  CHECK(driver.state.pending.input.first_tokens == 5);
}

TEST_CASE("other refusals of a text offer no cut", "[state][cut]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(EditText{"x"});
  driver.Event(driver.state.pending.request, Failed{{ErrorCode::kInput, "no token"}});
  CHECK(NoticeAt(driver.state, ErrorPlace::kText)->first_tokens == 0);
}

TEST_CASE("the limits of an export are said before anything is drawn", "[state][export]") {
  ExportDraft draft;
  draft.path = "/exports/a.png";
  CHECK(CanExport(draft));
  CHECK(SizeOf(draft) == 1600);
  for (const char* wrong : {"", "159", "16385", "99999999999", "12x", "-5", "1e3", " 800"}) {
    draft.size = wrong;
    CHECK(SizeOf(draft) == 0);
    CHECK(SizeProblem(draft).find("160 to 16384") != std::string::npos);
    CHECK_FALSE(CanExport(draft));
  }
  for (const char* right : {"160", "16384"}) {
    draft.size = right;
    CHECK(SizeProblem(draft).empty());
    CHECK(CanExport(draft));
  }
  CHECK_FALSE(SizeHint(draft).empty());  // 16384 squared is over what a picture can have
  draft.size = "1600";
  CHECK(SizeHint(draft) == "13.5 cm at 300 pixels an inch");
  draft.path = "/exports/a.pdf";
  CHECK(SizeHint(draft) == "a page of 27.1 cm, sharp at any size");
  draft.size = "800";
  for (const char* wrong : {"", "/exports/", "/exports", "notes.txt", "a.jpg", "..", ".png"}) {
    draft.path = wrong;
    CHECK_FALSE(PathProblem(draft).empty());
    CHECK_FALSE(CanExport(draft));
  }
  for (const char* right : {"/exports/A.PNG", "/exports/a.pdf"}) {
    draft.path = right;
    CHECK(PathProblem(draft).empty());
  }
}

TEST_CASE("an export may have a width, and letters in points", "[state][export]") {
  ExportDraft draft;
  draft.path = "/exports/a.pdf";
  CHECK_FALSE(LookOf(draft).is_width);
  for (const FigurePreset& preset : kFigurePresets) {
    draft.size = SizeText(preset);
    draft.points = PointsText(preset);
    CHECK(CanExport(draft));
    CHECK(SizeOf(draft) == WidthOf(preset).pixels);
    CHECK(LookOf(draft).is_width);
    CHECK(LookOf(draft).is_on_paper == (preset.centimetres > 0.0));
    CHECK(LookOf(draft).font_points == preset.points);
  }
  draft.size = "8.9 cm";
  CHECK(SizeHint(draft) == "the width: 1051 pixels, 300 an inch");
  for (const char* wrong : {"0", "-3", "x", "201"}) {
    draft.points = wrong;
    CHECK_FALSE(PointsProblem(draft).empty());
    CHECK_FALSE(CanExport(draft));
  }
}

TEST_CASE("the format of an export and the ending of its file are one choice", "[state][export]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{1, 2}});
  driver.Do(OpenPopup{Popup::kExport});
  const FigureFormat* pdf = FormatOf(std::filesystem::path("a.pdf"));
  REQUIRE(pdf != nullptr);
  ExportDraft draft = driver.state.dialogs.exporting;
  draft.path = PathAs(draft, pdf->ending);
  CHECK(draft.path == "/exports/alpha-L1H2.pdf");
  driver.Do(EditExport{draft});
  // It stays when something else is chosen, and when the dialog opens again.
  draft = driver.state.dialogs.exporting;
  draft.kind = FindFigureKind(FigureOf::kLayer);
  driver.Do(EditExport{draft});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-L1-heads.pdf");
  driver.Do(ClosePopup);
  driver.Do(OpenPopup{Popup::kExport});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-L1H2.pdf");
  draft.path = "/exports/my.figure";
  CHECK(PathAs(draft, pdf->ending) == "/exports/my.figure.pdf");
}

TEST_CASE("an export that cannot be made is not begun", "[state][export]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kExport});
  ExportDraft draft = driver.state.dialogs.exporting;
  draft.size = "7";
  driver.Do(EditExport{draft});
  CHECK(driver.state.dialogs.exporting.size == "7");  // as typed, not as it would be right
  driver.Do(StartExport{});
  CHECK(driver.Count<MakeFigure>() == 0);
}

TEST_CASE("a typed path closes the menu and stays for another try", "[state][files]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kModels});
  driver.Do(EditModelPath{"~/modle"});
  driver.Do(OpenTyped{"~/modle"});
  REQUIRE(driver.Last<OpenPath>() != nullptr);
  CHECK(driver.Last<OpenPath>()->typed == "~/modle");
  CHECK(driver.state.dialogs.popup == Popup::kNone);
  CHECK(driver.state.dialogs.model_path == "~/modle");
}

FolderList Listed(const std::string& folder) {
  FolderList list;
  list.folder = folder;
  list.entries = {{.name = "deep", .is_folder = true},
                  {.name = "gpt", .is_folder = true, .is_model = true},
                  {.name = "a.gguf"}};
  return list;
}

TEST_CASE("without a desktop's chooser the list of files opens", "[state][files]") {
  StateDriver driver;
  LibraryFound library;
  library.home = "/home/me";
  driver.Do(library);
  driver.Do(OpenPopup{Popup::kModels});
  driver.Do(ChooseFile{FileWanted::kOpen});
  REQUIRE(driver.Last<AskDesktop>() != nullptr);
  CHECK(driver.Last<AskDesktop>()->at == "/home/me");
  CHECK(driver.state.dialogs.popup == Popup::kModels);  // nothing happens while it is asked
  driver.Do(DesktopHasNoChooser);
  CHECK(driver.state.dialogs.popup == Popup::kFiles);
  REQUIRE(driver.Last<ReadFolder>()->folder == "/home/me");
  driver.Do(FolderListed{Listed("/home/me")});
  CHECK(driver.state.dialogs.files.pointed == -1);
  driver.Do(PointFile{-5});
  CHECK(driver.state.dialogs.files.pointed == 0);

  SECTION("a folder is gone into, and back again to where it stands") {
    driver.Do(TakeFile);
    CHECK(driver.Last<ReadFolder>()->folder == "/home/me/deep");
    driver.Do(FolderListed{Listed("/elsewhere")});  // late
    CHECK(driver.state.dialogs.files.list.folder == "/home/me");
    driver.Do(FolderListed{Listed("/home/me/deep")});
    driver.Do(ShowFolder{"/home/me"});
    driver.Do(FolderListed{Listed("/home/me")});
    CHECK(driver.state.dialogs.files.pointed == 0);
  }
  SECTION("a model's folder and a file are opened") {
    const std::int64_t index = GENERATE(1, 2);
    driver.Do(PointFile{index});
    driver.Do(TakeFile);
    CHECK(driver.Last<OpenPath>()->typed == (index == 1 ? "/home/me/gpt" : "/home/me/a.gguf"));
    CHECK(driver.state.dialogs.popup == Popup::kNone);
    driver.Do(ChooseFile{FileWanted::kOpen});
    CHECK(driver.Last<AskDesktop>()->at == "/home/me");
  }
  SECTION("closed, it goes back to where it was opened from") {
    driver.Do(Escape);
    CHECK(driver.state.dialogs.popup == Popup::kModels);
  }
}

TEST_CASE("the desktop's chooser gives a path, or nothing", "[state][files]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kExport});
  ExportDraft draft = driver.state.dialogs.exporting;
  draft.size = "800";
  driver.Do(EditExport{draft});
  driver.Do(ChooseFile{FileWanted::kExportPlace});
  CHECK(driver.Last<AskDesktop>()->at == "/exports/alpha-L0H0.png");
  driver.Do(FileChosen{});
  CHECK(driver.state.dialogs.exporting.path == "/exports/alpha-L0H0.png");
  driver.Do(ChooseFile{FileWanted::kExportPlace});
  driver.Do(FileChosen{"/pictures/b.png"});
  CHECK(driver.state.dialogs.popup == Popup::kExport);
  CHECK(driver.state.dialogs.exporting.path == "/pictures/b.png");
  CHECK(driver.state.dialogs.exporting.size == "800");  // the rest of the dialog stays
  CHECK(driver.Count<MakeFigure>() == 0);

  driver.Do(ChooseFile{FileWanted::kExportPlace});
  driver.Do(ChooseFile{FileWanted::kExportPlace});  // it does not answer: our own list
  CHECK(driver.state.dialogs.popup == Popup::kFiles);
  CHECK(driver.Last<ReadFolder>()->folder == "/pictures");
  FolderList list;
  list.folder = "/pictures";
  driver.Do(FolderListed{list});
  driver.Do(TakeFolder);
  CHECK(driver.state.dialogs.exporting.path == "/pictures/b.png");
  CHECK(driver.state.dialogs.popup == Popup::kExport);
}

}  // namespace
}  // namespace headscope::test

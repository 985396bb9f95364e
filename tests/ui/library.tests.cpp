// What paths and names ask for, and what a folder holds.
#include "app/window/library.h"

#include <cstdlib>
#include <filesystem>

#include "app/files/file_list.h"
#include "app/window/export_place.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"

namespace headscope::test {
namespace {

TEST_CASE("a dropped text has no byte order mark and no last line end", "[ui][drop]") {
  const TempFolder folder;
  const Action action = ActionForDrop(folder.Write("a.txt", "\xEF\xBB\xBFthe cat\r\n"));
  REQUIRE(action.As<SetInput>() != nullptr);
  CHECK(action.As<SetInput>()->input.text == "the cat");
}

TEST_CASE("a text that cannot be read says why", "[ui][drop]") {
  const TempFolder folder;
  const Action action = ActionForDrop(folder / "none.txt");
  REQUIRE(action.As<ReportError>() != nullptr);
  CHECK(action.As<ReportError>()->sentence.find("none.txt") != std::string::npos);
}

TEST_CASE("a typed path may begin with a tilde, a name may be a model's", "[ui][files]") {
  const TempFolder folder;
  folder.Write("story.txt", "once");
  const char* before = std::getenv("HOME");
  const std::string home = before != nullptr ? before : "";
  setenv("HOME", folder.path().c_str(), 1);
  const Action text = ActionForDrop(PathOfTyped("  ~/story.txt "));
  const Action model = ActionForDrop(PathOfTyped("gpt-h8"));
  const Action none = ActionForDrop(PathOfTyped("nobody/has-this"));
  setenv("HOME", home.c_str(), 1);
  REQUIRE(text.As<SetInput>() != nullptr);
  CHECK(text.As<SetInput>()->input.text == "once");
  REQUIRE(model.As<OpenFolder>() != nullptr);
  CHECK(std::filesystem::is_regular_file(model.As<OpenFolder>()->folder / "config.json"));
  REQUIRE(none.As<OpenFolder>() != nullptr);
  CHECK(none.As<OpenFolder>()->folder == "nobody/has-this");
}

TEST_CASE("a folder's list: folders first, what can be opened, nothing hidden", "[ui][files]") {
  const TempFolder folder;
  for (const char* name : {"b.gguf", "A.txt", ".hidden.txt", "c.exe", "rows.npy", "p.png"}) {
    folder.Write(name, "x");
  }
  std::filesystem::create_directories(folder / "zoo");
  std::filesystem::create_directories(folder / "model");
  std::filesystem::create_directories(folder / ".cache");
  folder.Write("model/config.json", "{}");
  const FolderList list = ListFolder(folder.path(), FileWanted::kOpen);
  CHECK(list.trouble.empty());
  CHECK(list.entries ==
        std::vector<FileEntry>{{.name = "model", .is_folder = true, .is_model = true},
                               {.name = "zoo", .is_folder = true},
                               {.name = "A.txt"},
                               {.name = "b.gguf"},
                               {.name = "rows.npy"}});
  CHECK(ListFolder(folder.path(), FileWanted::kExportPlace).entries.back().name == "p.png");
  CHECK(ListFolder(folder.path(), FileWanted::kKeyRows).entries.back().name == "rows.npy");
  CHECK_FALSE(ListFolder(folder / "none", FileWanted::kOpen).trouble.empty());
  CHECK_FALSE(ListFolder(folder / "A.txt", FileWanted::kOpen).trouble.empty());
}

TEST_CASE("a typed path is a folder, a file, a new one or nothing", "[ui][files]") {
  const TempFolder folder;
  folder.Write("a.txt", "x");
  std::filesystem::create_directories(folder / "zoo");
  std::filesystem::create_directories(folder / "model");
  folder.Write("model/config.json", "{}");
  const std::string at = folder.path().string();
  const auto kind = [&](const std::string& typed) { return FindPath(typed, folder.path()).kind; };
  CHECK(kind(at + "/zoo") == PathKind::kFolder);
  CHECK(kind(at + "/zoo/") == PathKind::kFolder);
  CHECK(FindPath(at + "/zoo/", "/").path == folder / "zoo");
  CHECK(kind("model") == PathKind::kModelFolder);
  CHECK(kind("  a.txt ") == PathKind::kFile);
  CHECK(FindPath("zoo/../a.txt", folder.path()).path == folder / "a.txt");
  CHECK(kind("new.txt") == PathKind::kNew);
  CHECK(kind("none/new.txt") == PathKind::kNothing);
  CHECK(FindPath("/", folder.path()).path == "/");
  CHECK(FindPath("~", "/").kind != PathKind::kNothing);
  folder.Write(".hidden.txt", "x");
  CHECK(ListFolder(folder.path(), FileWanted::kOpen, true).entries.size() == 4);
  CHECK(ListFolder(folder.path(), FileWanted::kOpen).entries.size() == 3);
}

TEST_CASE("a large folder is bounded, and says what it leaves out", "[ui][files]") {
  const TempFolder folder;
  for (int i = 0; i < 2100; ++i) {
    folder.Write(std::to_string(i) + ".txt", "");
  }
  const FolderList list = ListFolder(folder.path(), FileWanted::kOpen);
  CHECK(list.entries.size() == 2000);
  CHECK(list.left_out == 100);
}

TEST_CASE("only pictures of ours are offered for overwriting", "[ui][export]") {
  const TempFolder folder;
  CHECK(*LookAtExportPlace(folder / "new.png") == ExportPlace::kFree);
  const auto png = folder.Write("old.png", "\x89PNG\r\n\x1a\nrest");
  CHECK(*LookAtExportPlace(png) == ExportPlace::kTakenByPicture);
  const auto pdf = folder.Write("old.pdf", "%PDF-1.5 rest");
  CHECK(*LookAtExportPlace(pdf) == ExportPlace::kTakenByPicture);
  CHECK_FALSE(LookAtExportPlace(folder.Write("png.pdf", "\x89PNG\r\n\x1a\nrest")));
  CHECK_FALSE(LookAtExportPlace(folder.path()));
  CHECK_FALSE(LookAtExportPlace(folder.Write("notes.txt", "words")));
  CHECK_FALSE(LookAtExportPlace(folder.Write("words.png", "words")));  // whatever it is called
  CHECK_FALSE(LookAtExportPlace("/dev/null"));
  const auto numbers = folder.Write("c.json", "{\n  \"a\": \"probe\",\n");
  const FigureKind* const comparison = FindFigureKind(FigureOf::kComparison);
  CHECK(*LookAtExportPlace(numbers, comparison) == ExportPlace::kTakenByPicture);
  CHECK_FALSE(LookAtExportPlace(numbers, FindFigureKind(FigureOf::kHead)));
  CHECK_FALSE(
      LookAtExportPlace(folder.Write("config.json", "{\"model_type\": \"gpt2\"}"), comparison));
  // Weights of a model begin alike.
  CHECK_FALSE(LookAtExportPlace(
      folder.Write("model.safetensors", std::string(8, '\1') + "{\"__metadata__\":{\"format\":"),
      comparison));

  FigureJob job{{{nullptr, {}, png}}};
  std::filesystem::path& path = job.files[0].path;
  CHECK(LookBeforeFigure(job, false).As<OverwriteNeeded>()->taken.empty());
  CHECK(LookBeforeFigure(job, true).As<FigureAsked>()->job.files[0].path == png);
  path = folder / "new.png";
  CHECK(LookBeforeFigure(job, false).As<FigureAsked>()->job.files[0].path == path);
  path = folder.path();
  CHECK(LookBeforeFigure(job, true).As<ReportError>()->place == ErrorPlace::kExport);
  // Several files: one sentence on those that are there, before anything is written.
  job.files = {
      {nullptr, {}, folder / "new-1.png"}, {nullptr, {}, png}, {nullptr, {}, folder / "new-3.png"}};
  CHECK(LookBeforeFigure(job, false).As<OverwriteNeeded>()->taken ==
        png.filename().string() + " is there already.");
  CHECK(LookBeforeFigure(job, true).As<FigureAsked>()->job.files.size() == 3);
  job.files[2].path = png;
  CHECK(LookBeforeFigure(job, false).As<OverwriteNeeded>()->taken ==
        "2 of the 3 files are there already, " + png.filename().string() + " the first of them.");
  const Action copied = CopyByFile({{{nullptr, {}, "one.svg"}}});
  REQUIRE(copied.As<CopyAsked>()->job.files.size() == 1);
  CHECK(copied.As<CopyAsked>()->job.files[0].path.extension() == ".png");
}

}  // namespace
}  // namespace headscope::test

#include "app/files/file_list.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

#include "core/base/home_path.h"
#include "core/figure/figure_format.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostLookedAt = 50'000;
constexpr std::size_t kMostReturned = 2'000;
std::vector<std::string_view> PictureEndings() {
  std::vector<std::string_view> endings;
  for (const FigureFormat& format : AllFigureFormats()) {
    endings.push_back(format.ending);
  }
  return endings;
}

}  // namespace

std::string Lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return text;
}

const FileKind& KindOf(FileWanted wanted) {
  // In the order of what is wanted: a kind goes as far as the next one.
  static const auto kKinds = std::to_array<FileKind>({
      {.first = FileWanted::kOpen,
       .title = "Open a model, attention, a text or a session",
       .question = "Open a model's folder, a .gguf, attention, a text or a session",
       .name = "Models, attention, texts, sessions",
       .endings = {".safetensors",
                   ".gguf",
                   ".npz",
                   ".npy",
                   ".json",
                   ".csv",
                   ".txt",
                   ".text",
                   ".md",
                   ".conllu",
                   ".tsv",
                   ".ids",
                   ".dev"}},
      {.first = FileWanted::kQueryRows,
       .title = "Choose rows of embeddings",
       .question = "Rows of embeddings, an .npy file",
       .name = "Embeddings (.npy)",
       .endings = {".npy"}},
      {.first = FileWanted::kOther,
       .title = "Compare with a model or attention",
       .question = "Compare with a model's folder, a .gguf or attention",
       .name = "Models, attention",
       .endings = {".safetensors", ".gguf", ".npz", ".npy"}},
      {.first = FileWanted::kExportPlace,
       .title = "Save the picture as",
       .question = "Where does the picture go?",
       .name = "Pictures (.png, .pdf)",
       .endings = PictureEndings()},
      {.first = FileWanted::kFlags,
       .title = "Choose a file of flags",
       .question = "Flags: a .json or .csv file",
       .name = "Flags (.json, .csv)",
       .endings = {".json", ".csv"}},
      {.first = FileWanted::kFlagsPlace,
       .title = "Save the flags as",
       .question = "Where do the flags go?",
       .name = "Flags (.json, .csv)",
       .endings = {".json", ".csv"}},
      {.first = FileWanted::kScanPlace,
       .title = "Save the scan as",
       .question = "Where does the text go? The tables go beside it.",
       .name = "Texts (.txt)",
       .endings = {".txt"}},
      {.first = FileWanted::kProbe,
       .title = "Choose texts to score heads on",
       .question = "Texts to score heads on: .txt, .ids, .conllu, .tsv, .dev",
       .name = "Probes (.txt, .ids, .conllu, .tsv, .dev)",
       .endings = {".txt", ".ids", ".conllu", ".tsv", ".dev"}},
      {.first = FileWanted::kPairs,
       .title = "Choose pairs of texts",
       .question = "Pairs, a line each: clean, corrupted, right, wrong, between tabs",
       .name = "Pairs of texts (.tsv)",
       .endings = {".tsv"}},
      {.first = FileWanted::kTrainRuns,
       .title = "Choose a folder of training runs",
       .question = "A folder of training runs, or of one",
       .name = "Training runs (training.json)",
       .endings = {".json"}},
      {.first = FileWanted::kSessionPlace,
       .title = "Save the session as",
       .question = "Where does the session go?",
       .name = "Sessions (.json)",
       .endings = {".json"}},
  });
  return *std::prev(std::ranges::upper_bound(kKinds, wanted, {}, &FileKind::first));
}

bool TakesFolder(FileWanted wanted) {
  return wanted == FileWanted::kTrainRuns;
}

bool OpensModels(FileWanted wanted) {
  return wanted == FileWanted::kOpen || wanted == FileWanted::kOpenFolder ||
         wanted == FileWanted::kOther;
}

bool IsForSaving(FileWanted wanted) {
  return wanted == FileWanted::kExportPlace || wanted == FileWanted::kFlagsPlace ||
         wanted == FileWanted::kScanPlace || wanted == FileWanted::kSessionPlace;
}

bool IsWanted(const std::string& name, FileWanted wanted) {
  const std::string ending = Lowered(fs::path(name).extension().string());
  const auto& endings = KindOf(wanted).endings;
  return std::ranges::find(endings, std::string_view(ending)) != endings.end();
}

FoundPath FindPath(const std::string& typed, const fs::path& folder) {
  const std::size_t first = std::min(typed.find_first_not_of(" \t"), typed.size());
  const std::string text = typed.substr(first, typed.find_last_not_of(" \t") + 1 - first);
  fs::path path = (folder / ExpandHome(text)).lexically_normal();
  if (!path.has_filename() && path.has_relative_path()) {
    path = path.parent_path();  // "/data/" becomes "/data"
  }
  std::error_code ignored;
  FoundPath found{.path = path};
  if (fs::is_directory(path, ignored)) {
    found.kind = fs::is_regular_file(path / "config.json", ignored) ? PathKind::kModelFolder
                                                                    : PathKind::kFolder;
  } else if (fs::exists(path, ignored)) {
    found.kind = PathKind::kFile;
  } else if (fs::is_directory(path.parent_path(), ignored)) {
    found.kind = PathKind::kNew;
  }
  return found;
}

FolderList ListFolder(const fs::path& folder, FileWanted wanted, bool shows_hidden) {
  FolderList list;
  list.folder = folder;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  std::int64_t looked_at = 0;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (++looked_at > kMostLookedAt) {
      list.is_incomplete = true;
      break;
    }
    FileEntry found{.name = entry->path().filename().string()};
    if (found.name.starts_with('.') && !shows_hidden) {
      continue;
    }
    std::error_code ignored;
    found.is_folder = entry->is_directory(ignored);
    found.is_model = found.is_folder && OpensModels(wanted) &&
                     fs::is_regular_file(entry->path() / "config.json", ignored);
    const bool is_file = !found.is_folder && entry->is_regular_file(ignored);
    if (found.is_folder || (is_file && IsWanted(found.name, wanted))) {
      list.entries.push_back(std::move(found));
    }
  }
  if (error) {
    list.trouble = fmt::format("{}: cannot be read ({})", folder.string(), error.message());
    list.entries.clear();
    return list;
  }
  std::ranges::sort(list.entries, [](const FileEntry& a, const FileEntry& b) {
    return std::tuple(!a.is_folder, Lowered(a.name), a.name) <
           std::tuple(!b.is_folder, Lowered(b.name), b.name);
  });
  if (list.entries.size() > kMostReturned) {
    list.left_out = static_cast<std::int64_t>(list.entries.size() - kMostReturned);
    list.entries.resize(kMostReturned);
  }
  return list;
}

}  // namespace headscope

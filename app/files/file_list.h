// Lists what the user can choose from in a folder.
//
// Errors   FolderList::trouble: a sentence if the folder cannot be read.
// Cost     a system call or two for each entry; at most 50,000 are examined and 2,000 returned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// What is being chosen; the order is that of the kinds of files (KindOf).
enum class FileWanted {
  kOpen,        // a model, attention, a text, texts to score heads on, flags or a session
  kOpenFolder,  // a model's folder; our own list shows both
  kQueryRows,   // .npy files, also for the next two
  kKeyRows,
  kValueRows,
  kOther,        // a model or attention to compare with
  kExportPlace,  // where to save a picture
  kFlags,        // a file of flags to import
  kFirstFlags,   // to compare
  kSecondFlags,
  kFlagsPlace,    // where to save flags
  kScanPlace,     // where to save a scan's table
  kProbe,         // texts to score heads on
  kPairs,         // pairs of texts to patch between
  kTrainRuns,     // a folder of training runs
  kSessionPlace,  // where to save a session
};

struct FileEntry {
  std::string name;
  bool is_folder = false;
  bool is_model = false;  // a folder with a config.json in it
  friend bool operator==(const FileEntry&, const FileEntry&) = default;
};

struct FolderList {
  std::filesystem::path folder;
  std::vector<FileEntry> entries;  // folders first, each by name
  std::string trouble;
  std::int64_t left_out = 0;   // entries beyond those shown
  bool is_incomplete = false;  // the folder has more entries than are examined
};

// The same with small letters where it has A to Z.
[[nodiscard]] std::string Lowered(std::string text);

// Hidden names (beginning with a dot) are left out unless `shows_hidden`.
[[nodiscard]] FolderList ListFolder(const std::filesystem::path& folder,
                                    FileWanted wanted,
                                    bool shows_hidden = false);

enum class PathKind {
  kNothing,  // not even its parent folder exists
  kNew,      // its parent folder exists
  kFolder,
  kModelFolder,
  kFile,
};
struct FoundPath {
  std::filesystem::path path;
  PathKind kind = PathKind::kNothing;
};
// Resolves a path as the user types it: "~" is the home folder, and a relative path starts at
// `folder`.
[[nodiscard]] FoundPath FindPath(const std::string& typed, const std::filesystem::path& folder);

// How files are asked for, and which ones can be chosen.
struct FileKind {
  FileWanted first;      // the first that is asked for so
  const char* title;     // of the desktop's chooser
  const char* question;  // over our own list
  const char* name;      // of such files
  std::vector<std::string_view> endings;
};
[[nodiscard]] const FileKind& KindOf(FileWanted wanted);

// True if models are among the choices, so that a model's folder can be chosen.
[[nodiscard]] bool OpensModels(FileWanted wanted);

// True if a folder is what is wanted, whatever lies in it.
[[nodiscard]] bool TakesFolder(FileWanted wanted);

// True if a place to save is wanted, not an existing file.
[[nodiscard]] bool IsForSaving(FileWanted wanted);

// True if a file of that name can be chosen.
[[nodiscard]] bool IsWanted(const std::string& name, FileWanted wanted);

}  // namespace headscope

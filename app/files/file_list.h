// What stands in a folder that a person can choose from.
//
// Errors   FolderList::trouble: a sentence where the folder cannot be read.
// Threads  any.
// Cost     a system call or two for each entry; at most 50,000 are looked at, 2,000 returned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// What is being chosen.
enum class FileWanted {
  kOpen,        // a model, attention, a text, texts to score heads on, flags or a session
  kOpenFolder,  // a model's; our own list shows both
  kQueryRows,   // .npy files, here and in the two that follow
  kKeyRows,
  kValueRows,
  kOther,        // a model or attention to compare with
  kExportPlace,  // where a picture goes
  kFlags,        // a file of flags, to import
  kFirstFlags,   // to compare
  kSecondFlags,
  kFlagsPlace,  // where flags go
  kScanPlace,   // where a scan's table goes
  kProbe,       // texts to score heads on
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
  std::int64_t left_out = 0;   // more than are shown
  bool is_incomplete = false;  // the folder has more than are looked at
};

// Names that begin with a dot are left out unless `shows_hidden`.
[[nodiscard]] FolderList ListFolder(const std::filesystem::path& folder,
                                    FileWanted wanted,
                                    bool shows_hidden = false);

enum class PathKind {
  kNothing,  // nor the folder that it would be in
  kNew,      // its folder is there
  kFolder,
  kModelFolder,
  kFile,
};
struct FoundPath {
  std::filesystem::path path;
  PathKind kind = PathKind::kNothing;
};
// A path as a person types it: "~" is the home folder, and one that is not whole begins in `folder`.
[[nodiscard]] FoundPath FindPath(const std::string& typed, const std::filesystem::path& folder);

// The endings of files that can be chosen, and what such files are called.
[[nodiscard]] std::span<const std::string_view> EndingsOf(FileWanted wanted);
[[nodiscard]] const char* NameOfWanted(FileWanted wanted);

// Whether a model is among what can be chosen, so that its folder is.
[[nodiscard]] bool OpensModels(FileWanted wanted);

// Whether a place is wanted, not a file that is there.
[[nodiscard]] bool IsForSaving(FileWanted wanted);

// Whether a file of that name can be chosen.
[[nodiscard]] bool IsWanted(const std::string& name, FileWanted wanted);

}  // namespace headscope

// What the state holds of files of flags, of labelling blind, and of how far two people agree. What
// follows from it: app/state/flags/files.h.
//
// Threads  UI thread; files that were read are shared and immutable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/heads/flags/file.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct ModelInfo;

// A file to be written: flags, or a scan.
struct SaveDraft {
  std::string path;
  bool ask_overwrite = false;  // the file is there
  bool is_writing = false;
  std::string done = {};      // the path last written
  std::string fault = {};     // why it was not, in a sentence
  std::string taken = {};     // in place of the sentence that the file is there
  std::string progress = {};  // in place of "writing …"
};

// A file that was read to be imported; or what another window says of heads that this one flagged, too.
struct FlagImportDraft {
  std::filesystem::path path;
  std::shared_ptr<const ModelInfo> model;  // into whose flags
  std::shared_ptr<const FlagFile> file;    // null: being read, or `fault`
  std::string fault;
  std::map<HeadIndex, bool> takes_theirs;  // of conflicts that are decided
  bool is_other_window = false;
};

// One of two that are compared.
struct AgreementSide {
  std::string path;                      // empty: the flags on screen
  std::shared_ptr<const FlagFile> file;  // null: being read, or `fault`
  std::string fault;
};

// A session among those that were saved.
struct SessionEntry {
  std::filesystem::path path;
  std::string model = {};
  std::string text = {};  // its beginning
  std::string day = {};   // when it was last written: "2026-11-23 14:05"
  std::size_t flags = 0;
  bool has_view = false;   // it opens as it was; else model, text and flags alone
  std::string fault = {};  // why it cannot be opened, in a sentence
  friend bool operator==(const SessionEntry&, const SessionEntry&) = default;
};
struct SessionList {
  bool is_read = false;
  std::vector<SessionEntry> entries = {};  // the newest first
  std::int64_t left_out = 0;               // older ones
};

struct FlagFilesState {
  std::string author;  // of flags that are set now
  std::string day;     // "2026-11-23"; empty: not told
  // Scores and suggestions are hidden until flags are saved.
  bool is_blind = false;
  SaveDraft exporting;
  FlagImportDraft importing;
  std::array<AgreementSide, 2> agreement;
  SaveDraft saving_scan;
  SaveDraft saving_session;
  SessionList sessions;
};

// What a file of flags is read for.
enum class FlagFileUse { kImport, kFirst, kSecond };

}  // namespace headscope

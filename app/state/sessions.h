// Flags in hand with undo and redo, and the session file they are kept in.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/head_name.h"
#include "core/io/session_file.h"
#include "core/session/requests.h"

namespace headscope {

struct FlagSheet {
  std::vector<HeadFlag> flags;  // sorted by part, layer, head
  std::vector<std::vector<HeadFlag>> undo;
  std::vector<std::vector<HeadFlag>> redo;
};

struct SessionPlace {
  std::filesystem::path path;  // empty: not known yet
  bool chosen = false;         // named by a person, not the model's own
  bool loading = false;
  bool writable = false;                // false after a refusal: such a file is never overwritten
  bool saved = false;                   // the file holds what is on screen
  std::string unknown_json;             // keys that this version does not know, kept
  std::optional<SessionFile> arriving;  // loaded, waiting for its model to open
};

// What the command line asked for, while the session it named is being read.
struct DeferredStart {
  std::filesystem::path model;
  std::optional<InputText> input;
};

[[nodiscard]] const HeadFlag* FindFlag(const FlagSheet& sheet, HeadIndex head);
// Sets, changes or (with an empty role) removes the flag of a head; one step of undo. Returns
// whether anything changed.
bool SetFlag(FlagSheet* sheet, const HeadFlag& flag);
bool RemoveFlag(FlagSheet* sheet, HeadIndex head);
bool Undo(FlagSheet* sheet);
bool Redo(FlagSheet* sheet);

// The file name of a model's own session: its name and the start of its fingerprint, safe on any
// file system.
[[nodiscard]] std::string SessionFileName(const std::string& model_name,
                                          const std::string& fingerprint);

}  // namespace headscope

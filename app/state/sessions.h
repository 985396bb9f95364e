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

// A change of one head's flag; none: the head has no flag.
struct FlagChange {
  HeadIndex head;
  std::optional<HeadFlag> before;
  std::optional<HeadFlag> after;
};

struct FlagSheet {
  std::vector<HeadFlag> flags;  // sorted by part, layer, head; all of heads that the model has
  std::vector<FlagChange> undo;
  std::vector<FlagChange> redo;
};

struct SessionPlace {
  std::filesystem::path path;       // empty: not known yet
  bool chosen = false;              // named by a person, not the model's own
  bool writable = false;            // false after a refusal: such a file is never overwritten
  bool saved = false;               // the file holds what is on screen
  bool storing = false;             // a StoreSession is under way
  bool store_again = false;         // more has changed since it was sent
  SessionFile known;                // as last read or written: what differs is this window's doing
  std::vector<HeadFlag> elsewhere;  // flags of heads that the model does not have, kept
};

// A session that a person named, and that waits for its model to open.
struct ArrivingSession {
  std::filesystem::path path;
  bool writable = true;
  std::optional<SessionFile> session;  // none: begun there
};

// What the command line asked for, while the session it named is being read.
struct DeferredStart {
  std::filesystem::path model;
  std::optional<InputText> input;
};

[[nodiscard]] HeadIndex HeadOf(const HeadFlag& flag);
[[nodiscard]] const HeadFlag* FindFlag(const FlagSheet& sheet, HeadIndex head);
// Sets, changes or (with an empty role) removes the flag of a head; one step of undo. Returns
// whether anything changed.
bool SetFlag(FlagSheet* sheet, const HeadFlag& flag);
bool RemoveFlag(FlagSheet* sheet, HeadIndex head);
bool Undo(FlagSheet* sheet);
bool Redo(FlagSheet* sheet);

// "L1H2", "L1H2 and L3H0", "L1H2, L3H0 and 7 more".
[[nodiscard]] std::string NamesOf(const std::vector<HeadIndex>& heads);

// The file name of a model's own session: its name and the start of its fingerprint, safe on any
// file system.
[[nodiscard]] std::string SessionFileName(const std::string& model_name,
                                          const std::string& fingerprint);

}  // namespace headscope

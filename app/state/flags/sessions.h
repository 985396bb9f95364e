// The session files that flags are kept in, as far as the window has to know of them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/flags/session_file.h"
#include "core/heads/measure/head_name.h"
#include "core/worker/requests.h"

namespace headscope {

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
  bool keeps_screen = false;           // a person named another one
};

// What the command line asked for, while the session it named is being read.
struct DeferredStart {
  std::filesystem::path model;
  std::optional<InputText> input;
  bool names_screen = false;
};

}  // namespace headscope

// Sessions: what a person does with them, and what comes back from the disk. Part of app/state/actions.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/state/action.h"

namespace headscope {

struct OpenSession {
  std::filesystem::path path;
  void Do(Reducer* reducer) const;
};
struct SessionLoaded {
  std::filesystem::path path;
  Result<std::optional<SessionFile>> session;  // nullopt: no such file yet
  void Do(Reducer* reducer) const;
};
struct SessionStored {
  std::filesystem::path path;
  SessionFile sent;
  Result<SessionFile> written;            // with what other windows changed
  std::vector<HeadIndex> conflicts = {};  // another window says something else of them than `sent`
  void Do(Reducer* reducer) const;
};
// Of the model and text in view, and how they are shown, into a file; flags that are set from then on
// go there, too.
struct EditSessionSave {
  std::string path;
  void Do(Reducer* reducer) const;
};
struct SaveSessionAs {
  bool overwrite = false;
  void Do(Reducer* reducer) const;
};
struct SessionSaved {
  std::filesystem::path path;
  SessionFile session;
  Result<bool> written;  // false: the file is there, and a person is to be asked
  void Do(Reducer* reducer) const;
};
struct SessionsListed {
  SessionList list;
  void Do(Reducer* reducer) const;
};
void CloseWindow(Reducer* reducer);

}  // namespace headscope

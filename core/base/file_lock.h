// Lets one writer at a time have a file, among programs as well as among threads of one program.
// The kernel releases the lock when its holder ends, however it ends.
//
// Errors   kIo: the folder cannot be written, or another program holds the file for too long.
// Threads  any but the drawing one (thread_role.h); the lock belongs to the object and its copies,
//          not to the thread.
// Cost     a small lock file next to the locked file, removed on release; a killed program leaves
//          it behind, and the next holder takes it over. On file systems without locks (some
//          network ones), nothing is locked.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/error.h"

namespace headscope {

class FileLock {
 public:
  // `file` need not exist; its folder must.
  [[nodiscard]] static Result<FileLock> Take(const std::filesystem::path& file,
                                             std::chrono::milliseconds patience);
  // The same, but empty where another holder has the file for longer than that.
  [[nodiscard]] static Result<std::optional<FileLock>> TryTake(
      const std::filesystem::path& file,
      std::chrono::milliseconds patience = std::chrono::milliseconds(0));

 private:
  struct Held;
  std::shared_ptr<const Held> held_;  // gives the lock back with its last owner
};

}  // namespace headscope

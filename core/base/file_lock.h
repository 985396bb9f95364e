// One writer of a file at a time, among programs as among threads of one. The kernel gives the lock
// back when its holder ends, however it ends.
//
// Errors   kIo: the folder cannot be written, or another program holds the file for too long.
// Threads  any but the one that draws (thread_role.h); the lock belongs to the object, not to the
//          thread.
// Cost     a small file beside the one that is locked, gone when it is given back; a kill leaves it
//          behind, and the next holder takes it over. Where a file system knows no locks (some
//          network ones), nothing is held.
#pragma once

#include <chrono>
#include <filesystem>

#include "core/base/error.h"

namespace headscope {

class FileLock {
 public:
  // `file` need not be there; its folder must.
  [[nodiscard]] static Result<FileLock> Take(const std::filesystem::path& file,
                                             std::chrono::milliseconds patience);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  FileLock(std::filesystem::path beside, int file) : beside_(std::move(beside)), file_(file) {}
  void GiveBack();

  std::filesystem::path beside_;
  int file_ = -1;
};

}  // namespace headscope

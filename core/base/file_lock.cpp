#include "core/base/file_lock.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "core/base/digest.h"
#include "core/base/thread_role.h"

namespace headscope {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{1};

// The lock file stands next to the file that a link names, so that all paths to one file share one
// lock. Its name holds a digest, so that it fits whatever the file is called.
std::filesystem::path LockBeside(const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path target = std::filesystem::is_symlink(file, ignored)
                                           ? std::filesystem::weakly_canonical(file, ignored)
                                           : file;
  return target.parent_path() /
         fmt::format(".headscope_lock-{}", DigestOf(target.filename().string()));
}

tl::unexpected<Error> CannotLock(const std::filesystem::path& file, int reason) {
  return Fail(ErrorCode::kIo,
              fmt::format("{}: cannot be written ({})", file.string(), std::strerror(reason)));
}

// Whoever releases the lock deletes its file: a thread that waited on that file holds nothing.
bool IsStillThere(int file, const std::filesystem::path& path) {
  struct stat open_file = {};
  struct stat named = {};
  return fstat(file, &open_file) == 0 && stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

}  // namespace

struct FileLock::Held {
  Held(std::filesystem::path path, int descriptor) : beside(std::move(path)), file(descriptor) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    unlink(beside.c_str());  // still held: whoever waits sees that the file is gone
    close(file);
  }

  std::filesystem::path beside;
  int file;
};

Result<FileLock> FileLock::Take(const std::filesystem::path& file,
                                std::chrono::milliseconds patience) {
  HEADSCOPE_TRY(auto lock, TryTake(file, patience));
  if (!lock) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: another program is writing it and does not end; close that "
                            "program, or save under another name",
                            file.string()));
  }
  return std::move(*lock);
}

Result<std::optional<FileLock>> FileLock::TryTake(const std::filesystem::path& file,
                                                  std::chrono::milliseconds patience) {
  CheckNotDrawing("waiting for a lock");
  const std::filesystem::path beside = LockBeside(file);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    const int held = open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (held < 0) {
      return CannotLock(file, errno);
    }
    const bool is_locked = flock(held, LOCK_EX | LOCK_NB) == 0;
    const bool is_taken = !is_locked && errno == EWOULDBLOCK;
    if (!is_taken && (!is_locked || IsStillThere(held, beside))) {
      FileLock lock;
      lock.held_ = std::make_shared<const Held>(beside, held);
      return std::optional(std::move(lock));
    }
    close(held);
    if (std::chrono::steady_clock::now() > deadline) {
      return std::optional<FileLock>();
    }
    if (is_taken) {
      std::this_thread::sleep_for(kBetweenTries);
    }
  }
}

}  // namespace headscope

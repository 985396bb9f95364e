#include "core/base/temporary_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr int kAttempts = 100;

// The names that a signal handler removes: in memory that it may read at any moment.
struct Doomed {
  std::atomic<bool> taken = false;
  std::atomic<bool> is_there = false;
  std::array<char, PATH_MAX> name = {};
};
std::array<Doomed, 8> g_doomed;

constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU};

void RemoveAndEnd(int number) {
  for (Doomed& doomed : g_doomed) {
    if (doomed.is_there) {
      unlink(doomed.name.data());
    }
  }
  // The default action follows, so that the parent process sees which signal it was.
  static_cast<void>(std::signal(number, SIG_DFL));
  static_cast<void>(raise(number));
}

// Signals that are ignored (nohup) or handled by somebody else are left alone.
void AnswerSignals() {
  for (const int number : kEndings) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      struct sigaction own = {};
      own.sa_handler = RemoveAndEnd;
      sigaction(number, &own, nullptr);
    }
  }
}

void Doom(const std::string& name) {
  AnswerSignals();
  for (Doomed& doomed : g_doomed) {
    if (name.size() < doomed.name.size() && !doomed.taken.exchange(true)) {
      *std::copy(name.begin(), name.end(), doomed.name.begin()) = '\0';
      doomed.is_there = true;
      return;
    }
  }
}

void Spare(const std::string& name) {
  for (Doomed& doomed : g_doomed) {
    if (doomed.is_there && name == doomed.name.data()) {
      doomed.is_there = false;
      doomed.taken = false;
      return;
    }
  }
}

std::filesystem::path FolderOf(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
}

// The name is short, so that it fits wherever the target's name does.
std::filesystem::path RandomName(const std::filesystem::path& target) {
  std::random_device random;
  return target.parent_path() / fmt::format(".headscope-{:08x}", random());
}

std::string LinkTo(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

// Returns -1 where the file system makes no such files, or could not name one afterwards.
int OpenNameless(const std::filesystem::path& target) {
  const int file = open(FolderOf(target).c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
  if (file >= 0 && access(LinkTo(file).c_str(), F_OK) != 0) {
    close(file);
    return -1;
  }
  return file;
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path target,
                             std::filesystem::path name,
                             int descriptor)
    : target_(std::move(target)), name_(std::move(name)), descriptor_(descriptor) {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : target_(std::exchange(other.target_, {})),
      name_(std::exchange(other.name_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(name_, other.name_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
  if (!name_.empty()) {
    unlink(name_.c_str());
    Spare(name_);
  }
}

tl::expected<TemporaryFile, int> TemporaryFile::Make(const std::filesystem::path& target,
                                                     Kind kind) {
  std::filesystem::path name;
  int file = kind == Kind::kNameless ? OpenNameless(target) : -1;
  for (int attempt = 0; file < 0; ++attempt) {
    name = RandomName(target);
    Doom(name);
    file = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int reason = errno;
    if (file < 0) {
      Spare(name);
    }
    if (file < 0 && (reason != EEXIST || attempt == kAttempts)) {
      return tl::unexpected<int>(reason);
    }
  }
  // Locked files are not swept (core/base/sweep.h); on a file system without locks, none are.
  flock(file, LOCK_EX | LOCK_NB);
  struct stat status = {};
  if (stat(target.c_str(), &status) == 0) {
    fchmod(file, status.st_mode & 07777U);
  }
  return TemporaryFile(target, std::move(name), file);
}

int TemporaryFile::BecomeTarget() {
  if (fsync(descriptor_) != 0 && errno != EINVAL) {
    return errno;
  }
  // linkat cannot replace a file: a nameless file first gets a name, from which it is renamed.
  for (int attempt = 0; name_.empty(); ++attempt) {
    std::filesystem::path name = RandomName(target_);
    Doom(name);
    if (linkat(AT_FDCWD, LinkTo(descriptor_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) ==
        0) {
      name_ = std::move(name);
      break;
    }
    const int reason = errno;
    Spare(name);
    if (reason != EEXIST || attempt == kAttempts) {
      return reason;
    }
  }
  if (rename(name_.c_str(), target_.c_str()) != 0) {
    return errno;
  }
  Spare(name_);
  name_.clear();
  const int result = close(std::exchange(descriptor_, -1));
  return result == 0 ? 0 : errno;
}

}  // namespace headscope

#include "core/base/sweep.h"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kLeastAgeSeconds = 60;
constexpr int kMostLookedAt = 100'000;

// Whether `name` is ".headscope-" and eight hexadecimal digits, as TemporaryFile names them.
bool IsTemporaryName(std::string_view name) {
  constexpr std::size_t kDigits = 8;
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::string_view prefix = kTemporaryPrefix;
  return name.size() == prefix.size() + kDigits && name.starts_with(prefix) &&
         std::ranges::all_of(name.substr(prefix.size()), [kHex](char digit) {
           return kHex.find(digit) != std::string_view::npos;
         });
}

bool RemoveIfNobodys(const fs::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) {
    return false;
  }
  struct stat status = {};
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const bool is_ours = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                       status.st_uid == geteuid() && status.st_mtime + kLeastAgeSeconds <= now;
  const bool removed = is_ours && flock(file, LOCK_EX | LOCK_NB) == 0 && unlink(path.c_str()) == 0;
  close(file);
  return removed;
}

}  // namespace

int SweepTemporaryFiles(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  int looked_at = 0;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && ++looked_at < kMostLookedAt;
       entry.increment(error)) {
    if (IsTemporaryName(entry->path().filename().native())) {
      found.push_back(entry->path());
    }
  }
  return static_cast<int>(std::ranges::count_if(found, RemoveIfNobodys));
}

}  // namespace headscope

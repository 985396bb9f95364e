#include "core/base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/thread_role.h"

namespace headscope {
namespace {

// All mappings of the process: only pages that a file can bring back may be released.
class Mappings {
 public:
  static Mappings& All() {
    static Mappings all;
    return all;
  }
  void Add(const std::byte* data, std::size_t size) {
    const std::lock_guard lock(mutex_);
    ends_.emplace(data, data + size);
  }
  void Remove(const std::byte* data) {
    const std::lock_guard lock(mutex_);
    ends_.erase(data);
  }
  // Releases only pages that lie wholly within `bytes`: the ones at its ends may hold other data.
  void Release(std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    const auto after = ends_.upper_bound(bytes.data());
    if (after == ends_.begin()) {
      return;
    }
    const auto& [data, end] = *std::prev(after);
    if (std::less<>()(end, bytes.data() + bytes.size())) {
      return;
    }
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto offset = static_cast<std::size_t>(bytes.data() - data);
    const std::size_t first = (offset + page - 1) / page * page;
    const std::size_t last = (offset + bytes.size()) / page * page;
    if (first < last) {
      madvise(const_cast<std::byte*>(data) + first, last - first, MADV_DONTNEED);
    }
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, const std::byte*, std::less<>> ends_;
};

// A clone without Git LFS holds a small pointer file in place of every large file.
bool IsPointer(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 1024;  // from its specification
  return bytes.size() < kMostBytes && bytes.starts_with("version https://git-lfs.github.com/spec/");
}

}  // namespace

void ReleasePages(std::span<const std::byte> bytes) {
  if (!bytes.empty()) {
    Mappings::All().Release(bytes);
  }
}

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  CheckNotDrawing("reading a file");
  // O_NONBLOCK: a named pipe in place of a file must not hang us.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: cannot be opened ({})", path.string(), std::strerror(errno)));
  }
  struct stat status = {};
  const bool known = fstat(file, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    close(file);
    return Fail(ErrorCode::kIo,
                fmt::format("{}: expected a file, found {}",
                            path.string(),
                            S_ISDIR(status.st_mode) ? "a folder" : "something else"));
  }
  if (status.st_size == 0) {
    close(file);
    return Fail(ErrorCode::kIo, fmt::format("{}: the file is empty", path.string()));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  const int reason = errno;
  close(file);
  if (data == MAP_FAILED) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: cannot be mapped ({})", path.string(), std::strerror(reason)));
  }
  if (IsPointer({static_cast<const char*>(data), size})) {
    munmap(data, size);
    return Fail(ErrorCode::kIo,
                fmt::format("{}: is a Git LFS pointer, a few lines that stand for the file itself; "
                            "fetch that with `git lfs pull` in its repository",
                            path.string()));
  }
  const auto* const bytes = static_cast<const std::byte*>(data);
  Mappings::All().Add(bytes, size);
  MappedFile mapped;
  mapped.bytes_ = {bytes, size};
  mapped.mapping_ = std::shared_ptr<const void>(bytes, [data, size](const void* /*bytes*/) {
    Mappings::All().Remove(static_cast<const std::byte*>(data));
    munmap(data, size);
  });
  return mapped;
}

}  // namespace headscope

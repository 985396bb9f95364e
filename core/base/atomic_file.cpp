#include "core/base/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/base/temporary_file.h"
#include "core/base/thread_role.h"

namespace headscope {
namespace {

// Names the largest file that the program may write, if a limit is set.
std::string SizeLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "";
  }
  return fmt::format(": files may have at most {} bytes here, as ulimit -f says", limit.rlim_cur);
}

tl::unexpected<Error> SystemFailure(const std::filesystem::path& path, int reason) {
  return Fail(ErrorCode::kIo,
              fmt::format("{}: cannot be written ({}){}",
                          path.string(),
                          std::strerror(reason),
                          reason == EFBIG ? SizeLimit() : ""));
}

}  // namespace

Status OutputFile::WriteAt(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return SystemFailure(path_, errno);
    }
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

Status WritePiecesAtomically(const std::filesystem::path& path, const NextPiece& next) {
  return WriteFileAtomically(path, [&next](OutputFile* file) -> Status {
    std::uint64_t written = 0;
    while (true) {
      HEADSCOPE_TRY(auto piece, next());
      if (piece.empty()) {
        return {};
      }
      HEADSCOPE_TRY(file->WriteAt(written, piece));
      written += piece.size();
    }
  });
}

Status WriteFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return WriteFileAtomically(path, [bytes](OutputFile* file) { return file->WriteAt(0, bytes); });
}

Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text) {
  return WriteFileAtomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

void KeepFile(const std::filesystem::path& path, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (const Status kept = WriteFileAtomically(path, text); !kept) {
    std::filesystem::remove(path, error);
  }
}

Status WriteFileAtomically(const std::filesystem::path& path,
                           const std::function<Status(OutputFile* file)>& write) {
  CheckNotDrawing("writing a file");
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    return Fail(ErrorCode::kIo,
                fmt::format("{}: cannot be written: it is not a regular file", path.string()));
  }
  // A link is followed, so that the file it names is replaced and the link stays.
  std::filesystem::path target = path;
  if (std::filesystem::is_symlink(path, ignored)) {
    target = std::filesystem::weakly_canonical(path, ignored);
  }
  tl::expected<TemporaryFile, int> temporary = TemporaryFile::Make(target);
  if (!temporary) {
    return SystemFailure(path, temporary.error());
  }
  OutputFile file(path, temporary->descriptor());
  HEADSCOPE_TRY(write(&file));
  if (const int reason = temporary->BecomeTarget(); reason != 0) {
    return SystemFailure(path, reason);
  }
  return {};
}

}  // namespace headscope

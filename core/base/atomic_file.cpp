#include "core/base/atomic_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace headscope {
namespace {

tl::unexpected<Error> SystemFailure(const std::filesystem::path& path, int reason) {
  return Fail(ErrorCode::kIo,
              fmt::format("{}: cannot be written ({})", path.string(), std::strerror(reason)));
}

// The system's reason, or 0.
int WriteBytes(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return errno;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return 0;
}

Status WriteAll(const std::filesystem::path& path, const NextPiece& next) {
  const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file < 0) {
    return SystemFailure(path, errno);
  }
  while (true) {
    Result<std::span<const std::byte>> piece = next();
    if (!piece) {
      close(file);
      return PassOn(std::move(piece.error()));
    }
    if (piece->empty()) {
      break;
    }
    if (const int reason = WriteBytes(file, *piece); reason != 0) {
      close(file);
      return SystemFailure(path, reason);
    }
  }
  if (close(file) != 0) {
    return SystemFailure(path, errno);
  }
  return {};
}

Status SyncFile(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return SystemFailure(path, errno);
  }
  const int result = fsync(file);
  const int reason = errno;
  close(file);
  if (result != 0 && reason != EINVAL) {
    return SystemFailure(path, reason);
  }
  return {};
}

// An empty file of a new name in the target's folder, with the permissions that the target has or
// would get. The name is short, so that every name that the system takes can be a target.
Result<std::filesystem::path> MakeTemporary(const std::filesystem::path& path,
                                            const std::filesystem::path& target) {
  constexpr int kAttempts = 100;
  std::random_device random;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::filesystem::path temporary =
        target.parent_path() / fmt::format(".headscope-{:08x}", random());
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST) {
      continue;
    }
    if (file < 0) {
      return SystemFailure(path, errno);
    }
    struct stat status = {};
    if (stat(target.c_str(), &status) == 0) {
      fchmod(file, status.st_mode & 07777U);
    }
    close(file);
    return temporary;
  }
  return SystemFailure(path, EEXIST);
}

}  // namespace

Status WritePiecesAtomically(const std::filesystem::path& path,
                             std::span<const std::span<const std::byte>> pieces) {
  return WritePiecesAtomically(path, [pieces]() mutable -> Result<std::span<const std::byte>> {
    while (!pieces.empty() && pieces.front().empty()) {
      pieces = pieces.subspan(1);
    }
    if (pieces.empty()) {
      return std::span<const std::byte>();
    }
    const std::span<const std::byte> piece = pieces.front();
    pieces = pieces.subspan(1);
    return piece;
  });
}

Status WritePiecesAtomically(const std::filesystem::path& path, const NextPiece& next) {
  return WriteFileAtomically(
      path, [&next](const std::filesystem::path& temporary) { return WriteAll(temporary, next); });
}

Status WriteFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  return WritePiecesAtomically(path, std::array{bytes});
}

Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text) {
  return WriteFileAtomically(path, std::as_bytes(std::span(text.data(), text.size())));
}

Status WriteFileAtomically(
    const std::filesystem::path& path,
    const std::function<Status(const std::filesystem::path& temporary)>& write) {
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
  const Result<std::filesystem::path> made = MakeTemporary(path, target);
  if (!made) {
    return PassOn(made.error());
  }
  const std::string temporary = made->string();
  Status status = write(temporary);
  if (status) {
    status = SyncFile(temporary);
  }
  if (status && rename(temporary.c_str(), target.c_str()) != 0) {
    status = SystemFailure(path, errno);
  }
  if (!status) {
    unlink(temporary.c_str());
    // The sentence is about the file that was asked for, not the temporary one.
    std::string& message = status.error().message;
    if (const std::size_t at = message.find(temporary); at != std::string::npos) {
      message.replace(at, temporary.size(), path.string());
    }
  }
  return status;
}

}  // namespace headscope

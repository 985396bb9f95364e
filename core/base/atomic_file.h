// Writes files whole or not at all: into a file without a name in the same folder, which is synced
// and then put in the target's place (core/base/temporary_file.h).
//
// Errors   kIo, naming the file and the system's reason (no such folder, no permission, disk full);
//          nothing stays behind, whatever ends the program.
// Threads  any but the drawing one (thread_role.h); of two writers of one path the later rename
//          wins, and neither file is torn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace headscope {

[[nodiscard]] Status WriteFileAtomically(const std::filesystem::path& path,
                                         std::span<const std::byte> bytes);
[[nodiscard]] Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text);

// For a file that can be made again: makes its folder too. Where it cannot be written, no older
// version is left either.
void KeepFile(const std::filesystem::path& path, std::string_view text);

// Writes pieces as they are made: each stays valid until the next is asked for, and an empty one is
// the end. An error of `next` is returned.
using NextPiece = std::function<Result<std::span<const std::byte>>()>;
[[nodiscard]] Status WritePiecesAtomically(const std::filesystem::path& path,
                                           const NextPiece& next);

// A file that is being made, for a caller that writes it in an order of its own.
class OutputFile {
 public:
  // `path` is named in messages; the caller keeps `descriptor`.
  OutputFile(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  [[nodiscard]] Status WriteAt(std::uint64_t offset, std::span<const std::byte> bytes);

 private:
  std::filesystem::path path_;
  int descriptor_;
};
[[nodiscard]] Status WriteFileAtomically(const std::filesystem::path& path,
                                         const std::function<Status(OutputFile* file)>& write);

}  // namespace headscope

// Files written whole or not at all: a file without a name in the same folder, synced, then put in
// the target's place (core/base/temporary_file.h).
//
// Errors   kIo, naming the file and the system's reason (no such folder, no permission, disk full);
//          nothing stays behind, whatever ends the program.
// Threads  any but the one that draws (thread_role.h); two writers of one path: the later rename
//          wins, neither is torn.
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

// What can be made again: makes the folder, too; where it cannot be written, nothing is kept, an
// older one neither.
void KeepFile(const std::filesystem::path& path, std::string_view text);

// Pieces that lie apart in memory, written one after the other without being put together first.
[[nodiscard]] Status WritePiecesAtomically(const std::filesystem::path& path,
                                           std::span<const std::span<const std::byte>> pieces);

// Pieces as they are made: each stays until the next is asked for, an empty one is the end. What
// `next` refuses is what is returned.
using NextPiece = std::function<Result<std::span<const std::byte>>()>;
[[nodiscard]] Status WritePiecesAtomically(const std::filesystem::path& path,
                                           const NextPiece& next);

// A file that is being made, for whoever writes it in an order of its own.
class OutputFile {
 public:
  // `path` stands in messages; `descriptor` stays the caller's.
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

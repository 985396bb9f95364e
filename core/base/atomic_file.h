// Files written whole or not at all: a temporary file in the same folder, synced, then renamed over
// the target.
//
// Errors   kIo, naming the file and the system's reason (no such folder, no permission, disk full);
//          nothing stays behind (a kill may leave the temporary file, .headscope-*).
// Threads  any; two writers of one path: the later rename wins, neither is torn.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "core/base/error.h"

namespace headscope {

[[nodiscard]] Status WriteFileAtomically(const std::filesystem::path& path,
                                         std::span<const std::byte> bytes);
[[nodiscard]] Status WriteFileAtomically(const std::filesystem::path& path, std::string_view text);

// Pieces that lie apart in memory, written one after the other without being put together first.
[[nodiscard]] Status WritePiecesAtomically(const std::filesystem::path& path,
                                           std::span<const std::span<const std::byte>> pieces);

// Pieces as they are made: each stays until the next is asked for, an empty one is the end. What
// `next` refuses is what is returned.
using NextPiece = std::function<Result<std::span<const std::byte>>()>;
[[nodiscard]] Status WritePiecesAtomically(const std::filesystem::path& path,
                                           const NextPiece& next);

// For large files and for libraries that want a path: `write` fills the temporary file it is given
// the path of.
[[nodiscard]] Status WriteFileAtomically(
    const std::filesystem::path& path,
    const std::function<Status(const std::filesystem::path& temporary)>& write);

}  // namespace headscope

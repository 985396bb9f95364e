// A text from a file, as a person means it: UTF-8, without the byte order mark that some editors
// put first and without the end of its last line.
//
// Errors   kIo, kInput (over the size cap, UTF-16): the file, what was found, what to do.
//          An empty file is an empty text.
// Threads  any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace headscope {

inline constexpr std::uint64_t kMaxTextFileBytes = std::uint64_t{64} << 20U;

[[nodiscard]] Result<std::string> ReadTextFile(const std::filesystem::path& path,
                                               std::uint64_t most_bytes = kMaxTextFileBytes);

}  // namespace headscope

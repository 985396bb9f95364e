// Reads a text file as its user means it: UTF-8, without the byte order mark that some editors put
// first and without the end of the last line.
//
// Errors   kIo, kInput (over the size cap, UTF-16). An empty file is an empty text.
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

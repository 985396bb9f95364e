// A picture of the window as pixels.
//
// Errors   kIo (unwritable, disk full), kOutOfMemory.
// Threads  any that may wait for a disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/error.h"

namespace headscope {

struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height, width, 3]
};

// Writes a PNG, completely or not at all.
[[nodiscard]] Status WritePng(const std::filesystem::path& path, const Pixels& pixels);

}  // namespace headscope

// A picture in memory that a window shows as it is.
//
// Shapes   rgba [height][width][4].
// Threads  plain values.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

// Straight (not premultiplied) alpha, row-major [height, width, 4]; emoji keep their colours.
struct TextPicture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
  bool shrinks = false;  // it is also drawn smaller than it is
};

}  // namespace headscope

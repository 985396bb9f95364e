// What tiles of products are asked to add (dot_tiles.h): out[row][output] += in[row] . weights[output].
//
// Shapes   in [rows, width], weights [outputs, width] and out [rows, outputs], rows a stride apart.
//          Strides are numbers, NextRead's bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headscope {

// Bytes that are read later, fetched into the cache meanwhile.
struct NextRead {
  const std::byte* from = nullptr;
  std::int64_t rows = 0;
  std::int64_t stride = 0;  // bytes from row to row
  std::int64_t bytes = 0;   // of a row
};

struct TileBlock {
  const float* in = nullptr;
  std::int64_t in_stride = 0;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const float* weights = nullptr;
  std::int64_t weight_stride = 0;
  std::int64_t outputs = 0;
  float* out = nullptr;
  std::int64_t stride = 0;
  NextRead next;
};

using AddTileBlock = void (*)(const TileBlock& block);

}  // namespace headscope

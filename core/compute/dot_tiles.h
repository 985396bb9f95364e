// Products of rows with rows, a few of each at a time in registers, compiled for several instruction
// sets; at run time the widest usable one (instruction_set.h) is chosen.
//
// Shapes   in [rows, width], weights [outputs, width], a stride apart (WeightStride is a good one):
//          out[row][output] += in[row] . weights[output].
// Errors   none.
// Threads  pure; an output is the same however rows and outputs are cut.
// Cost     near the processor's peak while `weights` stays in the second cache.
#pragma once

#include <cstdint>
#include <span>

#include "core/compute/tile_block.h"

namespace headscope {

// Rows one cache line further apart than a power of two do not drive each other out of the cache.
[[nodiscard]] constexpr std::int64_t WeightStride(std::int64_t width) {
  constexpr std::int64_t kLine = 16;
  return (width + kLine - 1) / kLine * kLine + kLine;
}

// Adds the products, in the widest instructions that may run.
void AddDots(const TileBlock& block);

// Returns all usable forms, the plainest first; AddDots uses the last.
[[nodiscard]] std::span<const AddTileBlock> UsableDots();

}  // namespace headscope

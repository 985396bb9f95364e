// Products of rows with rows, a few of each at a time in registers, compiled for several instruction
// sets; at run time the widest usable one (instruction_set.h) is chosen.
//
// Shapes   in [rows, width], weights [outputs, width]: out[row][output] += in[row] . weights[output].
// Errors   none.
// Threads  pure; an output is the same however rows and outputs are cut.
// Cost     near the processor's peak while `weights` stays in the second cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headscope {

struct DotBlock {
  const float* in = nullptr;
  std::int64_t in_stride = 0;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  const float* weights = nullptr;
  std::int64_t weight_stride = 0;  // WeightStride(width) is a good one
  std::int64_t outputs = 0;
  float* out = nullptr;
  std::int64_t stride = 0;
  // What is read after these products, fetched into the cache meanwhile: rows, so many bytes apart.
  const std::byte* next = nullptr;
  std::int64_t next_rows = 0;
  std::int64_t next_stride = 0;
};

// Rows one cache line further apart than a power of two do not drive each other out of the cache.
[[nodiscard]] constexpr std::int64_t WeightStride(std::int64_t width) {
  constexpr std::int64_t kLine = 16;
  return (width + kLine - 1) / kLine * kLine + kLine;
}

using AddDotBlock = void (*)(const DotBlock& block);

// Adds the products, in the widest instructions that may run.
void AddDots(const DotBlock& block);

// Returns all usable forms, the plainest first; AddDots uses the last.
[[nodiscard]] std::span<const AddDotBlock> UsableDots();

}  // namespace headscope

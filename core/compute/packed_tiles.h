// Products of rows with many outputs at once: weights lie packed, those of one column side by side,
// and each number of a row meets a whole register of them. Compiled for several instruction sets;
// at run time the widest usable one (instruction_set.h) is chosen.
//
// Shapes   in [rows, width], packed weights [width, PackedForm::outputs]:
//          out[row][output] += sum over k of in[row][k] * weights[k][output].
// Errors   none.
// Threads  pure; an output is the same however rows and outputs are cut.
// Cost     near the processor's peak while the packed weights stay in the second cache.
// Source   K. Goto, R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/compute/tile_block.h"

namespace headscope {

// The rows that one call packs.
constexpr std::int64_t kPackedRows = 8;

struct PackedForm {
  std::int64_t outputs = 0;  // of a block
  // Puts kPackedRows rows of weights, `stride` apart, beside each other: out[k * outputs + row].
  void (*pack)(const float* rows, std::int64_t stride, std::int64_t width, float* out) = nullptr;
  // The same of float16, `stride` bytes apart, whose width is a multiple of 8; or none.
  void (*pack_halves)(const std::byte* rows,
                      std::int64_t stride,
                      std::int64_t width,
                      float* out) = nullptr;
  AddTileBlock add = nullptr;  // of at most so many outputs; their stride is `outputs`
};

// Returns all usable forms, the plainest first; the last is the fastest.
[[nodiscard]] std::span<const PackedForm> PackedForms();

}  // namespace headscope

// Converts quantised weights to float32, block by block, in plain arithmetic: float32 products of
// the stored scales and codes, each rounded once, which is what the format's own converters give.
//
// Shapes   blocks of BlockOf(type).elements numbers.
// Errors   none: a type that is not quantised aborts (the caller has checked it).
// Source   the GGUF quantisation types.
#pragma once

#include <cstddef>

#include "core/base/tensor_view.h"

namespace headscope {

// Converts `count` blocks; `out` takes count * BlockOf(type).elements numbers.
void DequantiseBlocks(DataType type, const std::byte* blocks, std::size_t count, float* out);

// The same for MXFP4 whose codes and scales lie apart (TensorView::scales): `codes` has kPairBytes a
// block, `scales` one byte.
inline constexpr std::size_t kPairBytes = 16;
void DequantisePairs(const std::byte* codes,
                     const std::byte* scales,
                     std::size_t count,
                     float* out);

}  // namespace headscope

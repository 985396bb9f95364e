// Decodes quantised weights as core/base/quantised.h does, compiled for several instruction sets;
// at run time the widest usable one (instruction_set.h) is chosen. All give the same bits.
//
// Shapes   blocks of BlockOf(type).elements numbers.
// Errors   none: a type that is not quantised aborts.
#pragma once

#include <cstddef>
#include <span>

#include "core/base/tensor_view.h"

namespace headscope {

using DecodeBlocks = void (*)(const std::byte* blocks, std::size_t count, float* out);

// Returns the decoder of `type`; `out` takes count * BlockOf(type).elements numbers.
[[nodiscard]] DecodeBlocks DecoderOf(DataType type);

// Returns every usable decoder of `type`, the plainest first; DecoderOf is the last.
[[nodiscard]] std::span<const DecodeBlocks> UsableDecodersOf(DataType type);

}  // namespace headscope

// Captured attention as data for a notebook: .safetensors or .npz with every weight of every head.
//
// Shapes   attention F32 [L, H, n, n]; rows are queries, masked weights 0. With it: tokens, token
// ids, model, family, precision, layers.
// Errors   kInput (another ending), kOutOfMemory and kIo before anything is made where memory or
// disk is too small, kIo, kCancelled.
// Threads  any.
// Cost     4 L H n^2 bytes while it writes.
// Source   CONTRACT.md, "attend".
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct AttentionExport {
  std::vector<std::shared_ptr<const LayerAttention>> layers;  // ascending; alike in shape
  Encoding encoding;
  std::string model;
  std::string family;
  std::string precision;  // "f32"
};

// By the ending of `path`.
[[nodiscard]] Status WriteAttention(const std::filesystem::path& path,
                                    const AttentionExport& attention,
                                    std::stop_token stop);

}  // namespace headscope

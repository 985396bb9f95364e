// Attention of many layers as data: .safetensors or .npz, as a notebook opens it.
//
// Shapes   attention F32 [L, H, n, n], rows are queries; masked weights exactly 0.
// Errors   kIo; kOutOfMemory, with the size, when the maps together are more than this machine
// holds; kCancelled. Threads  any. Cost     4 L H n^2 bytes of memory and file. Source CONTRACT.md,
// "attend".
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct AttentionExport {
  std::span<const std::shared_ptr<const LayerAttention>> layers;  // neighbours, ascending
  const Encoding* encoding = nullptr;
  std::string model;
  std::string family;
  std::string precision = "f32";  // of the computation
};

// By the ending of `path`: .safetensors or .npz. Written whole or not at all.
[[nodiscard]] Status WriteAttention(const std::filesystem::path& path,
                                    const AttentionExport& attention,
                                    std::stop_token stop);

}  // namespace headscope

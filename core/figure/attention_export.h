// Captured attention as data for a notebook: .safetensors or .npz with every weight of every head.
//
// Shapes   attention F32 [L, H, n, n]; rows are queries, masked weights 0. Of an encoder-decoder:
//          encoder [L, H, n, n], decoder [L, H, m, m], cross [L, H, m, n], those that are there. Of
//          a module whose keys are another text's: attention [L, H, n, m]. With them: tokens, token
//          ids, those of the target or of the keys, model, family, precision, layers.
// Errors   kInput (another ending), kIo (before anything is made where the disk is too small),
//          kCancelled.
// Threads  any; rows are made on every thread.
// Cost     a file of 4 L H n^2 bytes; rows are made as they are written, some MB at a time.
// Source   docs/reference.md, "attend".
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
  std::vector<std::shared_ptr<const LayerAttention>> layers;  // of each part: ascending
  Encoding encoding;
  std::shared_ptr<const Encoding> target = {};  // null: no decoder, or not read
  std::shared_ptr<const Encoding> keys = {};    // null: the columns are the text's own tokens
  std::string model;
  std::string family;
  std::string precision;  // "f32"
};

// By the ending of `path`.
[[nodiscard]] Status WriteAttention(const std::filesystem::path& path,
                                    const AttentionExport& attention,
                                    const std::stop_token& stop);

}  // namespace headscope

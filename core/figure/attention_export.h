// Writes captured attention as data for a notebook: .safetensors or .npz with every weight of every
// head.
//
// Shapes   attention F32 [L, H, n, n]; rows are queries, masked weights 0. An encoder-decoder has
//          encoder [L, H, n, n], decoder [L, H, m, m] and cross [L, H, m, n], as far as they were
//          captured. Heads with sinks have sinks [L, H, n]: what each row lacks of 1. A module
//          whose keys belong to another text has attention [L, H, n, m]. The file also holds tokens
//          and token ids, also those of the target or of the keys, and model, family, precision,
//          layers.
// Errors   kInput (another extension), kIo (reported before anything is made if the disk is too
//          small), kCancelled.
// Threads  any; rows are made on every thread.
// Cost     a file of 4 L H n^2 bytes; rows are made as they are written, a few MB at a time.
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
  std::vector<std::shared_ptr<const LayerAttention>> layers;  // ascending within each part
  Encoding encoding;
  std::shared_ptr<const Encoding> target = {};  // null: no decoder, or not read
  std::shared_ptr<const Encoding> keys = {};    // null: the columns are the text's own tokens
  std::string model;
  std::string family;
  std::string precision;  // "f32"
  std::string look = {};  // what was merged and hidden: WordsOf; empty: nothing
};

// The extension of `path` chooses the format.
[[nodiscard]] Status WriteAttention(const std::filesystem::path& path,
                                    const AttentionExport& attention,
                                    const std::stop_token& stop);

}  // namespace headscope

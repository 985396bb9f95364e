// Latent attention: the widths of its latents in config.json, and its tensors.
//
// Shapes   as core/model/block_description.h, LatentProjections.
// Errors   kFormat, kUnsupported; each names the file and the key.
// Source   DeepSeek-AI 2024; tensors as transformers' DeepseekV3Model names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/json.h"
#include "core/model/block_description.h"
#include "core/model/family_kit.h"

namespace headscope {

struct LatentSizes {
  std::int64_t query_rank = 0;  // 0: queries read the layer's input
  std::int64_t rank = 0;        // of keys and values
  std::int64_t plain = 0;       // columns of a head that do not rotate
  std::int64_t turned = 0;      // and those that do
  std::int64_t value = 0;       // of a value
  HasBias bias = HasBias::kNo;  // where the layer's input is read

  [[nodiscard]] std::int64_t head_dim() const { return plain + turned; }
};

[[nodiscard]] Result<LatentSizes> ReadLatentSizes(const JsonObject& json);

// `attention` begins the names of the layer's tensors.
[[nodiscard]] LatentProjections LatentsNamed(const std::string& attention,
                                             const LatentSizes& latent,
                                             const StackSizes& sizes);

// Refuses a model with latents for `what`, which needs one matrix from a layer's input to its keys.
[[nodiscard]] Status RefuseLatents(const StackDescription& stack, std::string_view what);

}  // namespace headscope

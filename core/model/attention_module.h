// Opens the state of one torch.nn.MultiheadAttention as a model with one layer that reads
// embeddings.
//
// Shapes   in_proj_weight [3d, d], or q_proj_weight [d, d], k_proj_weight [d, kdim] and
//          v_proj_weight [d, vdim]; in_proj_bias [3d]; out_proj.weight [d, d], out_proj.bias [d].
//          Biases may be missing. All names may have the same prefix ("self_attn.").
// Errors   kFormat (no such module, or several), kInput (the number of heads is unknown, or does
//          not divide d), kUnsupported (bias_k, bias_v, add_zero_attn).
// Source   torch.nn.MultiheadAttention; docs/reference.md, "Attention modules".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/io/safetensors.h"
#include "core/model/block_description.h"

namespace headscope {

inline constexpr const char* kModuleFamily = "multihead_attention";

struct ModuleState {
  const TensorMap& tensors;
  const MetadataMap& metadata;  // "num_heads" is used if `heads` is empty
  std::optional<std::int64_t> heads;
};

// Messages use `name`, the file's path.
[[nodiscard]] Result<ModelDescription> DescribeAttentionModule(const ModuleState& state,
                                                               const std::string& name);

// Returns the module's width d, or nothing if the file holds no module. Its divisors are the
// possible head counts.
[[nodiscard]] std::optional<std::int64_t> ModuleWidth(const TensorMap& tensors);

// The same for a file that does not give the number of heads; nothing for any other file.
[[nodiscard]] std::optional<std::int64_t> WidthWithoutHeads(const std::filesystem::path& path);

}  // namespace headscope

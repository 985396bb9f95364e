// The state of one torch.nn.MultiheadAttention as a model of one layer that reads embeddings.
//
// Shapes   in_proj_weight [3d, d], or q_proj_weight [d, d], k_proj_weight [d, kdim] and
//          v_proj_weight [d, vdim]; in_proj_bias [3d]; out_proj.weight [d, d], out_proj.bias [d].
//          Biases may be missing. One prefix may stand before every name ("self_attn.").
// Errors   kFormat (no such module, or several), kInput (how many heads there are is not known, or
//          does not divide d), kUnsupported (bias_k, bias_v, add_zero_attn).
// Threads  any.
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
  const MetadataMap& metadata;  // "num_heads" counts where nobody says how many
  std::optional<std::int64_t> heads;
};

// `name` stands in messages: the file's path.
[[nodiscard]] Result<ModelDescription> DescribeAttentionModule(const ModuleState& state,
                                                               const std::string& name);

// The width d of the module in a file that holds one; nothing elsewhere. The divisors of it are
// the head counts that it can have.
[[nodiscard]] std::optional<std::int64_t> ModuleWidth(const TensorMap& tensors);

// The same of a file that does not say how many heads share it; nothing of any other.
[[nodiscard]] std::optional<std::int64_t> WidthWithoutHeads(const std::filesystem::path& path);

}  // namespace headscope

// MiniCPM 3: Llama's layout; queries, and keys with values, are made of latents; embeddings and what
// each half adds are multiplied, as core/model/families/granite.cpp has it.
//
// Source   Hu 2024; tensors as transformers' MiniCPM3Model names them.
#include <cmath>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMinicpm3Family;
namespace {

constexpr double kMostScale = 1e6;

Result<ModelDescription> DescribeMinicpm3(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json, {.positions = 32'768, .is_tied = true, .epsilon = 1e-5, .has_latents = true}));
  HEADSCOPE_TRY(const auto mlp_bias, ReadBias(json, "mlp_bias", false));
  HEADSCOPE_TRY(const auto embedding, json.Number("scale_emb", -kMostScale, kMostScale, 12.0));
  HEADSCOPE_TRY(const auto depth, json.Number("scale_depth", 1.0 / kMostScale, kMostScale, 1.4));
  const double added = depth / std::sqrt(static_cast<double>(config.sizes.layers));
  const std::int64_t width = config.sizes.model_dim;
  HEADSCOPE_TRY(
      const auto base,
      json.Integer("dim_model_base", 1, kMaxWidth, json.IsNull("dim_model_base") ? width : 256));
  config.output_scale = static_cast<double>(base) / static_cast<double>(width);
  config.mlp_bias = mlp_bias;
  config.embedding_scale = embedding / added;
  config.epsilon /= added * added;
  return DescribeLlama(kMinicpm3Family.id, config);
}

}  // namespace

const Family kMinicpm3Family = {
    .id = "minicpm3",
    .describe = DescribeMinicpm3,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "minicpm3", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "hidden_size": 16, "intermediate_size": 10, "q_lora_rank": 7,
                   "kv_lora_rank": 5, "qk_nope_head_dim": 3, "qk_rope_head_dim": 2,
                   "v_head_dim": 4, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

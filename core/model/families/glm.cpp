// GLM 4: Llama's layout; half of each head is rotated, by neighbouring columns, and one matrix has
// both halves of the gated MLP. The 0414 models (glm4) norm the results of both halves, too, as does
// the text part of those that see (glm4v_text).
//
// Source   GLM Team 2024; tensors as transformers' GlmModel names them.
#include <array>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGlmFamily;
namespace {

constexpr std::array<OtherName, 3> kGlm4Names = {
    {{"post_attention_layernorm.", "post_self_attn_layernorm."},
     {"pre_feedforward_layernorm.", "post_attention_layernorm."},
     {"post_feedforward_layernorm.", "post_mlp_layernorm."}}};

Result<ModelDescription> DescribeGlm(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_pictured = type == "glm4v_text";
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(json,
                      {.head_dim = is_pictured ? std::nullopt : std::optional<std::int64_t>(128),
                       .positions = is_pictured ? 32'768 : 131'072,
                       .epsilon = is_pictured ? 1e-5 : 1.5625e-7,
                       .partial_factor = is_pictured ? 1.0 : 0.5}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", true));
  config.query_bias = is_pictured ? HasBias::kYes : bias;
  config.rotary.table.pairs_neighbours = true;
  config.names.fused_gate = "mlp.gate_up_proj";
  if (type == "glm") {
    return DescribeLlama(kGlmFamily.id, config);
  }
  config.norms = NormPlacing::kBeforeAndInside;
  ModelDescription model = DescribeLlama(kGlmFamily.id, config);
  UseOtherNames(kGlm4Names, &model);
  return model;
}

}  // namespace

const Family kGlmFamily = {
    .id = "glm",
    .other_types = "glm4 glm4v_text",
    .describe = DescribeGlm,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "glm4", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

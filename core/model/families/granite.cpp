// Granite 3: Llama's layout; embeddings, scores and what each half adds are multiplied. HyperCLOVA X
// norms what each half adds, too. Granite SWA has windows in most layers, a base of the rotary
// positions in each, and sinks.
//
// With r the multiplier of what is added, the stream divided by r has plain additions: embeddings
// are divided by r once, and the norms' epsilons by r squared. Maps and outputs are the same.
//
// Source   Granite Team 2024; HyperCLOVA X Team 2025; tensors as transformers' classes name them.
#include <array>
#include <utility>

#include "core/model/granite_layout.h"

namespace headscope {
extern const Family kGraniteFamily;
namespace {

constexpr std::array<OtherName, 3> kClovaNames = {
    {{"post_attention_layernorm.", "post_norm1."},
     {"pre_feedforward_layernorm.", "post_attention_layernorm."},
     {"post_feedforward_layernorm.", "post_norm2."}}};

Result<ModelDescription> DescribeGranite(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_clova = type == "hyperclovax";
  const bool is_swa = type == "granite_swa";
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(json,
                      is_swa ? LlamaDefaults{.positions = 8192, .is_tied = true, .epsilon = 1e-5}
                             : LlamaDefaults{}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  HEADSCOPE_TRY(
      const auto added,
      ReadGraniteFactors(json, is_clova ? UsualScale(config.sizes.head_dim) : 1.0, &config));
  if (is_clova) {
    config.output_scale = 1.0 / config.output_scale;
  }
  HEADSCOPE_TRY(const auto norms_results, json.Boolean("use_post_norm", is_clova));
  if (is_swa) {
    return DescribeGraniteSwa(kGraniteFamily.id, json, std::move(config));
  }
  if (!is_clova || !norms_results) {
    return DescribeLlama(kGraniteFamily.id, config);
  }
  config.norms = NormPlacing::kBeforeAndInside;
  ModelDescription model = DescribeLlama(kGraniteFamily.id, config);
  UseOtherNames(kClovaNames, &model);
  for (LayerDescription& layer : model.layer) {  // what they norm is not counted in units of r
    layer.attention_norm.inside->epsilon *= added * added;
    layer.mlp_norm.inside->epsilon *= added * added;
  }
  return model;
}

}  // namespace

const Family kGraniteFamily = {
    .id = "granite",
    .other_types = "granite_swa hyperclovax",
    .describe = DescribeGranite,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "granite_swa", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "residual_multiplier": 0.22, "embedding_multiplier": 12,
                   "attention_multiplier": 0.3, "sliding_window": 4,
                   "layer_rope_theta": [10000, 0, 500], "tie_word_embeddings": false,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

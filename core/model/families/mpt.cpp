// MPT: a slope on the scores in place of positions (ALiBi), no biases, one matrix with queries, keys
// and values.
//
// Source   MosaicML 2023; tensors as transformers' MptModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/family_kit.h"

namespace headscope {
extern const Family kMptFamily;
namespace {

constexpr std::array<std::string_view, 2> kMptPrefixes = {"transformer.", ""};

NormPlaces Norms(const std::string& name, std::int64_t width, double epsilon) {
  return NormBefore(LayerNorm(name, width, epsilon, HasBias::kNo));
}

LayerDescription MptLayer(std::int64_t index, const StackSizes& sizes, double epsilon) {
  const std::string prefix = fmt::format("blocks.{}.", index);
  const std::int64_t width = sizes.model_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return Product({MatrixPart(name, in, out, HasBias::kNo)});
  };
  LayerDescription layer;
  layer.attention_norm = Norms(prefix + "norm_1", width, epsilon);
  layer.query_key_value = part(prefix + "attn.Wqkv", width, 3 * width);
  layer.output = part(prefix + "attn.out_proj", width, width);
  layer.mlp_norm = Norms(prefix + "norm_2", width, epsilon);
  layer.mlp_up = part(prefix + "ffn.up_proj", width, sizes.inner);
  layer.mlp_down = part(prefix + "ffn.down_proj", sizes.inner, width);
  layer.activation = ActivationKind::kGelu;
  return layer;
}

// Settings of "attention" that change the arithmetic; transformers itself always has slopes.
struct MptAttention {
  AttentionRule rule;
  double limit = 0.0;
};

Result<MptAttention> ReadMptAttention(const JsonObject& json, const StackSizes& sizes) {
  MptAttention read{.rule = {.scale = UsualScale(sizes.head_dim), .causal = true}};
  read.rule.bias = AlibiBias(sizes.heads, 1.0);
  HEADSCOPE_TRY(const auto attention, json.Object("attn_config"));
  if (!attention) {
    return read;
  }
  HEADSCOPE_TRY(const auto scale, attention->Number("softmax_scale", 0.0, 1e9, read.rule.scale));
  HEADSCOPE_TRY(const auto clip, attention->Number("clip_qkv", 0.0, 1e9, 0.0));
  HEADSCOPE_TRY(const auto most, attention->Integer("alibi_bias_max", 1, 1024, 8));
  HEADSCOPE_TRY(const auto norms_queries, attention->Boolean("qk_ln", false));
  HEADSCOPE_TRY(const auto looks_ahead, attention->Boolean("prefix_lm", false));
  const std::string_view set = most != 8       ? "alibi_bias_max"
                               : norms_queries ? "qk_ln"
                               : looks_ahead   ? "prefix_lm"
                                               : "";
  if (!set.empty()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} of \"attn_config\" is not as usual; models with it do not open",
                            json.name(),
                            Quoted(set)));
  }
  read.rule.scale = scale;
  read.limit = clip;
  return read;
}

Result<ModelDescription> DescribeMpt(const JsonObject& json) {
  HEADSCOPE_TRY(const auto factor, json.Integer("expansion_ratio", 1, 64, 4));
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.layers = "n_layers",
                           .heads = "n_heads",
                           .model_dim = "d_model",
                           .inner = "",
                           .positions = "max_seq_len",
                           .default_positions = 2048,
                           .default_inner_factor = factor}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  HEADSCOPE_TRY(const auto attention, ReadMptAttention(json, sizes));
  ModelDescription model = StartDescription(kMptFamily.id, sizes, "wte.weight");
  model.ties_embeddings = is_tied;
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = Norms("norm_f", sizes.model_dim, epsilon).before;
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(MptLayer(layer, sizes, epsilon));
    model.layer.back().rule = attention.rule;
    model.layer.back().projection_limit = attention.limit;
  }
  return model;
}

}  // namespace

const Family kMptFamily = {
    .id = "mpt",
    .describe = DescribeMpt,
    .prefixes = kMptPrefixes,
    .example = R"({"model_type": "mpt", "n_layers": 3, "n_heads": 3, "d_model": 12,
                   "max_seq_len": 16, "vocab_size": 11})",
};

}  // namespace headscope

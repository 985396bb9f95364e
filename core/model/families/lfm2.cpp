// LFM 2: Llama's layout in a few layers; the others join the last tokens by short convolutions. Layers
// are counted by those with attention.
//
// Source   Liquid AI 2025; tensors as transformers' Lfm2Model names them, matrices [out, in].
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"
#include "core/model/plain_blocks.h"

namespace headscope {
extern const Family kLfm2Family;
namespace {

constexpr std::array<OtherName, 1> kLfm2Names = {{{"input_layernorm.", "operator_norm."}}};
constexpr double kSumOffset = 1e-6;  // of the weights of experts; no setting changes it

Result<std::int64_t> ReadInner(const JsonObject& json, std::int64_t inner) {
  HEADSCOPE_TRY(const auto adjusts, json.Boolean("block_auto_adjust_ff_dim", true));
  HEADSCOPE_TRY(const auto multiple, json.Integer("block_multiple_of", 1, kMaxInnerWidth, 256));
  if (!adjusts) {
    return inner;
  }
  inner = 2 * inner / 3;
  if (!json.IsNull("block_ffn_dim_multiplier")) {
    HEADSCOPE_TRY(const auto factor, json.Number("block_ffn_dim_multiplier", 1e-3, 1e3, 1.0));
    inner = static_cast<std::int64_t>(factor * static_cast<double>(inner));
    inner = (inner + multiple - 1) / multiple * multiple;
  }
  if (inner < 1 || inner > kMaxInnerWidth) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: two thirds of the MLP's width, times \"block_ffn_dim_multiplier\", "
                    "are {}, expected 1 to {}",
                    json.name(),
                    inner,
                    kMaxInnerWidth));
  }
  return inner;
}

ShortConvolution Lfm2Convolution(std::size_t index,
                                 std::int64_t width,
                                 std::int64_t taps,
                                 HasBias bias) {
  const std::string prefix = fmt::format("layers.{}.conv.", index);
  ShortConvolution convolution{
      .in = Product({MatrixPart(prefix + "in_proj", width, 3 * width, bias)}),
      .taps = {.name = prefix + "conv.weight", .shape = {width, 1, taps}},
      .out = Product({MatrixPart(prefix + "out_proj", width, width, bias)})};
  if (bias == HasBias::kYes) {
    convolution.bias = TensorNeed{prefix + "conv.bias", {width}};
  }
  return convolution;
}

Result<LlamaExperts> ReadLfm2Experts(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 32, .usual_chosen = 4, .usual_inner = 1792}));
  HEADSCOPE_TRY(const auto first, json.Integer("num_dense_layers", 0, kMaxLayers, 2));
  HEADSCOPE_TRY(const auto is_corrected, json.Boolean("use_expert_bias", true));
  HEADSCOPE_TRY(experts.choice.is_normalised, json.Boolean("norm_topk_prob", true));
  HEADSCOPE_TRY(experts.choice.factor, json.Number("routed_scaling_factor", -1e6, 1e6, 1.0));
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.sum_offset = kSumOffset;
  experts.layers = LayersWhere(layers, [&](auto layer) { return layer >= first; });
  experts.block = "feed_forward.";
  experts.correction = is_corrected ? "expert_bias" : "";
  experts.up = "w3";
  experts.gate = "w1";
  experts.down = "w2";
  return experts;
}

Result<ModelDescription> DescribeLfm2(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.heads = 32,
                                 .kv_heads = 8,
                                 .vocabulary = 65'536,
                                 .positions = 128'000,
                                 .theta = 1e6,
                                 .is_tied = true,
                                 .epsilon_key = "norm_eps",
                                 .epsilon = 1e-5,
                                 .inner_key = json.Has("block_ff_dim") ? "block_ff_dim"
                                                                       : "intermediate_size"}));
  // Older files list the numbers of the layers with attention.
  HEADSCOPE_TRY(auto numbers,
                ReadLayerNumbers(json,
                                 "full_attn_idxs",
                                 NumberBeyond::kIgnored,
                                 LayersWhere(config.sizes.layers, [](auto) { return true; })));
  HEADSCOPE_TRY(const auto attends, ReadAttending(json, "conv", std::move(numbers)));
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  if (type == "lfm2_moe") {
    HEADSCOPE_TRY(config.experts, ReadLfm2Experts(json, config.sizes.layers));
  } else {
    HEADSCOPE_TRY(config.sizes.inner, ReadInner(json, config.sizes.inner));
  }
  HEADSCOPE_TRY(config.is_tied, json.Boolean("tie_embedding", config.is_tied));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "conv_bias", false));
  HEADSCOPE_TRY(const auto taps, json.Integer("conv_L_cache", 1, kMaxTaps, 3));
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.names.mlp_norm = "ffn_norm";
  config.names.output = "out_proj";
  config.names.query_norm = "q_layernorm";
  config.names.key_norm = "k_layernorm";
  config.names.up = "feed_forward.w3";
  config.names.gate = "feed_forward.w1";
  config.names.down = "feed_forward.w2";
  ModelDescription model = DescribeLlama(kLfm2Family.id, config);
  UseOtherNames(kLfm2Names, &model);
  model.final_norm->weight.name = "embedding_norm.weight";
  const auto fill = [&](std::size_t layer, PlainBlock* block) {
    block->convolution = Lfm2Convolution(layer, config.sizes.model_dim, taps, bias);
  };
  MakePlainBlocks(attends, "short convolutions", fill, &model);
  return model;
}

}  // namespace

const Family kLfm2Family = {
    .id = "lfm2",
    .other_types = "lfm2_moe",
    .describe = DescribeLfm2,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "lfm2", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "block_auto_adjust_ff_dim": false, "layer_types": ["conv", "full_attention",
                   "conv", "conv", "full_attention", "full_attention"], "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope

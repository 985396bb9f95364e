// LFM 2: Llama's layout in a few layers; the others join the last tokens by short convolutions. Layers
// are counted by those with attention.
//
// Source   Liquid AI 2025; tensors as transformers' Lfm2Model names them, matrices [out, in].
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kLfm2Family;
namespace {

constexpr std::array<OtherName, 1> kLfm2Names = {{{"input_layernorm.", "operator_norm."}}};
constexpr std::int64_t kMostTaps = 64;

// "layer_types" says "conv" or "full_attention" of each layer; older files list the latter's numbers.
Result<std::vector<bool>> ReadAttending(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto types, json.Array("layer_types"));
  HEADSCOPE_TRY(const auto numbers, json.Array("full_attn_idxs"));
  const auto count = static_cast<std::size_t>(layers);
  std::vector<bool> attends(count, !types && !numbers);
  for (std::size_t i = 0; types && i < types->size() && i < count; ++i) {
    attends[i] = (*types)[i].Text() != "conv";
  }
  for (std::size_t i = 0; !types && numbers && i < numbers->size(); ++i) {
    const auto layer = (*numbers)[i].Integer();
    if (layer && *layer >= 0 && *layer < layers) {
      attends[static_cast<std::size_t>(*layer)] = true;
    }
  }
  if ((types && types->size() != count) || std::ranges::find(attends, true) == attends.end()) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} does not say which of the {} layers have attention, expected "
                            "some of them",
                            json.name(),
                            types ? "\"layer_types\"" : "\"full_attn_idxs\"",
                            layers));
  }
  return attends;
}

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
  return inner;
}

// A layer's norms and MLP about a convolution.
PlainBlock Lfm2Block(std::size_t index,
                     std::int64_t width,
                     std::int64_t taps,
                     HasBias bias,
                     LayerDescription layer) {
  const std::string prefix = fmt::format("layers.{}.conv.", index);
  PlainBlock block{
      .norm = *std::move(layer.attention_norm.before),
      .convolution = {.in = Product({MatrixPart(prefix + "in_proj", width, 3 * width, bias)}),
                      .taps = {.name = prefix + "conv.weight", .shape = {width, 1, taps}},
                      .out = Product({MatrixPart(prefix + "out_proj", width, width, bias)})},
      .mlp_norm = *std::move(layer.mlp_norm.before),
      .mlp = {.up = std::move(layer.mlp_up),
              .gate = std::move(layer.mlp_gate),
              .down = std::move(layer.mlp_down)}};
  if (bias == HasBias::kYes) {
    block.convolution.bias = TensorNeed{prefix + "conv.bias", {width}};
  }
  return block;
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
  HEADSCOPE_TRY(const auto attends, ReadAttending(json, config.sizes.layers));
  HEADSCOPE_TRY(config.sizes.inner, ReadInner(json, config.sizes.inner));
  HEADSCOPE_TRY(config.is_tied, json.Boolean("tie_embedding", config.is_tied));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "conv_bias", false));
  HEADSCOPE_TRY(const auto taps, json.Integer("conv_L_cache", 1, kMostTaps, 3));
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
  std::vector<LayerDescription> all = std::exchange(model.layer, {});
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (attends[i]) {
      numbers.push_back(i);
      model.layer.push_back(std::move(all[i]));
    } else {
      (model.layer.empty() ? model.blocks_before : model.layer.back().blocks_behind)
          .push_back(Lfm2Block(i, model.model_dim, taps, bias, std::move(all[i])));
    }
  }
  model.layers = std::ssize(model.layer);
  model.note = fmt::format(
      "Only layers with attention are counted here: {} of the file's 0 to {}. The others join tokens by "
      "short convolutions, of which there are no maps.",
      fmt::join(numbers, ", "),
      all.size() - 1);
  return model;
}

}  // namespace

const Family kLfm2Family = {
    .id = "lfm2",
    .describe = DescribeLfm2,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "lfm2", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "block_auto_adjust_ff_dim": false, "layer_types": ["conv", "full_attention",
                   "conv", "conv", "full_attention", "full_attention"], "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope

// Cohere's Command: Llama's matrices, attention and MLP side by side after one layer norm without a
// bias, neighbouring columns rotated. In Command R7B (cohere2) three layers in four have a window,
// and the others no positions. Some have experts in place of the MLP (cohere2_moe); in the text part
// of North Vision (cohere_compass_text) each kind of layer has positions of its own, by halves, or none.
//
// Source   Cohere 2024, 2025; tensors as transformers' CohereModel names them.
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kCohereFamily;
namespace {

Result<bool> HasPositions(const JsonObject& json, std::string_view layers) {
  HEADSCOPE_TRY(const auto rotary, json.Object("rope_parameters"));
  const bool is_nested =
      rotary && (rotary->Has("full_attention") || rotary->Has("sliding_attention"));
  return !is_nested || !rotary->IsNull(layers);
}

Status ReadCompass(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(ReadIntervalWindows(json, 0, 4096, config));
  HEADSCOPE_TRY(const auto full, HasPositions(json, "full_attention"));
  HEADSCOPE_TRY(const auto sliding, HasPositions(json, "sliding_attention"));
  for (const std::int64_t window : config->windows) {
    config->turns.push_back(window > 0 ? sliding : full);
  }
  if (!sliding) {
    return {};
  }
  return ReadWindowRotary(json, "rope_theta", kUsualRotaryBase, config);
}

Result<LlamaExperts> ReadCohereExperts(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(json, {.inner = "intermediate_size", .usual_count = 8, .usual_inner = 22'528}));
  HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", true));
  HEADSCOPE_TRY(const auto score, json.String("expert_selection_fn", "softmax"));
  HEADSCOPE_TRY(const auto joining, json.String("shared_expert_combination_strategy", "average"));
  if ((score != "softmax" && score != "sigmoid") || (joining != "average" && joining != "sum")) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"expert_selection_fn\" is \"{}\" and "
                    "\"shared_expert_combination_strategy\" \"{}\", expected \"softmax\" or "
                    "\"sigmoid\", and \"average\" or \"sum\"",
                    json.name(),
                    score,
                    joining));
  }
  experts.choice.score = score == "softmax" ? RouterScore::kSoftmax : RouterScore::kSigmoid;
  experts.choice.is_normalised = score == "softmax" || is_normalised;
  HEADSCOPE_TRY(ReadShared(json, "num_shared_experts", 0, &experts));
  if (experts.shared_inner > 0 && joining == "average") {
    experts.choice.factor = 0.5;
    experts.shared_factor = 0.5;
  }
  HEADSCOPE_TRY(experts.layers, ReadSparseLayers(json, layers, 0));
  return experts;
}

// Layers without experts may have positions also where they have no window.
Status ReadCohereMoe(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(auto experts, ReadCohereExperts(json, config->sizes.layers));
  HEADSCOPE_TRY(const auto inner,
                json.Integer("prefix_dense_intermediate_size", 1, kMaxInnerWidth, experts.inner));
  HEADSCOPE_TRY(const auto pattern,
                json.Integer("prefix_dense_sliding_window_pattern", 1, kMaxLayers, 1));
  for (std::size_t layer = 0; pattern == 1 && layer < config->turns.size(); ++layer) {
    config->turns[layer] = config->turns[layer] || !experts.layers[layer];
  }
  if (!json.IsNull("rms_norm_eps") && json.Has("rms_norm_eps")) {
    HEADSCOPE_TRY(const auto epsilon, json.Number("rms_norm_eps", 0.0, 1000.0));
    config->epsilon = epsilon;
    config->norm_kind = NormKind::kRms;
  }
  config->sizes.inner = inner;
  config->mlp_bias = HasBias::kNo;
  config->experts = std::move(experts);
  return {};
}

Result<ModelDescription> DescribeCohere(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool has_experts = type == "cohere2_moe";
  const bool is_compass = type == "cohere_compass_text";
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(json,
                      {.head_dim = has_experts ? std::optional<std::int64_t>(128) : std::nullopt,
                       .positions = 8192,
                       .theta = type == "cohere" ? 500'000.0 : kUsualRotaryBase,
                       .is_tied = true,
                       .epsilon_key = "layer_norm_eps",
                       .epsilon = 1e-5,
                       .rotary_layers = is_compass ? "full_attention" : ""}));
  HEADSCOPE_TRY(const auto norms_queries, json.Boolean("use_qk_norm", false));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  HEADSCOPE_TRY(
      const auto logit_scale,
      json.Number(
          "logit_scale", -1e9, 1e9, is_compass || json.IsNull("logit_scale") ? 1.0 : 0.0625));
  config.output_scale = logit_scale;
  config.norm_kind = NormKind::kLayer;
  config.has_norm_bias = false;
  if (norms_queries && type == "cohere") {
    config.query_key_norm = QueryKeyNorm::kHeadsOwn;
  }
  config.is_parallel = true;
  config.rotary.table.pairs_neighbours = !is_compass;
  if (is_compass) {
    HEADSCOPE_TRY(ReadCompass(json, &config));
  } else if (type != "cohere") {
    HEADSCOPE_TRY(const auto interval, json.Integer("sliding_window_pattern", 1, kMaxLayers, 4));
    HEADSCOPE_TRY(ReadIntervalWindows(json, interval, 4096, &config));
    TurnInWindowsAlone(&config);
  }
  if (has_experts) {
    HEADSCOPE_TRY(ReadCohereMoe(json, &config));
  }
  return DescribeLlama(kCohereFamily.id, config);
}

}  // namespace

const Family kCohereFamily = {
    .id = "cohere",
    .other_types = "cohere2 cohere2_moe cohere_compass_text",
    .describe = DescribeCohere,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "cohere2", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"], "vocab_size": 11})",
};

}  // namespace headscope

// Gemma 4: Gemma 3 with wider heads in layers without a window, norms of values, and in its smaller sizes
// last layers that attend to the keys and values of earlier ones, and a second embedding of each token
// that every layer reads a part of. The sparse size has experts beside each layer's MLP.
//
// Source   Gemma Team 2026, as transformers computes it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/model/gemma_parts.h"
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGemma4Family;
namespace {

constexpr std::int64_t kUsualPeriod = 6;

// Reads the experts that stand beside the MLP of every layer in the sparse size.
Status ReadBesideExperts(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto has_experts, json.Boolean("enable_moe_block", false));
  if (!has_experts) {
    return {};
  }
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(
          json,
          {.chosen = "top_k_experts", .usual_count = 128, .usual_chosen = 8, .usual_inner = 704}));
  experts.choice.is_normalised = true;
  experts.has_mlp_too = true;
  experts.block = "";
  experts.router = "router.proj";
  config->experts = std::move(experts);
  return {};
}

// The router reads the stream, and so do the experts, each normed in a way of its own.
void AddBesideNorms(const std::string& prefix, const LlamaConfig& config, LayerDescription* layer) {
  const std::int64_t d = config.sizes.model_dim;
  const auto norm = [&](const char* name) { return RmsNorm(prefix + name, d, config.epsilon); };
  ExpertsDescription& experts = *layer->experts;
  experts.router_norm = norm("router");
  experts.router_norm->weight.name = prefix + "router.scale";
  experts.router_norm->factor = 1.0 / std::sqrt(static_cast<double>(d));
  experts.factors = TensorNeed{prefix + "router.per_expert_scale", {config.experts->count}};
  experts.beside = BesideNorms{.before = norm("pre_feedforward_layernorm_2"),
                               .inside = norm("post_feedforward_layernorm_2"),
                               .mlp = norm("post_feedforward_layernorm_1")};
}

Result<ModelDescription> DescribeGemma4(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.heads = 8,
                                 .kv_heads = 4,
                                 .vocabulary = 262'144,
                                 .head_dim = 256,
                                 .positions = 131'072,
                                 .theta = 1e6,
                                 .activation_key = "hidden_activation",
                                 .activation = "gelu_pytorch_tanh",
                                 .is_tied = true,
                                 .rotary_layers = "full_attention"}));
  if (const auto sees = json.Value("use_bidirectional_attention"); sees && sees->Text() == "all") {
    return json.Refuse("use_bidirectional_attention",
                       "null; models of this family that look ahead do not open yet");
  }
  HEADSCOPE_TRY(ReadBesideExperts(json, &config));
  HEADSCOPE_TRY(config.query_bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(config.logit_cap, ReadLogitCap(json, 0.0));
  HEADSCOPE_TRY(ReadIntervalWindows(json, kUsualPeriod, 512, &config));
  HEADSCOPE_TRY(ReadWindowRotary(json, "rope_theta", kUsualRotaryBase, &config));
  HEADSCOPE_TRY(const auto is_shared, json.Boolean("attention_k_eq_v", false));
  HEADSCOPE_TRY(const auto is_doubled, json.Boolean("use_double_wide_mlp", false));
  HEADSCOPE_TRY(const auto shared,
                json.Integer("num_kv_shared_layers", 0, config.sizes.layers - 1, 0));
  config.windows.back() = 0;  // whatever is listed
  config.output_bias = config.query_bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.norms = NormPlacing::kBeforeAndInside;
  config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  config.scale = 1.0;
  HEADSCOPE_TRY(const auto wide, ReadWideLayers(json, is_shared, config));
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = wide.head_dim,
                            .positions = config.sizes.positions,
                            .theta = 1e6,
                            .partial_factor = json.Has("rope_parameters") ? 1.0 : 0.25,
                            .layer_type = "full_attention",
                            .scaling = json.Has("rope_parameters") ? "default" : "proportional"}));
  config.rotary = rotary.rule;
  for (const std::int64_t window : config.windows) {
    config.stored_keys.push_back(window > 0 ? config.sizes.kv_heads : wide.kv_heads);
  }
  config.sizes.kv_heads = std::max(config.sizes.kv_heads, wide.kv_heads);
  ModelDescription model = DescribeLlama(kGemma4Family.id, config);
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    const bool is_wide = config.windows[i] == 0;
    LlamaConfig own = config;
    own.sizes.head_dim = is_wide ? wide.head_dim : config.sizes.head_dim;
    if (is_doubled && std::ssize(model.layer) - static_cast<std::int64_t>(i) <= shared) {
      own.sizes.inner *= 2;
    }
    LayerDescription& layer = model.layer[i] = LlamaLayer(i, own);
    layer.own_heads = HeadWidths{own.sizes.head_dim, own.sizes.head_dim};
    layer.value_norm = RmsNorm("", own.sizes.head_dim, config.epsilon);
    layer.stream_factor =
        TensorNeed{.name = fmt::format("layers.{}.layer_scalar", i), .shape = {1}};
    if (config.experts) {
      AddBesideNorms(fmt::format("layers.{}.", i), config, &layer);
    }
    if (is_shared && is_wide) {
      UseKeysAsValues(&layer);
    }
  }
  HEADSCOPE_TRY(ShareLastKeys(json, shared, &model));
  if (type != "gemma4_unified_text") {
    HEADSCOPE_TRY(AddTokenInputs(json, config.epsilon, &model));
  }
  return model;
}

}  // namespace

const Family kGemma4Family = {
    .id = "gemma4_text",
    .other_types = "gemma4_unified_text",
    .describe = DescribeGemma4,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "gemma4_text", "num_hidden_layers": 4, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 6,
                   "global_head_dim": 8, "num_kv_shared_layers": 1, "use_double_wide_mlp": true,
                   "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention", "full_attention"], "hidden_size_per_layer_input": 5,
                   "vocab_size_per_layer_input": 11, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/model/hooked_layout.h"

namespace headscope {
namespace {

constexpr double kLeastDivisor = 1e-6;
constexpr std::int64_t kMostHeads = 32'768;  // each has matrices of its own to describe

Status RefuseOthers(const JsonObject& json) {
  for (const char* key : {"num_experts", "experts_per_token", "rotary_base_local"}) {
    if (json.Has(key)) {
      return json.Refuse(key, "null; TransformerLens models with it do not open");
    }
  }
  for (const char* key : {"load_in_4bit", "use_NTK_by_parts_rope"}) {
    HEADSCOPE_TRY(const auto is_on, json.Boolean(key, false));
    if (is_on) {
      return json.Refuse(key, "false; TransformerLens models with it do not open");
    }
  }
  return {};
}

// Its authors' first configs say "normalization", and name a kind of positions by a flag.
Status ReadKinds(const JsonObject& json, HookedConfig* config) {
  const char* norm = json.Has("normalization") ? "normalization" : "normalization_type";
  HEADSCOPE_TRY(config->norm, json.String(norm, json.IsNull(norm) ? "" : "LN"));
  constexpr std::array<std::string_view, 5> kNorms = {"", "LN", "LNPre", "RMS", "RMSPre"};
  if (config->norm == "None") {
    config->norm.clear();
  }
  if (std::ranges::find(kNorms, config->norm) == kNorms.end()) {
    return json.Refuse(norm, "\"LN\", \"LNPre\", \"RMS\", \"RMSPre\" or null");
  }
  HEADSCOPE_TRY(const auto is_shortformer, json.Boolean("shortformer_pos", false));
  constexpr const char* kPositions = "positional_embedding_type";
  HEADSCOPE_TRY(config->positions,
                json.String(kPositions, is_shortformer ? "shortformer" : "standard"));
  constexpr std::array<std::string_view, 3> kKinds = {"standard", "shortformer", "rotary"};
  if (std::ranges::find(kKinds, config->positions) == kKinds.end()) {
    return json.Refuse(kPositions, "\"standard\", \"shortformer\" or \"rotary\"");
  }
  constexpr const char* kDirection = "attention_dir";
  HEADSCOPE_TRY(const auto direction, json.String(kDirection, "causal"));
  config->is_causal = direction == "causal";
  return config->is_causal || direction == "bidirectional"
             ? Status()
             : json.Refuse(kDirection, "\"causal\" or \"bidirectional\"");
}

Status ReadMlp(const JsonObject& json, HookedConfig* config) {
  HEADSCOPE_TRY(const auto has_attention_only, json.Boolean("attn_only", false));
  HEADSCOPE_TRY(config->has_gate, json.Boolean("gated_mlp", false));
  HEADSCOPE_TRY(config->is_parallel, json.Boolean("parallel_attn_mlp", false));
  config->has_mlp = !has_attention_only;
  if (!config->has_mlp) {
    return {};
  }
  HEADSCOPE_TRY(const auto name, json.String("act_fn"));
  config->norms_activation = name == "solu_ln";
  if (config->norms_activation && config->has_gate) {
    return json.Refuse("gated_mlp", "false beside \"solu_ln\"");
  }
  if (name.starts_with("solu")) {
    config->activation = ActivationKind::kSolu;
    return name == "solu" || name == "solu_ln" ? Status()
                                               : json.Refuse("act_fn", "\"solu\" or \"solu_ln\"");
  }
  HEADSCOPE_TRY(config->activation, ReadActivation(json, "act_fn", ""));
  return {};
}

Status ReadScores(const JsonObject& json, HookedConfig* config) {
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("use_attn_scale", true));
  HEADSCOPE_TRY(const auto divisor, json.Number("attn_scale", -1.0, 1e6, -1.0));
  if (divisor > 0.0 && divisor < kLeastDivisor) {
    return json.Refuse("attn_scale", "-1, or what divides the scores");
  }
  const double usual = std::sqrt(static_cast<double>(config->sizes.head_dim));
  config->scale = !is_scaled ? 1.0 : 1.0 / (divisor > 0.0 ? divisor : usual);
  HEADSCOPE_TRY(config->is_scaled_by_layer, json.Boolean("scale_attn_by_inverse_layer_idx", false));
  HEADSCOPE_TRY(const auto softcap, json.Number("attn_scores_soft_cap", -1.0, 1e6, -1.0));
  config->softcap = std::max(softcap, 0.0);
  config->windows.assign(static_cast<std::size_t>(config->sizes.layers), 0);
  HEADSCOPE_TRY(const auto is_local, json.Boolean("use_local_attn", false));
  if (!is_local) {
    return {};
  }
  HEADSCOPE_TRY(const auto window, json.Integer("window_size", 1, kMaxPositions));
  if (!json.Has("attn_types")) {
    return json.Refuse("attn_types", "\"global\" or \"local\" for each layer");
  }
  std::vector<bool> is_near(config->windows.size());
  HEADSCOPE_TRY(is_near,
                ReadLayerKinds(json, "attn_types", {"global", "local"}, std::move(is_near)));
  for (std::size_t layer = 0; layer < is_near.size(); ++layer) {
    config->windows[layer] = is_near[layer] ? window : 0;
  }
  return {};
}

}  // namespace

Result<HookedConfig> ReadHookedConfig(const JsonObject& json) {
  HEADSCOPE_TRY(RefuseOthers(json));
  HookedConfig config;
  HEADSCOPE_TRY(ReadMlp(json, &config));
  HEADSCOPE_TRY(config.sizes,
                ReadSizes(json,
                          {.layers = "n_layers",
                           .heads = "n_heads",
                           .kv_heads = "n_key_value_heads",
                           .model_dim = "d_model",
                           .head_dim = "d_head",
                           .inner = config.has_mlp ? "d_mlp" : "",
                           .positions = "n_ctx",
                           .vocabulary = "d_vocab",
                           .default_inner_factor = 4}));
  if (config.sizes.heads > kMostHeads / config.sizes.layers) {
    return json.Refuse("n_heads",
                       fmt::format("at most {} in all {} layers", kMostHeads, config.sizes.layers),
                       ErrorCode::kFormat);
  }
  HEADSCOPE_TRY(ReadKinds(json, &config));
  HEADSCOPE_TRY(ReadScores(json, &config));
  HEADSCOPE_TRY(config.epsilon, json.Number("eps", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(config.is_final_rms, json.Boolean("final_rms", false));
  HEADSCOPE_TRY(config.is_normed_twice, json.Boolean("use_normalization_before_and_after", false));
  HEADSCOPE_TRY(config.norms_heads, json.Boolean("use_qk_norm", false));
  HEADSCOPE_TRY(config.norms_embeddings, json.Boolean("post_embedding_ln", false));
  if (config.is_normed_twice && !config.norm.empty() && !config.norm.starts_with("RMS")) {
    return json.Refuse("use_normalization_before_and_after", "false without \"RMS\"");
  }
  if (config.norms_embeddings && config.positions == "standard") {
    return json.Refuse("post_embedding_ln", "false where positions are added after it");
  }
  config.is_normed_twice = config.is_normed_twice && !config.norm.empty();
  return config;
}

}  // namespace headscope

// TransformerLens' HookedTransformer: a matrix for each head, and toys without MLPs, without norms or
// with SoLU. A cfg.json of its own names no "model_type".
//
// Source   Nanda 2022; Elhage 2022 (SoLU); Press 2021 (positions in each layer: Shortformer);
//          tensors as HookedTransformer names them, matrices [in, out].
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kHookedTransformerFamily;
namespace {

constexpr std::array<std::string_view, 1> kPrefixes = {""};
constexpr double kLeastDivisor = 1e-6;
constexpr std::int64_t kMostHeads = 32'768;  // each has matrices of its own to describe

struct HookedConfig {
  StackSizes sizes;
  std::string norm;       // "LN", "LNPre" (without weights), "RMS", "RMSPre" or ""
  std::string positions;  // "standard", "shortformer", "rotary"
  double epsilon = 1e-5;
  bool is_final_rms = false;
  bool has_mlp = true;
  bool has_gate = false;
  bool is_parallel = false;
  bool is_normed_twice = false;
  bool norms_heads = false;
  bool norms_embeddings = false;
  bool is_causal = true;
  ActivationKind activation = ActivationKind::kGelu;
  bool norms_activation = false;
  double scale = 1.0;
  bool is_scaled_by_layer = false;
  double softcap = 0.0;
  std::vector<std::int64_t> windows;  // of each layer; 0: none
};

tl::unexpected<Error> Refuse(const JsonObject& json, std::string_view key, const char* expected) {
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: {} is {}, expected {}",
                          json.name(),
                          Quoted(key),
                          json.Value(key).value_or(JsonValue()).Minified(),
                          expected));
}

Status RefuseOthers(const JsonObject& json) {
  for (const char* key : {"num_experts", "experts_per_token", "rotary_base_local"}) {
    if (json.Has(key)) {
      return Refuse(json, key, "null; TransformerLens models with it do not open");
    }
  }
  for (const char* key : {"load_in_4bit", "use_NTK_by_parts_rope"}) {
    HEADSCOPE_TRY(const auto is_on, json.Boolean(key, false));
    if (is_on) {
      return Refuse(json, key, "false; TransformerLens models with it do not open");
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
    return Refuse(json, norm, "\"LN\", \"LNPre\", \"RMS\", \"RMSPre\" or null");
  }
  HEADSCOPE_TRY(const auto is_shortformer, json.Boolean("shortformer_pos", false));
  constexpr const char* kPositions = "positional_embedding_type";
  HEADSCOPE_TRY(config->positions,
                json.String(kPositions, is_shortformer ? "shortformer" : "standard"));
  constexpr std::array<std::string_view, 3> kKinds = {"standard", "shortformer", "rotary"};
  if (std::ranges::find(kKinds, config->positions) == kKinds.end()) {
    return Refuse(json, kPositions, "\"standard\", \"shortformer\" or \"rotary\"");
  }
  constexpr const char* kDirection = "attention_dir";
  HEADSCOPE_TRY(const auto direction, json.String(kDirection, "causal"));
  config->is_causal = direction == "causal";
  return config->is_causal || direction == "bidirectional"
             ? Status()
             : Refuse(json, kDirection, "\"causal\" or \"bidirectional\"");
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
    return Refuse(json, "gated_mlp", "false beside \"solu_ln\"");
  }
  if (name.starts_with("solu")) {
    config->activation = ActivationKind::kSolu;
    return name == "solu" || name == "solu_ln" ? Status()
                                               : Refuse(json, "act_fn", "\"solu\" or \"solu_ln\"");
  }
  HEADSCOPE_TRY(config->activation, ReadActivation(json, "act_fn", ""));
  return {};
}

Status ReadScores(const JsonObject& json, HookedConfig* config) {
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("use_attn_scale", true));
  HEADSCOPE_TRY(const auto divisor, json.Number("attn_scale", -1.0, 1e6, -1.0));
  if (divisor > 0.0 && divisor < kLeastDivisor) {
    return Refuse(json, "attn_scale", "-1, or what divides the scores");
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
  HEADSCOPE_TRY(const auto types, json.Array("attn_types"));
  if (!types || types->size() < config->windows.size()) {
    return Refuse(json, "attn_types", "\"global\" or \"local\" for each layer");
  }
  for (std::size_t layer = 0; layer < config->windows.size(); ++layer) {
    config->windows[layer] = (*types)[layer].Text().value_or("") == "local" ? window : 0;
  }
  return {};
}

Result<HookedConfig> ReadHooked(const JsonObject& json) {
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
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"n_heads\" is {} in {} layers, expected at most {} in all",
                            json.name(),
                            config.sizes.heads,
                            config.sizes.layers,
                            kMostHeads));
  }
  HEADSCOPE_TRY(ReadKinds(json, &config));
  HEADSCOPE_TRY(ReadScores(json, &config));
  HEADSCOPE_TRY(config.epsilon, json.Number("eps", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(config.is_final_rms, json.Boolean("final_rms", false));
  HEADSCOPE_TRY(config.is_normed_twice, json.Boolean("use_normalization_before_and_after", false));
  HEADSCOPE_TRY(config.norms_heads, json.Boolean("use_qk_norm", false));
  HEADSCOPE_TRY(config.norms_embeddings, json.Boolean("post_embedding_ln", false));
  if (config.is_normed_twice && !config.norm.empty() && !config.norm.starts_with("RMS")) {
    return Refuse(json, "use_normalization_before_and_after", "false without \"RMS\"");
  }
  if (config.norms_embeddings && config.positions == "standard") {
    return Refuse(json, "post_embedding_ln", "false where positions are added after it");
  }
  config.is_normed_twice = config.is_normed_twice && !config.norm.empty();
  return config;
}

NormNeed LensNorm(const HookedConfig& config,
                  const std::string& name,
                  std::int64_t width,
                  bool is_rms,
                  bool is_stored) {
  NormNeed norm{.kind = is_rms ? NormKind::kRms : NormKind::kLayer,
                .weight = {is_stored ? name + ".w" : "", {width}},
                .bias = std::nullopt,
                .epsilon = config.epsilon};
  if (is_stored && !is_rms) {
    norm.bias = TensorNeed{name + ".b", {width}};
  }
  return norm;
}

// Returns the model's usual norm, or none where it has none.
std::optional<NormNeed> UsualNorm(const HookedConfig& config, const std::string& name) {
  return config.norm.empty() ? std::nullopt
                             : std::optional(LensNorm(config,
                                                      name,
                                                      config.sizes.model_dim,
                                                      config.norm.starts_with("RMS"),
                                                      !config.norm.ends_with("Pre")));
}

// Adds one matrix [d, head_dim] for each head; keys and values shared by heads are named "_W_K".
void AddHeads(const std::string& attention,
              const std::string& kind,
              std::int64_t heads,
              const StackSizes& sizes,
              std::vector<LinearNeed::Matrix>* parts) {
  const auto need =
      [&](const std::string& name, std::vector<std::int64_t> shape, const RowRange& rows) {
        return TensorNeed{.name = attention + name,
                          .shape = std::move(shape),
                          .rows = rows,
                          .stand_ins = {fmt::format("{}_{}", attention, name)}};
      };
  const std::int64_t width = sizes.model_dim;
  for (std::int64_t head = 0; head < heads; ++head) {
    parts->push_back(
        {.weight = need("W_" + kind, {heads, width, sizes.head_dim}, {head * width, width}),
         .bias = need("b_" + kind, {heads, sizes.head_dim}, {head, 1})});
  }
}

// "blocks.0.mlp.", "_in": W_in and b_in.
LinearNeed::Matrix InOut(const std::string& module,
                         const char* name,
                         std::vector<std::int64_t> shape) {
  const std::int64_t out = shape.back();
  return {.weight = {fmt::format("{}W{}", module, name), std::move(shape)},
          .bias = TensorNeed{fmt::format("{}b{}", module, name), {out}}};
}

LinearNeed InOutProduct(std::int64_t in, std::vector<LinearNeed::Matrix> parts) {
  return {.layout = WeightLayout::kInOut, .in = in, .matrices = std::move(parts)};
}

LayerDescription HookedLayer(std::int64_t index, const HookedConfig& config) {
  const std::string prefix = fmt::format("blocks.{}.", index);
  const std::string attention = prefix + "attn.";
  const StackSizes& sizes = config.sizes;
  const std::int64_t width = sizes.model_dim;
  LayerDescription layer;
  layer.attention_norm.before = UsualNorm(config, prefix + "ln1");
  std::vector<LinearNeed::Matrix> heads;
  AddHeads(attention, "Q", sizes.heads, sizes, &heads);
  AddHeads(attention, "K", sizes.kv_heads, sizes, &heads);
  AddHeads(attention, "V", sizes.kv_heads, sizes, &heads);
  layer.query_key_value = InOutProduct(width, std::move(heads));
  if (config.norms_heads) {
    layer.query_norm = LensNorm(config, attention + "q_norm", sizes.head_dim, true, true);
    layer.key_norm = LensNorm(config, attention + "k_norm", sizes.head_dim, true, true);
  }
  layer.output = InOutProduct(sizes.heads * sizes.head_dim,
                              {InOut(attention, "_O", {sizes.heads, sizes.head_dim, width})});
  layer.rule = {.scale = config.scale,
                .softcap = config.softcap,
                .causal = config.is_causal,
                .window = config.windows[static_cast<std::size_t>(index)]};
  if (config.is_scaled_by_layer) {
    layer.rule.scale /= static_cast<double>(index + 1);
  }
  if (config.is_normed_twice) {
    layer.attention_norm.inside = LensNorm(config, prefix + "ln1_post", width, true, true);
  }
  if (!config.has_mlp) {
    return layer;
  }
  const std::string mlp = prefix + "mlp.";
  layer.is_parallel = config.is_parallel;
  layer.mlp_norm.before = UsualNorm(config, prefix + "ln2");
  if (config.is_normed_twice) {
    layer.mlp_norm.inside = LensNorm(config, prefix + "ln2_post", width, true, true);
  }
  layer.mlp_up = InOutProduct(width, {InOut(mlp, "_in", {width, sizes.inner})});
  if (config.has_gate) {  // the bias is added after the gate, and is 0 where a Llama was converted
    layer.mlp_up.matrices.front().bias.reset();
    layer.mlp_gate = InOutProduct(
        width, {{.weight = {mlp + "W_gate", {width, sizes.inner}}, .bias = std::nullopt}});
  }
  if (config.norms_activation) {
    layer.mlp_inner_norm = LensNorm(config, mlp + "ln", sizes.inner, false, config.norm == "LN");
  }
  layer.mlp_down = InOutProduct(sizes.inner, {InOut(mlp, "_out", {sizes.inner, width})});
  layer.activation = config.activation;
  return layer;
}

Status AddPositions(const JsonObject& json, const HookedConfig& config, ModelDescription* model) {
  const StackSizes& sizes = config.sizes;
  const TensorNeed table{"pos_embed.W_pos", {sizes.positions, sizes.model_dim}};
  if (config.positions == "rotary") {
    HEADSCOPE_TRY(const auto turned, json.Integer("rotary_dim", 2, sizes.head_dim, sizes.head_dim));
    HEADSCOPE_TRY(const auto base,
                  json.Number("rotary_base", 1.0, kMaxRotaryBase, kUsualRotaryBase));
    HEADSCOPE_TRY(const auto is_adjacent, json.Boolean("rotary_adjacent_pairs", false));
    RotaryRule rule;
    rule.dims = turned;
    rule.theta = base;
    for (std::int64_t i = 0; i < turned / 2; ++i) {
      rule.table.inverse_frequency.push_back(
          std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(turned)));
    }
    rule.table.pairs_neighbours = is_adjacent;
    model->position_scheme = PositionScheme::kRotary;
    model->rotary = {std::move(rule)};
  } else if (config.positions == "shortformer") {
    model->layer_positions = table;
  } else {
    model->position_scheme = PositionScheme::kLearned;
    model->position_embedding = table;
  }
  return {};
}

Result<ModelDescription> DescribeHooked(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadHooked(json));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kHookedTransformerFamily.id, sizes, "embed.W_E");
  model.causal = config.is_causal;
  HEADSCOPE_TRY(AddPositions(json, config, &model));
  if (config.norms_embeddings) {
    model.embedding_norm = LensNorm(config, "embed.ln", sizes.model_dim, false, true);
  }
  model.final_norm = UsualNorm(config, "ln_final");
  if (config.is_final_rms && model.final_norm) {
    model.final_norm =
        LensNorm(config, "ln_final", sizes.model_dim, true, !config.norm.ends_with("Pre"));
  }
  HEADSCOPE_TRY(const auto made, json.Integer("d_vocab_out", -1, kMaxVocabulary, -1));
  if (model.causal && (made < 0 || made == sizes.vocabulary)) {
    model.output_layer = OutputNamed("unembed", model);
    model.output_layer->weight.name = "unembed.W_U";
    model.output_layer->weight.is_turned = true;
    model.output_layer->bias->name = "unembed.b_U";
  }
  HEADSCOPE_TRY(model.tokenizer_name, json.String("tokenizer_name", ""));
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(HookedLayer(layer, config));
    if (config.positions == "rotary") {
      model.layer.back().rotary = 0;
    }
  }
  return model;
}

}  // namespace

const Family kHookedTransformerFamily = {
    .id = "hooked_transformer",
    .describe = DescribeHooked,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "hooked_transformer", "n_layers": 3, "n_heads": 3, "d_model": 12,
                   "d_head": 4, "d_mlp": 10, "n_ctx": 16, "d_vocab": 11, "act_fn": "solu_ln",
                   "positional_embedding_type": "shortformer"})",
};

}  // namespace headscope

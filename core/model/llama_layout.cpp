#include "core/model/llama_layout.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

NormNeed Norm(const std::string& name, std::int64_t width, const LlamaConfig& config) {
  const HasBias bias =
      config.has_norm_weights && config.has_norm_bias ? HasBias::kYes : HasBias::kNo;
  NormNeed norm = config.norm_kind == NormKind::kRms ? RmsNorm(name, width, config.epsilon)
                                                     : LayerNorm(name, width, config.epsilon, bias);
  norm.weight_offset = config.norm_offset;
  if (!config.has_norm_weights) {
    norm.weight.name.clear();
  }
  return norm;
}

// In a layer with norms on the results, the two usual ones keep their names but not their places.
void AddNorms(const std::string& prefix, const LlamaConfig& config, LayerDescription* layer) {
  const std::int64_t width = config.sizes.model_dim;
  const auto norm = [&](std::string_view name) {
    return Norm(prefix + std::string(name), width, config);
  };
  if (config.norms != NormPlacing::kInside) {
    layer->attention_norm.before = norm("input_layernorm");
  }
  if (config.norms == NormPlacing::kBefore) {
    if (!config.is_parallel) {
      layer->mlp_norm.before = norm(config.names.mlp_norm);
    }
    return;
  }
  layer->attention_norm.inside = norm("post_attention_layernorm");
  layer->mlp_norm.inside = norm("post_feedforward_layernorm");
  if (config.norms == NormPlacing::kBeforeAndInside) {
    layer->mlp_norm.before = norm("pre_feedforward_layernorm");
  }
}

// Returns a matrix of each head's keys or values. A layer may have fewer of them than the stack, by a
// whole number: each then serves several heads in turn.
std::vector<LinearNeed::Matrix> KeyParts(const std::string& name,
                                         std::int64_t stored,
                                         std::int64_t head_width,
                                         const LlamaConfig& config) {
  const LinearNeed::Matrix whole =
      MatrixPart(name, config.sizes.model_dim, stored * head_width, config.query_bias);
  if (stored == config.sizes.kv_heads) {
    return {whole};
  }
  std::vector<LinearNeed::Matrix> parts;
  for (std::int64_t head = 0; head < config.sizes.kv_heads; ++head) {
    parts.push_back(RowsOf(whole, head * stored / config.sizes.kv_heads * head_width, head_width));
  }
  return parts;
}

LinearNeed QueryKeyValue(const std::string& attention,
                         std::size_t index,
                         const LlamaConfig& config) {
  const LlamaNames& names = config.names;
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t head_dim = config.sizes.head_dim;
  const std::int64_t value_dim = config.value_dim > 0 ? config.value_dim : head_dim;
  const std::int64_t query_width = config.sizes.heads * head_dim;
  if (!names.fused_queries.empty()) {
    return Product({MatrixPart(attention + std::string(names.fused_queries),
                               width,
                               query_width + config.sizes.kv_heads * (head_dim + value_dim),
                               config.query_bias)});
  }
  const std::int64_t stored =
      config.stored_keys.empty() ? config.sizes.kv_heads : config.stored_keys[index];
  std::vector<LinearNeed::Matrix> parts = {
      MatrixPart(attention + "q_proj", width, query_width, config.query_bias)};
  for (LinearNeed::Matrix& key : KeyParts(attention + "k_proj", stored, head_dim, config)) {
    parts.push_back(std::move(key));
  }
  for (LinearNeed::Matrix& value : KeyParts(attention + "v_proj", stored, value_dim, config)) {
    parts.push_back(std::move(value));
  }
  return Product(std::move(parts));
}

// Gives each head weights of its own: a row of one tensor, or a tensor each.
void UseOwnWeights(const std::string& name,
                   std::int64_t heads,
                   bool has_tensor_each,
                   NormNeed* norm) {
  const std::int64_t width = norm->weight.shape.front();
  norm->weight.name.clear();
  norm->bias.reset();
  for (std::int64_t head = 0; head < heads; ++head) {
    norm->of_heads.push_back(
        has_tensor_each
            ? TensorNeed{.name = fmt::format("{}.norms.{}.weight", name, head), .shape = {width}}
            : TensorNeed{
                  .name = name + ".weight", .shape = {heads, width}, .rows = RowRange{head, 1}});
  }
}

void AddProjections(const std::string& attention,
                    std::size_t index,
                    const LlamaConfig& config,
                    LayerDescription* layer) {
  const LlamaNames& names = config.names;
  const std::int64_t width = config.sizes.model_dim;
  if (config.latent) {
    const std::int64_t context = config.sizes.heads * config.latent->value;
    layer->latent = LatentsNamed(attention, *config.latent, config.sizes);
    layer->output = Product(
        {MatrixPart(attention + std::string(names.output), context, width, config.latent->bias)});
    return;
  }
  const std::int64_t head_dim = config.sizes.head_dim;
  const std::int64_t context =
      config.sizes.heads * (config.value_dim > 0 ? config.value_dim : head_dim);
  layer->query_key_value = QueryKeyValue(attention, index, config);
  layer->output = Product(
      {MatrixPart(attention + std::string(names.output), context, width, config.output_bias)});
  layer->value_factor = config.value_factor;
  if (const auto& gate = config.output_gate) {
    layer->output_gate =
        OutputGate{.product = Product({MatrixPart(attention + std::string(gate->name),
                                                  width,
                                                  gate->is_of_heads ? config.sizes.heads : context,
                                                  HasBias::kNo)}),
                   .activation = gate->activation};
  }
  if (config.query_key_norm != QueryKeyNorm::kNone) {
    const bool is_whole = config.query_key_norm == QueryKeyNorm::kWholeWidth;
    const auto norm = [&](std::string_view name, std::int64_t heads) {
      const std::string full = attention + std::string(name);
      NormNeed made = Norm(full, is_whole ? heads * head_dim : head_dim, config);
      if (config.query_key_norm == QueryKeyNorm::kHeadsOwn) {
        UseOwnWeights(full, heads, names.has_norm_each, &made);
      }
      return made;
    };
    layer->query_norm = norm(names.query_norm, config.sizes.heads);
    layer->key_norm = norm(names.key_norm, config.sizes.kv_heads);
  }
}

void AddMlp(const std::string& prefix, const LlamaConfig& config, LayerDescription* layer) {
  const LlamaNames& names = config.names;
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  const auto part = [&](std::string_view name, std::int64_t in, std::int64_t out) {
    return MatrixPart(prefix + std::string(name), in, out, config.mlp_bias);
  };
  if (!names.fused_gate.empty()) {
    // Both halves of one matrix.
    const LinearNeed::Matrix whole = part(names.fused_gate, width, 2 * inner);
    layer->mlp_gate = Product({RowsOf(whole, 0, inner)});
    layer->mlp_up = Product({RowsOf(whole, inner, inner)});
  } else {
    layer->mlp_up = Product({part(names.up, width, inner)});
    if (!names.gate.empty()) {
      layer->mlp_gate = Product({part(names.gate, width, inner)});
    }
  }
  layer->mlp_down = Product({part(names.down, inner, width)});
  layer->activation = config.activation;
}

void AddExperts(const std::string& prefix, const LlamaConfig& config, LayerDescription* layer) {
  const LlamaExperts& experts = *config.experts;
  const std::string block = prefix + std::string(experts.block);
  const std::int64_t width = config.sizes.model_dim;
  const auto mlp = [&](const std::string& name, std::int64_t inner) {
    const auto part = [&](std::string_view own, std::int64_t in, std::int64_t out) {
      return Product({MatrixPart(name + std::string(own), in, out, HasBias::kNo)});
    };
    return MlpNeeds{.up = part(experts.up, width, inner),
                    .gate = experts.gate.empty() ? std::nullopt
                                                 : std::optional(part(experts.gate, width, inner)),
                    .down = part(experts.down, inner, width)};
  };
  layer->experts = ExpertsDescription{
      .router = Product({MatrixPart(
          block + std::string(experts.router), width, experts.count + experts.idle, HasBias::kNo)}),
      .choice = experts.choice,
      .expert = {},
      .idle = experts.idle,
      .weighs_input = experts.weighs_input,
      .joins_next = experts.joins_next,
      .shared_factor = experts.shared_factor};
  if (!experts.correction.empty()) {
    layer->experts->correction =
        TensorNeed{block + std::string(experts.correction), {experts.count + experts.idle}};
  }
  for (std::int64_t i = 0; i < experts.count; ++i) {
    layer->experts->expert.push_back(mlp(fmt::format("{}experts.{}.", block, i), experts.inner));
  }
  if (experts.shared_inner > 0) {
    layer->experts->shared = mlp(block + std::string(experts.shared), experts.shared_inner);
  }
  if (experts.shared_inner > 0 && !experts.shared_gate.empty()) {
    layer->experts->shared_gate =
        Product({MatrixPart(block + std::string(experts.shared_gate), width, 1, HasBias::kNo)});
  }
  layer->activation = config.activation;
}

}  // namespace

Result<LlamaConfig> ReadLlamaConfig(const JsonObject& json, const LlamaDefaults& defaults) {
  LlamaConfig config;
  if (defaults.has_latents) {
    HEADSCOPE_TRY(const auto latent, ReadLatentSizes(json));
    config.latent = latent;
  }
  HEADSCOPE_TRY(
      const auto sizes,
      ReadSizes(json,
                {.layers = defaults.layers_key,
                 .kv_heads = "num_key_value_heads",
                 .head_dim = config.latent ? "" : "head_dim",
                 .inner = defaults.inner_key,
                 .default_layers = defaults.layers,
                 .default_heads = defaults.heads,
                 .default_kv_heads = defaults.kv_heads,
                 .default_head_dim = config.latent ? config.latent->head_dim() : defaults.head_dim,
                 .default_vocabulary = defaults.vocabulary,
                 .default_positions = defaults.positions,
                 .default_inner_factor = defaults.inner_factor}));
  if (config.latent && sizes.kv_heads != sizes.heads) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"num_key_value_heads\" is {}, expected {}, as many as heads: keys "
                    "made of a latent are each head's own",
                    json.name(),
                    sizes.kv_heads,
                    sizes.heads));
  }
  const bool turns_partly = defaults.partial_factor > 0.0;
  const std::int64_t turning = config.latent ? config.latent->turned : sizes.head_dim;
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = turning,
                            .positions = sizes.positions,
                            .theta = defaults.theta,
                            .partial_factor = turns_partly ? defaults.partial_factor : 1.0,
                            .reads_part = defaults.reads_part,
                            .layer_type = defaults.rotary_layers}));
  if (!turns_partly && rotary.rule.dims != turning) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"partial_rotary_factor\" lets {} of the {} columns of a head turn, "
                    "expected all of them in this family",
                    json.name(),
                    rotary.rule.dims,
                    turning));
  }
  HEADSCOPE_TRY(const auto epsilon,
                json.Number(defaults.epsilon_key, 0.0, 1000.0, defaults.epsilon));
  HEADSCOPE_TRY(const auto activation,
                ReadActivation(json, defaults.activation_key, defaults.activation));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", defaults.is_tied));
  config.sizes = sizes;
  config.sizes.positions = rotary.positions;
  config.rotary = rotary.rule;
  config.epsilon = epsilon;
  config.activation = activation;
  config.is_tied = is_tied;
  config.scale = UsualScale(sizes.head_dim) * (config.latent ? rotary.score_gain : 1.0);
  return config;
}

LayerDescription LlamaLayer(std::size_t index, const LlamaConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::int64_t window = config.windows.empty() ? 0 : config.windows[index];
  LayerDescription layer;
  AddNorms(prefix, config, &layer);
  AddProjections(prefix + std::string(config.names.attention), index, config, &layer);
  if (config.turns.empty() || config.turns[index]) {
    layer.rotary = window > 0 && config.window_rotary ? 1 : 0;
  }
  layer.rule = {.scale = config.scale,
                .softcap = config.softcap,
                .causal = config.is_causal,
                .window = window};
  layer.projection_limit = config.projection_limit;
  layer.query_growth = config.query_growth;
  layer.is_parallel = config.is_parallel;
  layer.is_rotated_first = config.is_rotated_first;
  const bool has_experts =
      config.experts && (config.experts->layers.empty() || config.experts->layers[index]);
  if (has_experts) {
    AddExperts(prefix, config, &layer);
  }
  if (!has_experts || config.experts->joins_next || config.experts->has_mlp_too) {
    AddMlp(prefix, config, &layer);
  }
  return layer;
}

ModelDescription DescribeLlama(std::string_view family, const LlamaConfig& config) {
  ModelDescription model = StartDescription(family, config.sizes, "embed_tokens.weight");
  model.ties_embeddings = config.is_tied;
  model.value_dim = config.latent          ? config.latent->value
                    : config.value_dim > 0 ? config.value_dim
                                           : model.head_dim;
  model.position_scheme = PositionScheme::kRotary;
  model.causal = config.is_causal;
  model.rotary = {config.rotary};
  if (config.window_rotary) {
    model.rotary.push_back(*config.window_rotary);
  }
  model.embedding_scale = config.embedding_scale;
  model.output_layer = OutputNamed("lm_head", model);
  model.output_layer->scale = config.output_scale;
  model.output_layer->softcap = config.logit_cap;
  model.final_norm = Norm("norm", config.sizes.model_dim, config);
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(config.sizes.layers); ++layer) {
    model.layer.push_back(LlamaLayer(layer, config));
  }
  return model;
}

Status ReadAttentionAndMlpBias(const JsonObject& json, LlamaConfig* config, bool fallback) {
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", fallback));
  HEADSCOPE_TRY(const auto mlp_bias, ReadBias(json, "mlp_bias", fallback));
  config->query_bias = bias;
  config->output_bias = bias;
  config->mlp_bias = mlp_bias;
  return {};
}

Status ReadIntervalWindows(const JsonObject& json,
                           std::int64_t interval,
                           std::optional<std::int64_t> window,
                           LlamaConfig* config) {
  HEADSCOPE_TRY(const auto read, json.Integer("sliding_window", 0, kMaxPositions, window));
  const auto slides = [&](auto layer) { return interval > 0 && (layer + 1) % interval != 0; };
  HEADSCOPE_TRY(config->windows,
                ReadWindows(json, read, LayersWhere(config->sizes.layers, slides)));
  return {};
}

void TurnInWindowsAlone(LlamaConfig* config) {
  config->turns.clear();
  for (const std::int64_t window : config->windows) {
    config->turns.push_back(window > 0);
  }
}

Status ReadWindowRotary(const JsonObject& json,
                        std::string_view theta_key,
                        double theta,
                        LlamaConfig* config) {
  HEADSCOPE_TRY(const auto reading,
                ReadRotary(json,
                           {.head_dim = config->sizes.head_dim,
                            .positions = config->sizes.positions,
                            .theta = theta,
                            .theta_key = theta_key,
                            .layer_type = "sliding_attention"}));
  config->window_rotary = reading.rule;
  return {};
}

Status ReadQueryGrowth(const JsonObject& json, LlamaConfig* config) {
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    HEADSCOPE_TRY(const auto rotary, json.Object(key));
    if (!rotary || !rotary->Has("llama_4_scaling_beta")) {
      continue;
    }
    HEADSCOPE_TRY(const auto strength, rotary->Number("llama_4_scaling_beta", -1e6, 1e6));
    HEADSCOPE_TRY(
        const auto interval,
        rotary->Integer(
            "original_max_position_embeddings", 1, kMaxPositions, config->sizes.positions));
    config->query_growth =
        QueryGrowth{.strength = strength, .interval = static_cast<double>(interval)};
    return {};
  }
  return {};
}

Status LeaveOutPredictors(const JsonObject& json, ModelDescription* model) {
  HEADSCOPE_TRY(const auto count, json.Integer("num_nextn_predict_layers", 0, kMaxLayers, 1));
  for (std::int64_t i = 0; i < count; ++i) {
    model->unread.push_back(fmt::format("layers.{}.", model->layers + i));
  }
  return {};
}

Status RefuseBidirectional(const JsonObject& json) {
  HEADSCOPE_TRY(const auto looks_ahead, json.Boolean("use_bidirectional_attention", false));
  return looks_ahead ? json.Refuse("use_bidirectional_attention",
                                   "false; models of this family that look ahead do not open yet")
                     : Status();
}

Status ReadUpperWindows(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto uses_window, json.Boolean("use_sliding_window", false));
  const auto read = [&](std::string_view key, std::int64_t fallback) {
    return uses_window ? json.Integer(key, 0, kMaxPositions, fallback) : Result<std::int64_t>(0);
  };
  HEADSCOPE_TRY(const auto window,
                read("sliding_window", json.IsNull("sliding_window") ? 0 : 4096));
  HEADSCOPE_TRY(const auto first, read("max_window_layers", 28));
  const bool has_window = uses_window && window > 0;
  const auto slides = [&](auto layer) { return has_window && layer >= first; };
  HEADSCOPE_TRY(
      config->windows,
      ReadWindows(json, has_window ? window : 0, LayersWhere(config->sizes.layers, slides)));
  return {};
}

}  // namespace headscope

// Granite 3: Llama's layout; embeddings, scores and what each half adds are multiplied. HyperCLOVA X
// norms what each half adds, too. Granite SWA has windows in most layers, a base of the rotary
// positions in each, and sinks.
//
// With r the multiplier of what is added, the stream divided by r has plain additions: embeddings
// are divided by r once, and the norms' epsilons by r squared. Maps and outputs are the same.
//
// Source   Granite Team 2024; HyperCLOVA X Team 2025; tensors as transformers' classes name them.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGraniteFamily;
namespace {

constexpr double kMostMultiplier = 1e6;
constexpr std::array<OtherName, 3> kClovaNames = {
    {{"post_attention_layernorm.", "post_norm1."},
     {"pre_feedforward_layernorm.", "post_attention_layernorm."},
     {"post_feedforward_layernorm.", "post_norm2."}}};

// Without "layer_types" every fourth layer, from the first one on, sees all keys.
Status ReadSwaWindows(const JsonObject& json, LlamaConfig* config) {
  constexpr std::int64_t kInterval = 4;
  HEADSCOPE_TRY(
      const auto window,
      json.Integer("sliding_window", 0, kMaxPositions, json.IsNull("sliding_window") ? 0 : 128));
  std::vector<bool> slides;
  for (std::int64_t layer = 0; layer < config->sizes.layers; ++layer) {
    slides.push_back(layer % kInterval != 0);
  }
  HEADSCOPE_TRY(auto windows, ReadWindows(json, window, std::move(slides)));
  config->windows = std::move(windows);
  return {};
}

// Returns the base of each layer's rotary positions, 0: none; empty: the model's.
Result<std::vector<double>> ReadLayerBases(const JsonObject& json, std::int64_t layers) {
  constexpr const char* kKey = "layer_rope_theta";
  HEADSCOPE_TRY(const auto list, json.Array(kKey));
  std::vector<double> bases;
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const double base = (*list)[i].Number().value_or(-1.0);
    if (base != 0.0 && !(base >= 1.0 && base <= kMaxRotaryBase)) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"{}\" has for layer {} no number from 1 to {:g}, and no 0",
                              json.name(),
                              kKey,
                              i,
                              kMaxRotaryBase));
    }
    bases.push_back(base);
  }
  if (list && std::ssize(bases) != layers) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"{}\" has {} numbers, expected one for each of {} layers",
                            json.name(),
                            kKey,
                            bases.size(),
                            layers));
  }
  const auto scaling = json.Value("rope_parameters").value_or(JsonValue()).Find("rope_type");
  const std::string_view kind = scaling ? scaling->Text().value_or("") : "";
  if (!bases.empty() && (json.Value("rope_scaling") || !(kind.empty() || kind == "default"))) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"{}\" is there beside scaled rotary positions, expected one of "
                            "both; the two together do not open yet",
                            json.name(),
                            kKey));
  }
  return bases;
}

void UseLayerBases(const std::vector<double>& bases, ModelDescription* model) {
  if (bases.empty()) {
    return;
  }
  const RotaryRule usual = model->rotary.front();
  model->rotary.clear();
  std::vector<double> used;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    LayerDescription& layer = model->layer[i];
    layer.rotary.reset();
    if (bases[i] == 0.0) {
      continue;
    }
    const auto found = std::ranges::find(used, bases[i]);
    layer.rotary = static_cast<std::size_t>(found - used.begin());
    if (found != used.end()) {
      continue;
    }
    used.push_back(bases[i]);
    RotaryRule rule = usual;
    rule.theta = bases[i];
    for (std::size_t pair = 0; pair < rule.table.inverse_frequency.size(); ++pair) {
      rule.table.inverse_frequency[pair] =
          std::pow(bases[i], -2.0 * static_cast<double>(pair) / static_cast<double>(rule.dims));
    }
    model->rotary.push_back(std::move(rule));
  }
  if (model->rotary.empty()) {
    model->rotary.push_back(usual);
  }
}

Result<ModelDescription> DescribeSwa(const JsonObject& json, LlamaConfig config) {
  HEADSCOPE_TRY(ReadSwaWindows(json, &config));
  HEADSCOPE_TRY(const auto bases, ReadLayerBases(json, config.sizes.layers));
  ModelDescription model = DescribeLlama(kGraniteFamily.id, config);
  UseLayerBases(bases, &model);
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    model.layer[i].sinks = TensorNeed{.name = fmt::format("layers.{}.self_attn.sinks", i),
                                      .shape = {config.sizes.heads}};
  }
  return model;
}

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
  HEADSCOPE_TRY(const auto embedding,
                json.Number("embedding_multiplier", -kMostMultiplier, kMostMultiplier, 1.0));
  HEADSCOPE_TRY(const auto added,
                json.Number("residual_multiplier", 1.0 / kMostMultiplier, kMostMultiplier, 1.0));
  HEADSCOPE_TRY(const auto scale,
                json.Number("attention_multiplier",
                            -kMostMultiplier,
                            kMostMultiplier,
                            is_clova ? UsualScale(config.sizes.head_dim) : 1.0));
  HEADSCOPE_TRY(const auto norms_results, json.Boolean("use_post_norm", is_clova));
  config.scale = scale;
  config.embedding_scale = embedding / added;
  config.epsilon /= added * added;
  if (is_swa) {
    return DescribeSwa(json, std::move(config));
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

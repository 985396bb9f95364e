#include "core/model/granite_layout.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::int64_t kInterval = 4;
constexpr double kMostFactor = 1e6;

// Without "layer_types" every fourth layer, from the first one on, sees all keys.
Status ReadSwaWindows(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(
      const auto window,
      json.Integer("sliding_window", 0, kMaxPositions, json.IsNull("sliding_window") ? 0 : 128));
  auto slides =
      LayersWhere(config->sizes.layers, [](auto layer) { return layer % kInterval != 0; });
  HEADSCOPE_TRY(config->windows, ReadWindows(json, window, std::move(slides)));
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

}  // namespace

Result<double> ReadGraniteFactors(const JsonObject& json, double usual_scale, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto embedding,
                json.Number("embedding_multiplier", -kMostFactor, kMostFactor, 1.0));
  HEADSCOPE_TRY(const auto added,
                json.Number("residual_multiplier", 1.0 / kMostFactor, kMostFactor, 1.0));
  HEADSCOPE_TRY(config->scale,
                json.Number("attention_multiplier", -kMostFactor, kMostFactor, usual_scale));
  HEADSCOPE_TRY(const auto logits,
                json.Number("logits_scaling", 1.0 / kMostFactor, kMostFactor, 1.0));
  config->output_scale = 1.0 / logits;
  config->embedding_scale = embedding / added;
  config->epsilon /= added * added;
  return added;
}

MlpNeeds GraniteSharedMlp(std::size_t layer,
                          std::int64_t width,
                          std::int64_t inner,
                          bool is_apart) {
  const std::string name = fmt::format("layers.{}.shared_mlp.", layer);
  const auto both = MatrixPart(name + "input_linear", width, 2 * inner, HasBias::kNo);
  const auto part = [&](const char* own, std::int64_t first) {
    return Product({is_apart ? MatrixPart(name + own, width, inner, HasBias::kNo)
                             : RowsOf(both, first, inner)});
  };
  return {.up = part("up", inner),
          .gate = part("gate", 0),
          .down = Product({MatrixPart(name + "output_linear", inner, width, HasBias::kNo)})};
}

Result<ModelDescription> DescribeGraniteSwa(std::string_view family,
                                            const JsonObject& json,
                                            LlamaConfig config) {
  HEADSCOPE_TRY(ReadSwaWindows(json, &config));
  HEADSCOPE_TRY(const auto bases, ReadLayerBases(json, config.sizes.layers));
  ModelDescription model = DescribeLlama(family, config);
  UseLayerBases(bases, &model);
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    model.layer[i].sinks = TensorNeed{.name = fmt::format("layers.{}.self_attn.sinks", i),
                                      .shape = {config.sizes.heads}};
  }
  return model;
}

}  // namespace headscope

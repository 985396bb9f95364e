// Switch Transformers: T5 with experts in every few layers; each token goes to one, which has room for
// so many tokens of a text.
//
// Source   Fedus 2021; tensors as the files on the Hub name them.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/model/t5_layout.h"

namespace headscope {
extern const Family kSwitchFamily;
namespace {

constexpr std::array<std::string_view, 1> kSwitchPrefixes = {""};
constexpr std::array<OtherName, 1> kMlpName = {{{"DenseReluDense.", "mlp."}}};

struct SwitchConfig {
  std::int64_t experts = 0;
  std::int64_t capacity = 0;
  HasBias router_bias = HasBias::kNo;
};

// Puts experts in the place of a layer's MLP, whose tensors begin with `mlp`.
void UseExperts(const std::string& mlp, const SwitchConfig& config, LayerDescription* layer) {
  const std::int64_t width = layer->mlp_up.in;
  const std::int64_t inner = layer->mlp_down.in;
  ExpertsDescription experts{
      .router = Product(
          {MatrixPart(mlp + "router.classifier", width, config.experts, config.router_bias)}),
      .choice = {.chosen = 1, .is_normalised = false, .capacity = config.capacity},
      .expert = {}};
  for (std::int64_t i = 0; i < config.experts; ++i) {
    const std::string name = fmt::format("{}experts.expert_{}.", mlp, i);
    experts.expert.push_back(
        {.up = Product({MatrixPart(name + "wi", width, inner, HasBias::kNo)}),
         .down = Product({MatrixPart(name + "wo", inner, width, HasBias::kNo)})});
  }
  layer->mlp_up.matrices.clear();
  layer->mlp_down.matrices.clear();
  layer->experts = std::move(experts);
}

Status UseExpertsIn(const JsonObject& json,
                    bool is_decoder,
                    const SwitchConfig& config,
                    StackDescription* stack) {
  HEADSCOPE_TRY(const auto sparse,
                json.Integer(is_decoder ? "num_sparse_decoder_layers" : "num_sparse_encoder_layers",
                             0,
                             stack->layers,
                             std::min<std::int64_t>(3, stack->layers)));
  const std::int64_t step = stack->layers / std::max<std::int64_t>(sparse, 1);
  for (std::int64_t layer = 0; layer < stack->layers; ++layer) {
    if (step == 1 || layer % step == 1) {
      UseExperts(fmt::format("{}.block.{}.layer.{}.mlp.",
                             is_decoder ? "decoder" : "encoder",
                             layer,
                             is_decoder ? 2 : 1),
                 config,
                 &stack->layer[static_cast<std::size_t>(layer)]);
    }
  }
  return {};
}

Result<ModelDescription> DescribeSwitch(const JsonObject& json) {
  HEADSCOPE_TRY(auto model, DescribeT5(json, kSwitchFamily.id));
  HEADSCOPE_TRY(const auto experts, json.Integer("num_experts", 1, kMaxExperts, 8));
  HEADSCOPE_TRY(const auto capacity, json.Integer("expert_capacity", 1, kMaxPositions, 64));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "router_bias", false));
  const SwitchConfig config{.experts = experts, .capacity = capacity, .router_bias = bias};
  UseOtherNames(kMlpName, &model);
  HEADSCOPE_TRY(UseExpertsIn(json, false, config, &model));
  if (model.decoder) {
    HEADSCOPE_TRY(UseExpertsIn(json, true, config, &*model.decoder));
    // So each expert has room for all tokens, also of a text that is typed.
    model.decoder->positions = std::min(model.decoder->positions, capacity);
  }
  return model;
}

}  // namespace

const Family kSwitchFamily = {
    .id = "switch_transformers",
    .describe = DescribeSwitch,
    .prefixes = kSwitchPrefixes,
    .example = R"({"model_type": "switch_transformers", "num_layers": 4, "num_decoder_layers": 4,
                   "num_sparse_encoder_layers": 2, "num_sparse_decoder_layers": 2,
                   "num_heads": 3, "d_model": 12, "d_kv": 5, "d_ff": 10, "vocab_size": 11,
                   "num_experts": 3, "expert_capacity": 24, "relative_attention_num_buckets": 6,
                   "relative_attention_max_distance": 9})",
};

}  // namespace headscope

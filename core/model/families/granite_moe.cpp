// Granite 3 with experts, with a shared one, and with windows and sinks: as
// core/model/families/granite.cpp; the experts of a layer are in one tensor.
//
// Source   Granite Team 2024; tensors as the files on the Hub name them.
#include <utility>

#include <fmt/format.h>

#include "core/model/granite_windows.h"
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGraniteMoeFamily;
namespace {

constexpr double kMostOfGranite = 1e6;

// Both halves of its gated MLP are in one matrix.
MlpNeeds SharedMlp(std::size_t layer, std::int64_t width, std::int64_t inner) {
  const std::string name = fmt::format("layers.{}.shared_mlp.", layer);
  const auto both = MatrixPart(name + "input_linear", width, 2 * inner, HasBias::kNo);
  return {.up = Product({RowsOf(both, inner, inner)}),
          .gate = Product({RowsOf(both, 0, inner)}),
          .down = Product({MatrixPart(name + "output_linear", inner, width, HasBias::kNo)})};
}

Result<ModelDescription> DescribeGraniteMoe(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {}));
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(json,
                  {.count = "num_local_experts", .inner = "intermediate_size", .usual_count = 8}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto embedding,
                json.Number("embedding_multiplier", -kMostOfGranite, kMostOfGranite, 1.0));
  HEADSCOPE_TRY(const auto added,
                json.Number("residual_multiplier", 1.0 / kMostOfGranite, kMostOfGranite, 1.0));
  HEADSCOPE_TRY(const auto scale,
                json.Number("attention_multiplier", -kMostOfGranite, kMostOfGranite, 1.0));
  HEADSCOPE_TRY(const auto shared, json.Integer("shared_intermediate_size", 0, kMaxInnerWidth, 0));
  experts.choice.is_normalised = true;
  experts.block = "block_sparse_moe.";
  experts.router = type == "granitemoe_swa" ? "router" : "router.layer";
  config.query_bias = bias;
  config.output_bias = bias;
  HEADSCOPE_TRY(const auto logits,
                json.Number("logits_scaling", 1.0 / kMostOfGranite, kMostOfGranite, 1.0));
  config.output_scale = 1.0 / logits;
  config.scale = scale;
  config.embedding_scale = embedding / added;
  config.epsilon /= added * added;
  config.experts = std::move(experts);
  HEADSCOPE_TRY(auto model,
                type == "granitemoe_swa"
                    ? DescribeGraniteSwa(kGraniteMoeFamily.id, json, std::move(config))
                    : Result<ModelDescription>(DescribeLlama(kGraniteMoeFamily.id, config)));
  for (std::size_t layer = 0;
       type != kGraniteMoeFamily.id && shared > 0 && layer < model.layer.size();
       ++layer) {
    model.layer[layer].experts->shared = SharedMlp(layer, model.model_dim, shared);
  }
  return model;
}

}  // namespace

const Family kGraniteMoeFamily = {
    .id = "granitemoe",
    .other_types = "granitemoe_swa granitemoeshared",
    .describe = DescribeGraniteMoe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "granitemoe", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 6,
                   "num_local_experts": 3, "residual_multiplier": 0.22,
                   "embedding_multiplier": 12, "attention_multiplier": 0.3,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

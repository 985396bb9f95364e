// Granite 3 with experts, with a shared one, and with windows and sinks: as
// core/model/families/granite.cpp; the experts of a layer are in one tensor.
//
// Source   Granite Team 2024; tensors as the files on the Hub name them.
#include <utility>

#include <fmt/format.h>

#include "core/model/granite_layout.h"

namespace headscope {
extern const Family kGraniteMoeFamily;
namespace {

Result<ModelDescription> DescribeGraniteMoe(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {}));
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(json,
                  {.count = "num_local_experts", .inner = "intermediate_size", .usual_count = 8}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(ReadGraniteFactors(json, 1.0, &config));
  HEADSCOPE_TRY(const auto shared, json.Integer("shared_intermediate_size", 0, kMaxInnerWidth, 0));
  experts.choice.is_normalised = true;
  experts.block = "block_sparse_moe.";
  experts.router = type == "granitemoe_swa" ? "router" : "router.layer";
  config.query_bias = bias;
  config.output_bias = bias;
  config.experts = std::move(experts);
  HEADSCOPE_TRY(auto model,
                type == "granitemoe_swa"
                    ? DescribeGraniteSwa(kGraniteMoeFamily.id, json, std::move(config))
                    : Result<ModelDescription>(DescribeLlama(kGraniteMoeFamily.id, config)));
  for (std::size_t layer = 0;
       type != kGraniteMoeFamily.id && shared > 0 && layer < model.layer.size();
       ++layer) {
    model.layer[layer].experts->shared = GraniteSharedMlp(layer, model.model_dim, shared);
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

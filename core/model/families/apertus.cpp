// Apertus: Llama's layout, an MLP without a gate whose activation has learnt numbers (xIELU), and
// queries and keys normed head by head.
//
// Source   Swiss AI Initiative 2025; Huang 2024 (xIELU); tensors as transformers' ApertusModel names
//          them.
#include <array>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kApertusFamily;
namespace {

constexpr std::array<OtherName, 1> kApertusNames = {{{"input_layernorm.", "attention_layernorm."}}};

XieluNeed LearntActivation(std::size_t layer) {
  const std::string name = fmt::format("layers.{}.mlp.act_fn.", layer);
  return {.positive = {name + "alpha_p", {1}},
          .negative = {name + "alpha_n", {1}},
          .linear = {name + "bias", {}},  // the file's "beta", as old norms call their biases
          .most = {name + "eps", {}}};
}

Result<ModelDescription> DescribeApertus(const JsonObject& json) {
  HEADSCOPE_TRY(const auto activation, json.String("hidden_act", "xielu"));
  const bool is_learnt = activation == "xielu";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 65'536,
                                 .theta = 12e6,
                                 .activation_key = is_learnt ? "" : "hidden_act",
                                 .epsilon = 1e-5}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.names.mlp_norm = "feedforward_layernorm";
  config.names.gate = {};
  ModelDescription model = DescribeLlama(kApertusFamily.id, config);
  UseOtherNames(kApertusNames, &model);
  HEADSCOPE_TRY(const auto said,
                json.Integer("output_vocab_size", 0, kMaxVocabulary, model.vocabulary));
  if (said != model.vocabulary) {  // what tokens of pictures would say is cut off
    model.output_layer.reset();
  }
  for (std::size_t layer = 0; is_learnt && layer < model.layer.size(); ++layer) {
    model.layer[layer].xielu = LearntActivation(layer);
  }
  return model;
}

}  // namespace

const Family kApertusFamily = {
    .id = "apertus",
    .other_types = "apertus1p5_text",
    .describe = DescribeApertus,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "apertus", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

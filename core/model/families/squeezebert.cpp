// SqueezeBERT: BERT whose matrices are convolutions of one token, of which groups of outputs read groups
// of inputs.
//
// Source   Iandola 2020; tensors as transformers' SqueezeBertModel names them, [out, in / groups, 1].
#include <array>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kSqueezebertFamily;
namespace {

constexpr std::array<std::string_view, 3> kSqueezePrefixes = {"transformer.", "squeezebert.", ""};
constexpr std::array<OtherName, 7> kSqueezeNames = {
    {{"encoder.layer.", "encoder.layers."},
     {"attention.self.", "attention."},
     {"attention.output.dense.", "post_attention.conv1d."},
     {"attention.output.LayerNorm.", "post_attention.layernorm."},
     {"intermediate.dense.", "intermediate.conv1d."},
     {"output.dense.", "output.conv1d."},
     {"output.LayerNorm.", "output.layernorm."}}};
constexpr std::int64_t kMostGroups = 16;  // matrices are read whole, zeros and all
constexpr double kLayerEpsilon = 1e-12;   // whatever the configuration says

// Reads in how many groups the columns of that product are.
Status Group(const JsonObject& json,
             std::string_view key,
             std::int64_t usual,
             std::size_t part,
             LinearNeed* product) {
  TensorNeed& weight = product->matrices[part].weight;
  HEADSCOPE_TRY(const auto groups, json.Integer(key, 1, kMostGroups, usual));
  if (weight.shape[0] % groups != 0 || weight.shape[1] % groups != 0) {
    return json.Refuse(
        key,
        fmt::format("a number that divides {} and {}", weight.shape[1], weight.shape[0]),
        ErrorCode::kFormat);
  }
  weight.shape = {weight.shape[0], weight.shape[1] / groups, 1};
  weight.tap = 0;
  weight.groups = groups;
  return {};
}

Result<ModelDescription> DescribeSqueezebert(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto model,
      DescribeBertLayout(json, {.family = kSqueezebertFamily.id, .names = kSqueezeNames}));
  HEADSCOPE_TRY(const auto width, json.Integer("embedding_size", 1, kMaxWidth, model.model_dim));
  if (width != model.model_dim) {
    return json.Refuse("embedding_size", fmt::format("{} as \"hidden_size\"", model.model_dim));
  }
  for (LayerDescription& layer : model.layer) {
    HEADSCOPE_TRY(Group(json, "q_groups", 4, 0, &layer.query_key_value));
    HEADSCOPE_TRY(Group(json, "k_groups", 4, 1, &layer.query_key_value));
    HEADSCOPE_TRY(Group(json, "v_groups", 4, 2, &layer.query_key_value));
    HEADSCOPE_TRY(Group(json, "post_attention_groups", 1, 0, &layer.output));
    HEADSCOPE_TRY(Group(json, "intermediate_groups", 4, 0, &layer.mlp_up));
    HEADSCOPE_TRY(Group(json, "output_groups", 4, 0, &layer.mlp_down));
    layer.attention_norm.after->epsilon = kLayerEpsilon;
    layer.mlp_norm.after->epsilon = kLayerEpsilon;
  }
  return model;
}

}  // namespace

const Family kSqueezebertFamily = {
    .id = "squeezebert",
    .describe = DescribeSqueezebert,
    .prefixes = kSqueezePrefixes,
    .example = R"({"model_type": "squeezebert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "embedding_size": 12, "intermediate_size": 8,
                   "q_groups": 2, "k_groups": 3, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

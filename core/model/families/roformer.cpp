// RoFormer: BERT with rotary positions, which turn neighbouring columns.
//
// Source   Su 2021; tensors as transformers' RoFormerModel names them.
#include <array>

#include <fmt/format.h>

#include "core/model/bert_layout.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kRoformerFamily;
namespace {

constexpr std::array<std::string_view, 2> kRoformerPrefixes = {"roformer.", ""};
constexpr std::array<std::string_view, 1> kComputed = {"embed_positions."};

Result<ModelDescription> DescribeRoformer(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBertLayout(json, {.family = kRoformerFamily.id, .unread = kComputed}));
  HEADSCOPE_TRY(const auto turns_values, json.Boolean("rotary_value", false));
  HEADSCOPE_TRY(const auto embedding,
                json.Integer("embedding_size", 1, kMaxWidth, model.model_dim));
  if (turns_values || embedding != model.model_dim) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {}; such models do not open yet",
                            json.name(),
                            turns_values ? "\"rotary_value\" is true, expected false"
                                         : "\"embedding_size\" is another than \"hidden_size\""));
  }
  HEADSCOPE_TRY(auto rotary,
                ReadRotary(json, {.head_dim = model.head_dim, .positions = model.positions}));
  rotary.rule.table.pairs_neighbours = true;
  model.position_scheme = PositionScheme::kRotary;
  model.position_embedding.reset();
  model.rotary = {rotary.rule};
  for (LayerDescription& layer : model.layer) {
    layer.rotary = 0;
  }
  return model;
}

}  // namespace

const Family kRoformerFamily = {
    .id = "roformer",
    .describe = DescribeRoformer,
    .prefixes = kRoformerPrefixes,
    .example = R"({"model_type": "roformer", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope

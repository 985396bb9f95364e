// LayoutLM 3 without a picture: RoBERTa with places on a page, side by side in one vector, and relative
// positions as a bias on the scores of every layer. A text alone has no places: every token has the first
// of each, and what the distances of places add to a row's scores is the same for all.
//
// Source   Huang 2022; buckets: Raffel 2020; tensors as transformers' LayoutLMv3Model names them, matrices
//          [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/bert_layout.h"
#include "core/model/relative_bias.h"

namespace headscope {
extern const Family kLayoutlmv3Family;
namespace {

constexpr std::array<std::string_view, 2> kLayoutPrefixes = {"layoutlmv3.", ""};
// Of pictures, and of places.
constexpr std::array<std::string_view, 7> kPictures = {
    "patch_embed.", "cls_token", "pos_embed", "norm.", "LayerNorm.", "rel_pos_x_", "rel_pos_y_"};
constexpr std::int64_t kMostBins = 4096;
constexpr std::int64_t kFarthest = 8192;

Result<ConstantProduct> ReadFirstPlace(const JsonObject& json, std::int64_t width) {
  HEADSCOPE_TRY(const auto rows,
                json.Integer("max_2d_position_embeddings", 1, kMaxPositions, 1024));
  HEADSCOPE_TRY(const auto side, json.Integer("coordinate_size", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(const auto size, json.Integer("shape_size", 1, kMaxWidth, 128));
  if (4 * side + 2 * size != width) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: 4 times \"coordinate_size\" and twice \"shape_size\" are {}, "
                            "expected {} as \"hidden_size\"",
                            json.name(),
                            4 * side + 2 * size,
                            width));
  }
  ConstantProduct place;
  for (const char* name : {"x", "y", "x", "y", "h", "w"}) {
    const bool is_side = *name == 'x' || *name == 'y';
    place.parts.push_back(
        {TensorNeed{.name = fmt::format("embeddings.{}_position_embeddings.weight", name),
                    .shape = {rows, is_side ? side : size},
                    .rows = RowRange{0, 1}}});
  }
  return place;
}

Result<ModelDescription> DescribeLayoutlmv3(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBertLayout(
                    json, {.family = kLayoutlmv3Family.id, .epsilon = 1e-5, .unread = kPictures}));
  HEADSCOPE_TRY(CountFromPaddingToken(json, 1, &model));
  HEADSCOPE_TRY(auto place, ReadFirstPlace(json, model.model_dim));
  model.constant_products = {std::move(place)};
  HEADSCOPE_TRY(const auto is_relative, json.Boolean("has_relative_attention_bias", true));
  if (is_relative) {
    HEADSCOPE_TRY(const auto bins, json.Integer("rel_pos_bins", 4, kMostBins, 32));
    HEADSCOPE_TRY(const auto distance, json.Integer("max_rel_pos", bins / 4 + 1, kFarthest, 128));
    model.relative_bias = RelativeBiasNeed{.table = {.name = "encoder.rel_pos_bias.weight",
                                                     .shape = {bins, model.heads},
                                                     .is_turned = true},
                                           .rule = {.buckets = bins, .max_distance = distance},
                                           .factor = UsualScale(model.head_dim)};
  }
  model.note =
      "A text alone has no picture and no places on a page: every token has the first place.";
  return model;
}

}  // namespace

const Family kLayoutlmv3Family = {
    .id = "layoutlmv3",
    .describe = DescribeLayoutlmv3,
    .prefixes = kLayoutPrefixes,
    .example = R"({"model_type": "layoutlmv3", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "coordinate_size": 2, "shape_size": 2, "max_2d_position_embeddings": 1,
                   "rel_pos_bins": 8, "max_rel_pos": 9, "type_vocab_size": 1, "vocab_size": 11})",
};

}  // namespace headscope

// MarkupLM: BERT with positions counted from the one after the padding token's id, and the place of a
// token in a page's tree of tags. A text alone has none: every token has the padding of each level.
//
// Source   Li 2022; tensors as transformers' MarkupLMModel names them, matrices [out, in].
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kMarkuplmFamily;
namespace {

constexpr std::array<std::string_view, 2> kMarkupPrefixes = {"markuplm.", ""};
constexpr std::array<std::string_view, 1> kUnreadProduct = {"xpath_unitseq2_embeddings."};
constexpr std::int64_t kDeepest = 1024;

// One kind of table, of each level: how many rows, and the row of what is not given.
struct Levels {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t padding = 0;
};

Result<Levels> ReadLevels(const JsonObject& json,
                          const std::string& kind,
                          std::int64_t usual_rows,
                          std::int64_t usual_padding) {
  HEADSCOPE_TRY(
      const auto rows,
      json.Integer(
          fmt::format("max_xpath_{}_unit_embeddings", kind), 1, kMaxVocabulary, usual_rows));
  HEADSCOPE_TRY(const auto padding,
                json.Integer(kind + "_pad_id",
                             0,
                             rows - 1,
                             usual_padding < rows ? std::optional(usual_padding) : std::nullopt));
  return Levels{
      fmt::format("embeddings.xpath_embeddings.xpath_{}_sub_embeddings.", kind), rows, padding};
}

Result<ConstantProduct> ReadPlace(const JsonObject& json, std::int64_t width) {
  HEADSCOPE_TRY(const auto depth, json.Integer("max_depth", 1, kDeepest, 50));
  HEADSCOPE_TRY(const auto unit,
                json.Integer("xpath_unit_hidden_size", 1, kMaxInnerWidth / kDeepest, 32));
  HEADSCOPE_TRY(const auto tags, ReadLevels(json, "tag", 256, 216));
  HEADSCOPE_TRY(const auto subscripts, ReadLevels(json, "subs", 1024, 1001));
  ConstantProduct place;
  for (std::int64_t level = 0; level < depth; ++level) {
    std::vector<TensorNeed>& part = place.parts.emplace_back();
    for (const Levels& kind : {tags, subscripts}) {
      part.push_back({.name = fmt::format("{}{}.weight", kind.name, level),
                      .shape = {kind.rows, unit},
                      .rows = RowRange{kind.padding, 1}});
    }
  }
  const std::string name = "embeddings.xpath_embeddings.";
  place.products = {
      Product({MatrixPart(name + "xpath_unitseq2_inner", unit * depth, 4 * width, HasBias::kYes)}),
      Product({MatrixPart(name + "inner2emb", 4 * width, width, HasBias::kYes)})};
  return place;
}

Result<ModelDescription> DescribeMarkuplm(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBertLayout(json, {.family = kMarkuplmFamily.id, .unread = kUnreadProduct}));
  HEADSCOPE_TRY(CountFromPaddingToken(json, 0, &model));
  HEADSCOPE_TRY(auto place, ReadPlace(json, model.model_dim));
  model.constant_products = {std::move(place)};
  model.note = "A text alone has no tags: every token has the place of none.";
  return model;
}

}  // namespace

const Family kMarkuplmFamily = {
    .id = "markuplm",
    .describe = DescribeMarkuplm,
    .prefixes = kMarkupPrefixes,
    .example = R"({"model_type": "markuplm", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "max_depth": 3, "xpath_unit_hidden_size": 4, "max_xpath_tag_unit_embeddings": 3,
                   "tag_pad_id": 1, "max_xpath_subs_unit_embeddings": 5, "subs_pad_id": 2,
                   "vocab_size": 11})",
};

}  // namespace headscope

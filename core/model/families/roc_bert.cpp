// RoCBERT: BERT whose embeddings of words are joined with those of a character's shape and sound, and
// projected. A text alone has neither: every token has the first of each.
//
// Source   Su 2022; tensors as transformers' RoCBertModel names them, matrices [out, in].
#include <array>
#include <string>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kRocBertFamily;
namespace {

constexpr std::array<std::string_view, 2> kRocPrefixes = {"roc_bert.", ""};
constexpr std::array<std::string_view, 2> kUnreadTables = {"pronunciation_embed.", "shape_embed."};

// Adds the first row of a table to those that the projection reads, if the model uses it.
Status AddTable(const JsonObject& json,
                const std::string& name,
                ConstantProduct* constant,
                std::int64_t* in) {
  HEADSCOPE_TRY(const auto is_used, json.Boolean("enable_" + name, true));
  if (!is_used) {
    return {};
  }
  const bool is_shape = name == "shape";
  HEADSCOPE_TRY(const auto width,
                json.Integer(name + "_embed_dim", 1, kMaxWidth, is_shape ? 512 : 768));
  HEADSCOPE_TRY(const auto rows,
                json.Integer(name + "_vocab_size", 1, kMaxVocabulary, is_shape ? 24'858 : 910));
  constant->parts.push_back({TensorNeed{.name = "embeddings." + name + "_embed.weight",
                                        .shape = {rows, width},
                                        .rows = RowRange{0, 1}}});
  *in += width;
  return {};
}

Result<ModelDescription> DescribeRocBert(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBertLayout(json, {.family = kRocBertFamily.id, .unread = kUnreadTables}));
  HEADSCOPE_TRY(const auto is_joined, json.Boolean("concat_input", true));
  if (!is_joined) {  // then what is not given is left out
    return model;
  }
  const std::int64_t width = model.model_dim;
  ConstantProduct constant;
  std::int64_t in = width;
  HEADSCOPE_TRY(AddTable(json, "shape", &constant, &in));
  HEADSCOPE_TRY(AddTable(json, "pronunciation", &constant, &in));
  const auto columns = [&](std::int64_t first, std::int64_t count, HasBias bias) {
    LinearNeed::Matrix part = MatrixPart("embeddings.map_inputs_layer", in, width, bias);
    part.weight.columns = ColumnPick{first, count, 1};
    LinearNeed product = Product({part});
    product.in = count;
    return product;
  };
  model.embedding_projection = columns(0, width, HasBias::kYes);
  if (in > width) {
    constant.products = {columns(width, in - width, HasBias::kNo)};
    model.constant_products = {std::move(constant)};
    model.note =
        "A text alone does not say how its characters look and sound: every token has the first "
        "of each.";
  }
  return model;
}

}  // namespace

const Family kRocBertFamily = {
    .id = "roc_bert",
    .describe = DescribeRocBert,
    .prefixes = kRocPrefixes,
    .example = R"({"model_type": "roc_bert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "shape_embed_dim": 5, "shape_vocab_size": 1, "pronunciation_embed_dim": 3,
                   "pronunciation_vocab_size": 1, "vocab_size": 11})",
};

}  // namespace headscope

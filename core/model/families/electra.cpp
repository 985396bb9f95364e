// ELECTRA, RemBERT and ALBERT: BERT with narrower embeddings, projected to the model's width after
// their norm. All layers of ALBERT have the same weights.
//
// Source   Clark 2020; Chung 2021; Lan 2020; tensors as transformers' classes name them.
#include <array>

#include <fmt/format.h>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kElectraFamily;
namespace {

constexpr std::array<std::string_view, 4> kElectraPrefixes = {
    "electra.", "rembert.", "albert.", ""};
// Of its one layer.
constexpr std::string_view kAlbertLayer = "encoder.albert_layer_groups.0.albert_layers.0.";
constexpr std::array<OtherName, 7> kAlbertNames = {
    {{"attention.self.query.", "attention.query."},
     {"attention.self.key.", "attention.key."},
     {"attention.self.value.", "attention.value."},
     {"attention.output.", "attention."},
     {"intermediate.dense.", "ffn."},
     {"output.dense.", "ffn_output."},
     {"output.LayerNorm.", "full_layer_layer_norm."}}};

Result<ModelDescription> DescribeOfType(const JsonObject& json, std::string_view type) {
  BertLayout layout{.family = kElectraFamily.id};
  if (type != "albert") {
    return DescribeBertLayout(json, layout);
  }
  HEADSCOPE_TRY(const auto groups, json.Integer("num_hidden_groups", 1, kMaxLayers, 1));
  HEADSCOPE_TRY(const auto inner, json.Integer("inner_group_num", 1, kMaxLayers, 1));
  if (groups != 1 || inner != 1) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"num_hidden_groups\" is {} and \"inner_group_num\" {}, expected 1; "
                    "an ALBERT of several layers' weights does not open",
                    json.name(),
                    groups,
                    inner));
  }
  layout.activation = "gelu_new";
  layout.names = kAlbertNames;
  HEADSCOPE_TRY(auto model, DescribeBertLayout(json, layout));
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    const std::string own = fmt::format("encoder.layer.{}.", layer);
    const OtherName shared{own, kAlbertLayer};
    UseOtherNames({&shared, 1}, &model);
  }
  return model;
}

Result<ModelDescription> DescribeElectra(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(auto model, DescribeOfType(json, type));
  const bool is_electra = type == kElectraFamily.id;
  HEADSCOPE_TRY(const auto width,
                json.Integer(type == "rembert" ? "input_embedding_size" : "embedding_size",
                             1,
                             kMaxWidth,
                             type == "rembert" ? 256 : 128));
  if (is_electra && width == model.model_dim) {
    return model;
  }
  for (TensorNeed* table :
       {&model.token_embedding, &*model.position_embedding, &*model.token_type_embedding}) {
    table->shape.back() = width;
  }
  model.embedding_norm->weight.shape = {width};
  model.embedding_norm->bias->shape = {width};
  const char* name = is_electra ? "embeddings_project" : "encoder.embedding_hidden_mapping_in";
  model.embedding_projection = Product({MatrixPart(name, width, model.model_dim, HasBias::kYes)});
  model.is_projected_last = true;
  return model;
}

}  // namespace

const Family kElectraFamily = {
    .id = "electra",
    .other_types = "rembert albert",
    .describe = DescribeElectra,
    .prefixes = kElectraPrefixes,
    .example = R"({"model_type": "electra", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "embedding_size": 8, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

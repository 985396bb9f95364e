// DeBERTa: BERT whose scores are sums of content with content, the query's content with the key's
// relative position and the key's content with the query's. Version 3's files are of version 2's
// type; there, far positions share rows of the table, and content may lend its projections.
//
// Source   He 2021 (versions 1 and 2), He 2023 (version 3); tensors as transformers' DebertaModel and
//          DebertaV2Model name them.
#include <array>

#include <fmt/format.h>

#include "core/model/bert_layout.h"
#include "core/model/content_and_position.h"

namespace headscope {
extern const Family kDebertaFamily;
namespace {

constexpr std::array<std::string_view, 2> kDebertaPrefixes = {"deberta.", ""};
constexpr std::array<OtherName, 3> kDebertaNames = {
    {{"attention.self.query.", "attention.self.query_proj."},
     {"attention.self.key.", "attention.self.key_proj."},
     {"attention.self.value.", "attention.self.value_proj."}}};
// Parts that only pretraining uses, and a table that version 3 saved and does not read.
constexpr std::array<std::string_view, 3> kDebertaUnread = {
    "mask_predictions.", "lm_predictions.", "embeddings.position_embeddings."};

Status RefuseOtherDebertas(const JsonObject& json) {
  HEADSCOPE_TRY(const auto mixes_heads, json.Boolean("talking_head", false));
  if (mixes_heads) {
    return json.Refuse("talking_head", "false; heads that mix their scores do not open");
  }
  for (const char* key : {"embedding_size", "attention_head_size"}) {
    HEADSCOPE_TRY(const auto width, json.Integer("hidden_size", 1, kMaxWidth));
    HEADSCOPE_TRY(const auto heads, json.Integer("num_attention_heads", 1, kMaxWidth));
    const std::int64_t usual = key[0] == 'e' ? width : width / heads;
    HEADSCOPE_TRY(const auto own, json.Integer(key, 1, kMaxWidth, usual));
    if (own != usual) {
      return json.Refuse(key, fmt::format("{}, as the model's width says", usual));
    }
  }
  return {};
}

// The first version joins queries, keys and values head by head; only queries and values have a
// bias.
LinearNeed JoinedProduct(const std::string& prefix, const ModelDescription& model) {
  const std::int64_t width = model.model_dim;
  LinearNeed product{.layout = WeightLayout::kOutIn, .in = width, .matrices = {}};
  constexpr std::array<std::string_view, 3> kBiases = {"q_bias", "", "v_bias"};
  for (std::int64_t kind = 0; kind < 3; ++kind) {
    const std::string_view bias = kBiases[static_cast<std::size_t>(kind)];
    for (std::int64_t head = 0; head < model.heads; ++head) {
      LinearNeed::Matrix part =
          RowsOf(MatrixPart(prefix + "in_proj", width, 3 * width, HasBias::kNo),
                 (3 * head + kind) * model.head_dim,
                 model.head_dim);
      if (!bias.empty()) {
        part.bias = TensorNeed{.name = prefix + std::string(bias),
                               .shape = {width},
                               .rows = RowRange{head * model.head_dim, model.head_dim}};
      }
      product.matrices.push_back(std::move(part));
    }
  }
  return product;
}

// In larger models of version 2, a convolution over the inputs of the first layer.
Status AddConvolution(const JsonObject& json, double epsilon, ModelDescription* model) {
  HEADSCOPE_TRY(const auto taps, json.Integer("conv_kernel_size", 0, 63, 0));
  HEADSCOPE_TRY(const auto groups, json.Integer("conv_groups", 1, kMaxWidth, 1));
  if (taps == 0) {
    return {};
  }
  if (taps % 2 == 0 || groups != 1) {
    return taps % 2 == 0
               ? json.Refuse("conv_kernel_size", "an odd number; other convolutions do not open")
               : json.Refuse("conv_groups", "1; other convolutions do not open");
  }
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "conv_act", "tanh"));
  const std::int64_t width = model->model_dim;
  const std::string name = "encoder.conv.";
  NeighbourProducts added{.products = {},
                          .activation = activation,
                          .norm = LayerNorm(name + "LayerNorm", width, epsilon)};
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    LinearNeed::Matrix part = {{.name = name + "conv.weight", .shape = {width, width, taps}}, {}};
    part.weight.tap = tap;
    if (tap == taps / 2) {
      part.bias = TensorNeed{name + "conv.bias", {width}};
    }
    added.products.push_back({.in = width, .matrices = {std::move(part)}});
  }
  model->layer.front().neighbours = std::move(added);
  return {};
}

Result<ModelDescription> DescribeDeberta(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(RefuseOtherDebertas(json));
  HEADSCOPE_TRY(const auto token_types, json.Integer("type_vocab_size", 0, kMaxVocabulary, 0));
  HEADSCOPE_TRY(const auto adds_positions, json.Boolean("position_biased_input", true));
  const bool is_second = type == "deberta-v2";
  const BertLayout layout{.family = kDebertaFamily.id,
                          .has_token_types = token_types > 0,
                          .epsilon = 1e-7,
                          .names = std::span(kDebertaNames).first(is_second ? 3 : 0),
                          .unread = std::span(kDebertaUnread).first(adds_positions ? 2 : 3)};
  HEADSCOPE_TRY(auto model, DescribeBertLayout(json, layout));
  for (std::size_t i = 0; !is_second && i < model.layer.size(); ++i) {
    model.layer[i].query_key_value =
        JoinedProduct(fmt::format("encoder.layer.{}.attention.self.", i), model);
  }
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, layout.epsilon));
  HEADSCOPE_TRY(AddContentAndPosition(json, is_second, epsilon, &model));
  if (is_second) {
    HEADSCOPE_TRY(AddConvolution(json, epsilon, &model));
  }
  if (!adds_positions) {
    model.position_scheme = PositionScheme::kNone;
    model.position_embedding.reset();
    model.positions = kMaxPositions;  // distances have no maximum
  }
  return model;
}

}  // namespace

const Family kDebertaFamily = {
    .id = "deberta",
    .other_types = "deberta-v2",
    .describe = DescribeDeberta,
    .prefixes = kDebertaPrefixes,
    .example = R"({"model_type": "deberta-v2", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "vocab_size": 11, "relative_attention": true, "pos_att_type": "c2p|p2c",
                   "position_buckets": 6, "norm_rel_ebd": "layer_norm", "share_att_key": true,
                   "position_biased_input": false})",
};

}  // namespace headscope

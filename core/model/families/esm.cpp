// ESM: BERT's names with norms before the halves; positions that rotate, or learned ones counted as
// in RoBERTa.
//
// Source   Lin 2023 (ESM-2); Rives 2021 (ESM-1b); tensors as transformers' EsmModel names them.
#include <array>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/bert_layout.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kEsmFamily;
namespace {

constexpr std::array<std::string_view, 2> kEsmPrefixes = {"esm.", ""};
constexpr std::array<OtherName, 3> kEsmNames = {
    {{"attention.output.LayerNorm.", "attention.LayerNorm."},
     {"output.LayerNorm.", "LayerNorm."},
     {"embeddings.LayerNorm.", "embeddings.layer_norm."}}};
constexpr std::array<std::string_view, 1> kContacts = {"contact_head."};
// Embeddings are scaled as if that part of a text in training had been masked.
constexpr double kUnmaskedShare = 1.0 - 0.15 * 0.8;

Result<ModelDescription> DescribeEsm(const JsonObject& json) {
  HEADSCOPE_TRY(const auto positions, json.String("position_embedding_type", "absolute"));
  HEADSCOPE_TRY(const auto has_embedding_norm, json.Boolean("emb_layer_norm_before", false));
  HEADSCOPE_TRY(const auto drops_tokens, json.Boolean("token_dropout", false));
  HEADSCOPE_TRY(auto model,
                DescribeBertLayout(json,
                                   {.family = kEsmFamily.id,
                                    .is_normed_before = true,
                                    .has_embedding_norm = has_embedding_norm,
                                    .has_token_types = false,
                                    .decides_positions = true,
                                    .final_norm = "encoder.emb_layer_norm_after",
                                    .names = kEsmNames,
                                    .unread = kContacts}));
  if (drops_tokens) {
    model.embedding_scale = kUnmaskedShare;
    model.note =
        "The embedding of a masked token is read as that of any other; in training it was "
        "set to zero.";
  }
  if (positions == "rotary") {
    HEADSCOPE_TRY(const auto rotary,
                  ReadRotary(json, {.head_dim = model.head_dim, .positions = model.positions}));
    model.position_scheme = PositionScheme::kRotary;
    model.position_embedding.reset();
    model.rotary = {rotary.rule};
    for (LayerDescription& layer : model.layer) {
      layer.rotary = 0;
    }
    return model;
  }
  HEADSCOPE_TRY(CountFromPaddingToken(json, 1, &model));
  return model;
}

}  // namespace

const Family kEsmFamily = {
    .id = "esm",
    .describe = DescribeEsm,
    .prefixes = kEsmPrefixes,
    .example = R"({"model_type": "esm", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "position_embedding_type": "rotary", "vocab_size": 11})",
};

}  // namespace headscope

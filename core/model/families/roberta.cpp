// RoBERTa and types laid out like it (XLM-RoBERTa, CamemBERT, data2vec, LUKE): BERT, with positions
// counted from the one after the padding token's id. In some the norms come before the halves.
//
// Source   Liu 2019; tensors as transformers' classes name them, matrices [out, in].
#include <array>
#include <string>

#include "core/model/bert_layout.h"
#include "core/model/tensor_needs.h"

namespace headscope {
extern const Family kRobertaFamily;
namespace {

constexpr std::array<std::string_view, 8> kRobertaPrefixes = {"roberta.",
                                                              "roberta_prelayernorm.",
                                                              "data2vec_text.",
                                                              "luke.",
                                                              "ibert.",
                                                              "text_model.roberta.",
                                                              "text_model.",
                                                              ""};
constexpr std::array<OtherName, 2> kLargeNames = {
    {{"attention.output.LayerNorm.", "attention.self_attn_layer_norm."},
     {"output.LayerNorm.", "LayerNorm."}}};
constexpr std::array<OtherName, 2> kNormedBeforeNames = {
    {{"attention.output.LayerNorm.", "attention.LayerNorm."},
     {"output.LayerNorm.", "intermediate.LayerNorm."}}};
// LUKE's entities and queries for them, I-BERT's integers, and what AltCLIP makes of the last states.
constexpr std::array<std::string_view, 11> kUnreadParts = {"transformation.",
                                                           "pre_LN.",
                                                           "entity_embeddings.",
                                                           "w2e_query",
                                                           "e2w_query",
                                                           "e2e_query",
                                                           "_integer",
                                                           "scaling_factor",
                                                           "x_min",
                                                           "x_max",
                                                           ".shift"};

// AltCLIP's text alone has other names than in its whole.
void AllowOtherNames(std::string_view usual, std::string_view own, ModelDescription* model) {
  for (TensorNeed* need : AllNeeds(model)) {
    if (need->name.starts_with(usual)) {
      need->stand_ins = {std::string(own) + need->name.substr(usual.size())};
    }
  }
}

Result<ModelDescription> DescribeRoberta(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  BertLayout layout{.family = kRobertaFamily.id, .unread = kUnreadParts};
  if (type == "xlm-roberta-xl") {
    layout.is_normed_before = true;
    layout.has_embedding_norm = false;
    layout.names = kLargeNames;
    layout.final_norm = "encoder.LayerNorm";
  } else if (type == "roberta-prelayernorm") {
    layout.is_normed_before = true;
    layout.names = kNormedBeforeNames;
    layout.final_norm = "LayerNorm";
  }
  HEADSCOPE_TRY(auto model, DescribeBertLayout(json, layout));
  if (type == "altclip_text_model") {
    AllowOtherNames("encoder.layer.", "encoder.layers.", &model);
  }
  HEADSCOPE_TRY(CountFromPaddingToken(json, 1, &model));
  return model;
}

}  // namespace

const Family kRobertaFamily = {
    .id = "roberta",
    .other_types =
        "altclip_text_model clap_text_model xlm-roberta camembert xlm-roberta-xl roberta-prelayernorm "
        "data2vec-text luke ibert",
    .describe = DescribeRoberta,
    .prefixes = kRobertaPrefixes,
    .example = R"({"model_type": "roberta", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "type_vocab_size": 1, "vocab_size": 11})",
};

}  // namespace headscope

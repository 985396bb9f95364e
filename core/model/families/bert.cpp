// BERT and types that are BERT for plain text: both halves normed after their residual, learned
// positions and token types, no mask. Megatron's norms come before its halves.
//
// Source   Devlin 2019; Shoeybi 2019 (Megatron); Zaheer 2020 (BigBird); tensors as transformers'
//          classes name them, matrices [out, in].
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kBertFamily;
namespace {

constexpr std::array<std::string_view, 11> kPrefixes = {"bert.",
                                                        "ernie.",
                                                        "splinter.",
                                                        "visual_bert.",
                                                        "bros.",
                                                        "layoutlm.",
                                                        "tapas.",
                                                        "question_encoder.bert_model.",
                                                        "ctx_encoder.bert_model.",
                                                        "text_model.",
                                                        ""};
constexpr std::array<OtherName, 2> kMegatronNames = {
    {{"attention.output.LayerNorm.", "attention.ln."}, {"output.LayerNorm.", "ln."}}};
constexpr std::array<std::string_view, 2> kUnread = {"embeddings.visual_", "bbox_"};

Status AddBigBird(const JsonObject& json, ModelDescription* model) {
  HEADSCOPE_TRY(const auto positions, MostSeenWhole(json, model->positions));
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("rescale_embeddings", false));
  HEADSCOPE_TRY(const auto has_bias, json.Boolean("use_bias", true));
  model->positions = positions;
  if (is_scaled) {
    model->embedding_scale = std::sqrt(static_cast<double>(model->model_dim));
  }
  for (LayerDescription& layer : model->layer) {
    for (LinearNeed::Matrix& matrix : layer.query_key_value.matrices) {
      if (!has_bias) {
        matrix.bias.reset();
      }
    }
  }
  return {};
}

constexpr const char* kPageNote =
    "A text alone has no places on a page and in a table: every token has the first of each.";

// Adds the first row of tables that a text alone does not choose from.
Status AddFirstRows(const JsonObject& json, std::string_view type, ModelDescription* model) {
  const auto add = [&](const std::string& name, std::int64_t rows) {
    model->constant_embeddings.push_back({.name = fmt::format("embeddings.{}.weight", name),
                                          .shape = {rows, model->model_dim},
                                          .rows = RowRange{0, 1}});
  };
  if (type == "layoutlm") {
    HEADSCOPE_TRY(const auto rows,
                  json.Integer("max_2d_position_embeddings", 1, kMaxPositions, 1024));
    for (const char* side : {"x", "y", "x", "y", "h", "w"}) {
      add(fmt::format("{}_position_embeddings", side), rows);
    }
  } else {
    std::vector<std::int64_t> sizes = {3, 256, 256, 2, 256, 256, 10};
    HEADSCOPE_TRY(const auto given, json.Array("type_vocab_sizes"));
    if (given) {
      sizes.clear();
      for (const JsonValue one : *given) {
        sizes.push_back(one.Integer().value_or(0));
      }
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      add(fmt::format("token_type_embeddings_{}", i), sizes[i]);
    }
  }
  model->note = kPageNote;
  return {};
}

Status RefuseTasks(const JsonObject& json) {
  HEADSCOPE_TRY(const auto has_tasks, json.Boolean("use_task_id", false));
  return has_tasks ? json.Refuse("use_task_id", "false; models that are told a task do not open")
                   : Status();
}

Result<ModelDescription> DescribeBert(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(RefuseTasks(json));
  BertLayout layout{.family = kBertFamily.id, .unread = kUnread};
  layout.has_token_types = type != "bert-generation" && type != "tapas";
  layout.activation = type == "big_bird" ? "gelu_new" : "gelu";
  if (type == "megatron-bert") {
    layout.is_normed_before = true;
    layout.has_embedding_norm = false;
    layout.names = kMegatronNames;
    layout.final_norm = "encoder.ln";
  }
  HEADSCOPE_TRY(auto model, DescribeBertLayout(json, layout));
  if (type == "big_bird") {
    HEADSCOPE_TRY(AddBigBird(json, &model));
  } else if (type == "layoutlm" || type == "tapas") {
    HEADSCOPE_TRY(AddFirstRows(json, type, &model));
  }
  return model;
}

}  // namespace

const Family kBertFamily = {
    .id = "bert",
    .other_types =
        "align_text_model chinese_clip_text_model ernie splinter visual_bert bros dpr bert-generation big_bird "
        "layoutlm megatron-bert tapas",
    .describe = DescribeBert,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "bert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "type_vocab_size": 2, "vocab_size": 11})",
};

}  // namespace headscope

// RoBERTa and models laid out like it (XLM-RoBERTa, CamemBERT): BERT, with positions counted from
// the one after the padding token's id.
//
// Source   Liu 2019; tensors as transformers' RobertaModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kRobertaFamily;
namespace {

constexpr std::array<std::string_view, 2> kRobertaPrefixes = {"roberta.", ""};

Result<ModelDescription> DescribeRoberta(const JsonObject& json) {
  Result<ModelDescription> model = DescribeBertLayout(json, kRobertaFamily.id);
  if (!model) {
    return model;
  }
  HEADSCOPE_TRY(const auto padding, json.Integer("pad_token_id", 0, model->vocabulary - 1, 1));
  const std::int64_t offset = padding + 1;
  if (offset >= model->positions) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"max_position_embeddings\" is {}, expected more than {}: the "
                            "first position is the one after \"pad_token_id\"",
                            json.name(),
                            model->positions,
                            offset));
  }
  model->position_offset = offset;
  model->positions -= offset;
  model->unplaced_id = static_cast<std::int32_t>(padding);
  return model;
}

}  // namespace

const Family kRobertaFamily = {
    .id = "roberta",
    .other_types = "xlm-roberta camembert",
    .describe = DescribeRoberta,
    .prefixes = kRobertaPrefixes,
    .example = R"({"model_type": "roberta", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "type_vocab_size": 1, "vocab_size": 11})",
};

}  // namespace headscope

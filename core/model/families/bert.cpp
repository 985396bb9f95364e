// BERT: both halves normed after their residual, learned positions and token types, no mask.
//
// Source   Devlin 2019; tensors as transformers' BertModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kBertFamily;
namespace {

constexpr std::array<std::string_view, 2> kPrefixes = {"bert.", ""};

Result<ModelDescription> DescribeBert(const JsonObject& json) {
  return DescribeBertLayout(json, kBertFamily.id);
}

}  // namespace

const Family kBertFamily = {
    .id = "bert",
    .describe = DescribeBert,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "bert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "type_vocab_size": 2, "vocab_size": 11})",
};

}  // namespace headscope

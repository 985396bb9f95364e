// Longformer: RoBERTa whose layers each look at a window to both sides. Some tokens may see, and be seen
// by, the whole text, with queries, keys and values of their own; a text alone has no such tokens.
//
// Source   Beltagy 2020; tensors as transformers' LongformerModel names them, matrices [out, in].
#include <array>

#include "core/model/bert_layout.h"

namespace headscope {
extern const Family kLongformerFamily;
namespace {

constexpr std::array<std::string_view, 2> kLongformerPrefixes = {"longformer.", ""};
constexpr std::array<std::string_view, 3> kGlobal = {"query_global", "key_global", "value_global"};

Result<ModelDescription> DescribeLongformer(const JsonObject& json) {
  HEADSCOPE_TRY(auto model,
                DescribeBertLayout(json, {.family = kLongformerFamily.id, .unread = kGlobal}));
  HEADSCOPE_TRY(CountFromPaddingToken(json, 1, &model));
  HEADSCOPE_TRY(ReadSpans(json, &model));
  model.note =
      "Every token sees its window alone: none has global attention, as in transformers where "
      "nothing gives it to some.";
  return model;
}

}  // namespace

const Family kLongformerFamily = {
    .id = "longformer",
    .describe = DescribeLongformer,
    .prefixes = kLongformerPrefixes,
    .example = R"({"model_type": "longformer", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "attention_window": [4, 6, 4], "type_vocab_size": 1, "vocab_size": 11})",
};

}  // namespace headscope

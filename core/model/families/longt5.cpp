// LongT5 with local attention: T5 whose encoder looks at a window to both sides. Those that also look at
// sums of blocks (transient-global) do not open: these keys are no tokens.
//
// Source   Guo 2022; tensors as transformers' LongT5Model names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/t5_layout.h"

namespace headscope {
extern const Family kLongt5Family;
namespace {

constexpr std::array<std::string_view, 1> kLongT5Prefixes = {""};
constexpr std::array<OtherName, 1> kLocalName = {{{".SelfAttention.", ".LocalSelfAttention."}}};

Result<ModelDescription> DescribeLongT5(const JsonObject& json) {
  HEADSCOPE_TRY(const auto kind, json.String("encoder_attention_type", "local"));
  if (kind != "local") {
    return json.Refuse(
        "encoder_attention_type",
        "\"local\"; models that look at sums of blocks do not open: such keys are no "
        "tokens");
  }
  HEADSCOPE_TRY(const auto radius, json.Integer("local_radius", 1, kMaxPositions - 1, 127));
  HEADSCOPE_TRY(auto model, DescribeT5(json, kLongt5Family.id));
  UseOtherNamesInEncoder(kLocalName, &model);
  for (LayerDescription& layer : model.layer) {
    layer.rule.window = radius + 1;
  }
  return model;
}

}  // namespace

const Family kLongt5Family = {
    .id = "longt5",
    .describe = DescribeLongT5,
    .prefixes = kLongT5Prefixes,
    .example =
        R"({"model_type": "longt5", "num_layers": 3, "num_heads": 3, "d_model": 12, "d_kv": 5,
                   "d_ff": 10, "local_radius": 4, "vocab_size": 11,
                   "relative_attention_num_buckets": 6, "relative_attention_max_distance": 9})",
};

}  // namespace headscope

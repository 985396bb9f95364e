// T5, mT5 and umT5.
//
// Source   Raffel 2020; Xue 2021 (mT5); Chung 2023 (umT5).
#include <array>

#include "core/model/t5_layout.h"

namespace headscope {
extern const Family kT5Family;
namespace {

constexpr std::array<std::string_view, 2> kT5Prefixes = {"", "transformer."};

Result<ModelDescription> DescribeAnyT5(const JsonObject& json) {
  return DescribeT5(json, kT5Family.id);
}

}  // namespace

const Family kT5Family = {
    .id = "t5",
    .other_types = "mt5 umt5",
    .describe = DescribeAnyT5,
    .prefixes = kT5Prefixes,
    .example = R"({"model_type": "t5", "num_layers": 3, "num_heads": 3, "d_model": 12, "d_kv": 5,
                   "d_ff": 10, "feed_forward_proj": "gated-gelu", "vocab_size": 11,
                   "relative_attention_num_buckets": 6, "relative_attention_max_distance": 9})",
};

}  // namespace headscope

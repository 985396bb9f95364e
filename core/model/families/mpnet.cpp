// MPNet (all-mpnet): RoBERTa without token types, with relative positions as a bias on the scores of
// every layer.
//
// Source   Song 2020; buckets: Raffel 2020; tensors as transformers' MPNetModel names them.
#include <array>

#include "core/model/bert_layout.h"
#include "core/model/relative_bias.h"

namespace headscope {
extern const Family kMpnetFamily;
namespace {

constexpr std::array<std::string_view, 2> kMpnetPrefixes = {"mpnet.", ""};
constexpr std::array<OtherName, 5> kMpnetNames = {
    {{"attention.self.query.", "attention.attn.q."},
     {"attention.self.key.", "attention.attn.k."},
     {"attention.self.value.", "attention.attn.v."},
     {"attention.output.dense.", "attention.attn.o."},
     {"attention.output.LayerNorm.", "attention.LayerNorm."}}};
constexpr std::int64_t kPadding = 1;         // whatever the configuration says
constexpr std::int64_t kFewestBuckets = 32;  // that many are used
constexpr std::int64_t kMostBuckets = 4096;

Result<ModelDescription> DescribeMpnet(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto model,
      DescribeBertLayout(
          json, {.family = kMpnetFamily.id, .has_token_types = false, .names = kMpnetNames}));
  HEADSCOPE_TRY(CountFromPadding(json, kPadding, &model));
  HEADSCOPE_TRY(
      const auto buckets,
      json.Integer("relative_attention_num_buckets", kFewestBuckets, kMostBuckets, kFewestBuckets));
  model.relative_bias = RelativeBiasNeed{
      .table = {"encoder.relative_attention_bias.weight", {buckets, model.heads}}, .rule = {}};
  return model;
}

}  // namespace

const Family kMpnetFamily = {
    .id = "mpnet",
    .describe = DescribeMpnet,
    .prefixes = kMpnetPrefixes,
    .example = R"({"model_type": "mpnet", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 18,
                   "vocab_size": 11})",
};

}  // namespace headscope

// Hunyuan, dense and with experts, and nanochat: Llama's layout; queries and keys of each head are
// normed after they are rotated. nanochat's norms have no weights, its embeddings are normed, and its MLP is plain.
//
// Source   Tencent 2025; Karpathy 2025; tensors as transformers' classes name them.
#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kHunyuanFamily;
namespace {

// Numbers that may be one for each layer; the layers of a model that opens are all alike.
Result<std::int64_t> ReadOfLayers(const JsonObject& json, std::string_view key, std::int64_t most) {
  HEADSCOPE_TRY(const auto list,
                json.Value(key) && json.Value(key)->Array()
                    ? json.Array(key)
                    : Result<std::optional<JsonArray>>(std::nullopt));
  if (!list) {
    return json.Integer(key, 1, most, 1);
  }
  const std::optional<std::int64_t> first = list->empty() ? std::nullopt : list->front().Integer();
  for (const JsonValue& value : *list) {
    if (!first || *first < 1 || *first > most || value.Integer() != first) {
      return Fail(
          ErrorCode::kUnsupported,
          fmt::format("{}: {} lists numbers that differ or are not within 1 to {}, expected "
                      "one for all layers",
                      json.name(),
                      Quoted(key),
                      most));
    }
  }
  return *first;
}

Result<LlamaExperts> ReadHunyuanExperts(const JsonObject& json, const StackSizes& sizes) {
  HEADSCOPE_TRY(const auto count, ReadOfLayers(json, "num_experts", kMaxExperts));
  HEADSCOPE_TRY(const auto chosen, ReadOfLayers(json, "moe_topk", count));
  return LlamaExperts{.count = count,
                      .inner = sizes.inner,
                      .choice = {.chosen = chosen},
                      .shared_inner = sizes.inner,
                      .router = "gate.wg",
                      .shared = "shared_mlp.",
                      .shared_gate = {}};
}

Result<ModelDescription> DescribeHunyuan(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_nanochat = type == "nanochat";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.activation = is_nanochat ? "relu2" : "silu",
                                 .epsilon = is_nanochat ? 1e-6 : 1e-5}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.is_rotated_first = true;
  if (!is_nanochat) {
    config.names.query_norm = "query_layernorm";
    config.names.key_norm = "key_layernorm";
    if (type == "hunyuan_v1_moe") {
      HEADSCOPE_TRY(const auto experts, ReadHunyuanExperts(json, config.sizes));
      config.experts = experts;
    }
    return DescribeLlama(kHunyuanFamily.id, config);
  }
  HEADSCOPE_TRY(config.logit_cap, ReadLogitCap(json, 15.0));
  config.has_norm_weights = false;
  config.names.up = "mlp.fc1";
  config.names.gate = {};
  config.names.down = "mlp.fc2";
  // Columns turn the other way round.
  for (double& frequency : config.rotary.table.inverse_frequency) {
    frequency = -frequency;
  }
  ModelDescription model = DescribeLlama(kHunyuanFamily.id, config);
  model.embedding_norm = model.final_norm;
  return model;
}

}  // namespace

const Family kHunyuanFamily = {
    .id = "hunyuan_v1_dense",
    .other_types = "hunyuan_v1_moe nanochat",
    .describe = DescribeHunyuan,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "hunyuan_v1_dense", "num_hidden_layers": 3,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 16,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

// T5Gemma: an encoder and a decoder that are both Gemma 2, each under settings of its own; the
// decoder's attention to the encoder turns no positions.
//
// Source   Zhang 2025, "Encoder-Decoder Gemma"; tensors as transformers' T5GemmaModel names them.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/model/generation_file.h"
#include "core/model/llama_layout.h"
#include "core/model/tensor_needs.h"

namespace headscope {
extern const Family kT5gemmaFamily;
namespace {

constexpr std::array<std::string_view, 2> kT5GemmaPrefixes = {"model.", ""};
constexpr std::array<OtherName, 2> kAttentionNames = {
    {{".input_layernorm.", ".pre_self_attn_layernorm."},
     {".post_attention_layernorm.", ".post_self_attn_layernorm."}}};
constexpr double kMaxScore = 1e9;

// Null switches a setting off; a missing key has its default.
template <typename Number>
Number DefaultUnlessNull(const JsonObject& json, std::string_view key, Number fallback) {
  return json.IsNull(key) ? Number{0} : fallback;
}

Result<LlamaConfig> ReadStack(const JsonObject& json, std::string_view name) {
  HEADSCOPE_TRY(const auto own, json.Object(name));
  if (!own) {
    return json.Refuse(name, "an object with the settings of one half", ErrorCode::kFormat);
  }
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(*own,
                                {.head_dim = 256,
                                 .positions = 8192,
                                 .activation_key = "hidden_activation",
                                 .activation = "gelu_pytorch_tanh",
                                 .is_tied = true}));
  HEADSCOPE_TRY(const auto bias, ReadBias(*own, "attention_bias", false));
  HEADSCOPE_TRY(const auto scalar, own->Number("query_pre_attn_scalar", 1e-3, kMaxScore, 256.0));
  constexpr const char* kCap = "attn_logit_softcapping";
  HEADSCOPE_TRY(const auto softcap,
                own->Number(kCap, 0.0, kMaxScore, DefaultUnlessNull(*own, kCap, 50.0)));
  HEADSCOPE_TRY(ReadIntervalWindows(
      *own, 2, DefaultUnlessNull<std::int64_t>(*own, "sliding_window", 4096), &config));
  config.query_bias = bias;
  config.output_bias = bias;
  config.scale = 1.0 / std::sqrt(scalar);
  config.softcap = softcap;
  HEADSCOPE_TRY(config.logit_cap, ReadLogitCap(*own, 30.0));
  config.norm_offset = 1.0;
  config.norms = NormPlacing::kBeforeAndInside;
  config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  config.is_causal = name == "decoder";
  return config;
}

ModelDescription Stack(const std::string& name, const LlamaConfig& config) {
  ModelDescription stack = DescribeLlama(kT5gemmaFamily.id, config);
  stack.output_layer.reset();
  UseOtherNames(kAttentionNames, &stack);
  for (TensorNeed* need : AllNeeds(&stack)) {
    need->name = fmt::format("{}.{}", name, need->name);
  }
  return stack;
}

CrossDescription Cross(const std::string& layer, const LlamaConfig& config, std::int64_t source) {
  const StackSizes& sizes = config.sizes;
  const std::string prefix = layer + "cross_attn.";
  const std::int64_t queries = sizes.heads * sizes.head_dim;
  const std::int64_t keys = sizes.kv_heads * sizes.head_dim;
  const auto norm = [&](const char* name) {
    NormNeed need = RmsNorm(layer + name, sizes.model_dim, config.epsilon);
    need.weight_offset = config.norm_offset;
    return need;
  };
  CrossDescription cross;
  cross.norm.before = norm("pre_cross_attn_layernorm");
  cross.norm.inside = norm("post_cross_attn_layernorm");
  cross.query =
      Product({MatrixPart(prefix + "q_proj", sizes.model_dim, queries, config.query_bias)});
  cross.key_value = Product({MatrixPart(prefix + "k_proj", source, keys, config.query_bias),
                             MatrixPart(prefix + "v_proj", source, keys, config.query_bias)});
  cross.output =
      Product({MatrixPart(prefix + "o_proj", queries, sizes.model_dim, config.output_bias)});
  cross.rule = {.scale = config.scale, .softcap = config.softcap, .causal = false};
  return cross;
}

Result<ModelDescription> DescribeT5Gemma(const JsonObject& json) {
  HEADSCOPE_TRY(auto encoder, ReadStack(json, "encoder"));
  HEADSCOPE_TRY(const auto decoder, ReadStack(json, "decoder"));
  for (std::int64_t& window : encoder.windows) {
    window += window > 0 ? 1 : 0;  // the furthest that is seen lies a whole window away
  }
  ModelDescription model = Stack("encoder", encoder);
  ModelDescription reader = Stack("decoder", decoder);
  for (std::size_t i = 0; i < reader.layer.size(); ++i) {
    reader.layer[i].cross =
        Cross(fmt::format("decoder.layers.{}.", i), decoder, encoder.sizes.model_dim);
  }
  model.decoder = std::move(reader);
  HEADSCOPE_TRY(ReadGeneration(json, 2, 1, &model));
  model.generation->output.name = "lm_head.out_proj.weight";
  model.generation->output.stand_ins = {model.decoder->token_embedding.name};
  model.generation->softcap = decoder.logit_cap;
  return model;
}

}  // namespace

const Family kT5gemmaFamily = {
    .id = "t5gemma",
    .describe = DescribeT5Gemma,
    .prefixes = kT5GemmaPrefixes,
    .example = R"({"model_type": "t5gemma", "encoder": {"num_hidden_layers": 3,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 12,
                   "head_dim": 6, "sliding_window": 3, "query_pre_attn_scalar": 8,
                   "attn_logit_softcapping": 2.5, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11},
                   "decoder": {"num_hidden_layers": 3, "num_attention_heads": 3,
                   "num_key_value_heads": 3, "hidden_size": 18, "head_dim": 6,
                   "sliding_window": 4, "query_pre_attn_scalar": 8,
                   "attn_logit_softcapping": 2.5, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11}})",
};

}  // namespace headscope

// Aleph Alpha's Kolibri: Llama's layout with experts, windows, norms of queries and keys, and norms before
// and behind each half; layers without a window have no positions.
//
// Source   Aleph Alpha 2026, as transformers computes it.
#include <array>
#include <utility>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kKolibriFamily;
namespace {

constexpr std::array<OtherName, 4> kKolibriNames = {
    {{"post_attention_layernorm.", "post_attn_norm."},
     {"pre_feedforward_layernorm.", "post_attention_layernorm."},
     {"post_feedforward_layernorm.", "post_ffn_norm."},
     {"mlp.gate.e_score_correction_bias", "moe.router.expert_bias"}}};

Result<ModelDescription> DescribeKolibri(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.kv_heads = 4,
                                 .head_dim = 128,
                                 .positions = 262'144,
                                 .inner_factor = 1}));  // no layer has a plain MLP
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 384, .usual_chosen = 6, .usual_inner = 512}));
  HEADSCOPE_TRY(const auto shared,
                json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 512));
  HEADSCOPE_TRY(ReadIntervalWindows(json, 5, 513, &config));
  TurnInWindowsAlone(&config);
  experts.shared_inner = shared;
  experts.shared = "shared_experts.";
  experts.shared_gate = {};
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.compares_logits = true;
  experts.correction = "gate.e_score_correction_bias";
  config.experts = std::move(experts);
  config.norms = NormPlacing::kBeforeAndInside;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  ModelDescription model = DescribeLlama(kKolibriFamily.id, config);
  UseOtherNames(kKolibriNames, &model);
  return model;
}

}  // namespace

const Family kKolibriFamily = {
    .id = "kolibri1",
    .describe = DescribeKolibri,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "kolibri1", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "moe_intermediate_size": 6, "num_experts": 3, "num_experts_per_tok": 2,
                   "shared_expert_intermediate_size": 6, "sliding_window": 5, "layer_types":
                   ["sliding_attention", "full_attention", "sliding_attention"],
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

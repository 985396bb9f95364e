// DeepSeek 2 and 3, and those like them: Llama's layout; keys and values are made of a latent, as may
// be queries; layers after the first ones have experts in groups and a shared one.
//
// Source   DeepSeek-AI 2024; Tencent 2025 (Youtu); Zhipu AI 2025 (GLM 4.7 Flash); SK Telecom 2025
//          (A.X K1); Sarvam AI 2025; as transformers computes them.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kDeepseekFamily;
namespace {

// DeepSeek 2 scores by a softmax, and a group counts as much as its best expert.
Status ReadSecond(const JsonObject& json, LlamaExperts* experts) {
  HEADSCOPE_TRY(const auto method, json.String("topk_method", "greedy"));
  HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", false));
  if ((method != "greedy" && method != "group_limited_greedy") || is_normalised) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"topk_method\" is \"{}\" and \"norm_topk_prob\" {}, expected "
                            "\"greedy\" or \"group_limited_greedy\" and false",
                            json.name(),
                            method,
                            is_normalised));
  }
  ExpertChoice& choice = experts->choice;
  choice.score = RouterScore::kSoftmax;
  choice.is_normalised = false;
  choice.best_of_group = 1;
  if (method == "greedy") {
    choice.groups = 1;
    choice.groups_chosen = 1;
  }
  experts->correction = {};
  return {};
}

// Mistral 4 scores by a softmax, too; its scores are not corrected.
void UseSoftmax(LlamaExperts* experts) {
  experts->choice.score = RouterScore::kSoftmax;
  experts->correction = {};
}

// Each query reads only the keys that an index finds best. Up to as many tokens as those, it reads
// all, and longer texts do not open.
Status ShortenToIndex(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto found, json.Integer("index_topk", 1, kMaxPositions, 2048));
  config->sizes.positions = std::min(config->sizes.positions, found);
  return {};
}

Result<LlamaExperts> ReadDeepseekExperts(const JsonObject& json,
                                         std::string_view type,
                                         std::int64_t layers) {
  const bool is_second = type == "deepseek_v2";
  const bool is_lite = type == "glm4_moe_lite";
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "n_routed_experts",
                             .usual_count = is_second || is_lite ? 64 : 256,
                             .usual_chosen = is_lite ? 4 : 8,
                             .usual_inner = is_second ? 1407 : 2048}));
  HEADSCOPE_TRY(ReadGroups(json, &experts));
  HEADSCOPE_TRY(ReadShared(json, "n_shared_experts", is_second ? 2 : 1, &experts));
  if (is_second) {
    HEADSCOPE_TRY(ReadSecond(json, &experts));
  }
  if (type == "mistral4") {
    UseSoftmax(&experts);
  }
  const bool has_index = type == "deepseek_v32" || type == "glm_moe_dsa";
  const std::int64_t first = is_second || type == "mistral4"      ? 0
                             : type == "deepseek_v3" || has_index ? 3
                                                                  : 1;
  HEADSCOPE_TRY(auto sparse, ReadSparseLayers(json, layers, first));
  experts.layers = std::move(sparse);
  return experts;
}

Result<ModelDescription> DescribeDeepseek(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool has_experts = type != "youtu";
  const bool has_index = type == "deepseek_v32" || type == "glm_moe_dsa";
  const bool has_large_epsilon = type == "glm4_moe_lite" || type == "glm_moe_dsa";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 4096,
                                 .is_tied = type == "youtu",
                                 .epsilon = has_large_epsilon ? 1e-5 : 1e-6,
                                 .has_latents = true,
                                 .reads_part = type != "mistral4"}));
  HEADSCOPE_TRY(const auto is_interleaved, json.Boolean("rope_interleave", true));
  config.rotary.table.pairs_neighbours = is_interleaved || type == "deepseek_v2" || has_index;
  if (has_index) {
    HEADSCOPE_TRY(ShortenToIndex(json, &config));
  }
  if (type == "mistral4") {
    HEADSCOPE_TRY(ReadQueryGrowth(json, &config));
  }
  if (has_experts) {
    HEADSCOPE_TRY(auto experts, ReadDeepseekExperts(json, type, config.sizes.layers));
    config.experts = std::move(experts);
  }
  ModelDescription model = DescribeLlama(kDeepseekFamily.id, config);
  if (type == "axk1") {
    for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
      if (model.layer[layer].experts) {
        model.layer[layer].mlp_norm.inside = RmsNorm(
            fmt::format("layers.{}.post_mlp_layernorm", layer), model.model_dim, config.epsilon);
      }
    }
  }
  if (has_index) {
    model.unread.emplace_back(".indexer.");
    model.note = fmt::format(
        "an index chooses {} keys for each query of a longer text; texts of up to {} tokens, where "
        "it chooses all, open",
        config.sizes.positions,
        config.sizes.positions);
  }
  HEADSCOPE_TRY(LeaveOutPredictors(json, &model));
  return model;
}

}  // namespace

const Family kDeepseekFamily = {
    .id = "deepseek_v3",
    .other_types =
        "axk1 deepseek_v2 deepseek_v32 glm4_moe_lite glm_moe_dsa mistral4 sarvam_mla youtu",
    .describe = DescribeDeepseek,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "deepseek_v3", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "hidden_size": 16, "intermediate_size": 10, "moe_intermediate_size": 6,
                   "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 2,
                   "topk_group": 1, "routed_scaling_factor": 2.5, "first_k_dense_replace": 1,
                   "q_lora_rank": 7, "kv_lora_rank": 5, "qk_nope_head_dim": 3,
                   "qk_rope_head_dim": 2, "v_head_dim": 4, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope

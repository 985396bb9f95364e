// Mixtral: Mistral with experts, of which each token has two. MiniMax 2 scores them by sigmoids with
// a correction, turns a part of each head, and norms queries and keys over their whole width.
//
// Source   Jiang 2024; MiniMax 2025; tensors as the files on the Hub name them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMixtralFamily;
namespace {

Result<ModelDescription> DescribeMixtral(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_minimax = type == "minimax_m2";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 131'072,
                                 .theta = is_minimax ? 5e6 : 1e6,
                                 .epsilon = is_minimax ? 1e-6 : 1e-5,
                                 .partial_factor = is_minimax ? 1.0 : 0.0}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "num_local_experts",
                             .inner = "intermediate_size",
                             .usual_count = is_minimax ? 256 : 8,
                             .usual_chosen = is_minimax ? 8 : 2}));
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 0, kMaxPositions, 0));
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  experts.choice.is_normalised = true;
  experts.block = "block_sparse_moe.";
  experts.up = "w3";
  experts.gate = "w1";
  experts.down = "w2";
  if (is_minimax) {
    experts.choice.score = RouterScore::kSigmoid;
    experts.correction = "e_score_correction_bias";
    config.query_key_norm = QueryKeyNorm::kWholeWidth;
  }
  config.experts = experts;
  return DescribeLlama(kMixtralFamily.id, config);
}

}  // namespace

const Family kMixtralFamily = {
    .id = "mixtral",
    .other_types = "minimax_m2",
    .describe = DescribeMixtral,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "mixtral", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "num_local_experts": 3, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

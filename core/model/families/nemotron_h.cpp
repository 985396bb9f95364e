// Nemotron H: each of its blocks is a state space, an attention without positions, an MLP of squared ReLU
// or experts with such MLPs, and adds to the stream by itself.
//
// Source   NVIDIA 2025; tensors as transformers' NemotronHModel names them, matrices [out, in].
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"
#include "core/model/mamba.h"
#include "core/model/plain_blocks.h"

namespace headscope {
extern const Family kNemotronHFamily;
namespace {

constexpr std::array<std::string_view, 3> kPrefixes = {"model.", "backbone.", ""};
constexpr std::array<OtherName, 2> kNames = {
    {{".input_layernorm.", ".norm."}, {"embed_tokens.", "embeddings."}}};

constexpr MambaKeys kMambaKeys = {.heads = "mamba_num_heads",
                                  .head_dim = "mamba_head_dim",
                                  .groups = "n_groups",
                                  .state = "ssm_state_size",
                                  .taps = "conv_kernel",
                                  .taps_bias = "use_conv_bias",
                                  .activation = "mamba_hidden_act",
                                  .limits = {},  // only the least
                                  .usual_state = 128,
                                  .usual_groups = 8};

// Returns the kinds of the blocks by their letters: M, *, - or E.
Result<std::string> ReadKinds(const JsonObject& json) {
  const char* const key = json.Has("layers_block_type") ? "layers_block_type" : "layer_types";
  HEADSCOPE_TRY(const auto list, json.Array(key));
  HEADSCOPE_TRY(auto letters, json.String("hybrid_override_pattern", ""));
  if (list) {
    letters.clear();
    for (const JsonValue one : *list) {
      const std::string_view name = one.Text().value_or("");
      letters += name == "linear_attention" || name == "mamba"     ? 'M'
                 : name == "full_attention" || name == "attention" ? '*'
                 : name == "mlp"                                   ? '-'
                 : name == "moe"                                   ? 'E'
                                                                   : '?';
    }
  }
  if (letters.empty() || letters.find_first_not_of("M*-E") != std::string::npos ||
      std::ssize(letters) > kMaxLayers) {
    return json.Refuse(list ? key : "hybrid_override_pattern",
                       "for each block \"linear_attention\" (M), \"full_attention\" (*), \"mlp\" "
                       "(-) or \"moe\" (E)");
  }
  return letters;
}

Result<LlamaExperts> ReadNemotronExperts(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(
          json,
          {.count = "n_routed_experts", .usual_count = 8, .usual_chosen = 2, .usual_inner = 7688}));
  HEADSCOPE_TRY(ReadGroups(json, &experts));
  HEADSCOPE_TRY(experts.shared_inner,
                json.Integer("moe_shared_expert_intermediate_size", 1, kMaxInnerWidth, 7688));
  if (json.Has("moe_latent_size")) {
    return json.Refuse("moe_latent_size", "null; experts of a latent do not open yet");
  }
  experts.block = "mixer.";
  experts.shared = "shared_experts.";
  experts.shared_gate = {};
  experts.gate = {};
  return experts;
}

Result<LlamaConfig> ReadNemotronH(const JsonObject& json, const std::string& kinds) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.layers = std::ssize(kinds),
                                 .heads = 32,
                                 .kv_heads = 8,
                                 .head_dim = 128,
                                 .positions = 4096,
                                 .activation_key = "mlp_hidden_act",
                                 .activation = "relu2",
                                 .epsilon_key = "layer_norm_epsilon",
                                 .epsilon = 1e-5}));
  config.sizes.layers = std::ssize(kinds);
  HEADSCOPE_TRY(config.mlp_bias, ReadBias(json, "mlp_bias", false));
  if (kinds.find('E') != std::string::npos) {
    HEADSCOPE_TRY(config.experts, ReadNemotronExperts(json));
    config.experts->layers = LayersWhere(
        config.sizes.layers, [&](auto i) { return kinds[static_cast<std::size_t>(i)] == 'E'; });
  }
  config.turns = LayersWhere(config.sizes.layers, [](auto) { return false; });
  config.names = {.mlp_norm = "norm",
                  .attention = "mixer.",
                  .up = "mixer.up_proj",
                  .gate = "",
                  .down = "mixer.down_proj"};
  return config;
}

Result<ModelDescription> DescribeNemotronH(const JsonObject& json) {
  HEADSCOPE_TRY(const auto kinds, ReadKinds(json));
  HEADSCOPE_TRY(const auto config, ReadNemotronH(json, kinds));
  HEADSCOPE_TRY(auto mamba, ReadMamba(json, kMambaKeys, config.sizes.model_dim));
  HEADSCOPE_TRY(mamba.least_step, json.Number("time_step_min", 0.0, 1e9, 1e-3));
  ModelDescription model = DescribeLlama(kNemotronHFamily.id, config);
  model.position_scheme = PositionScheme::kNone;
  model.final_norm->weight.name = "norm_f.weight";
  UseOtherNames(kNames, &model);
  const auto kind = [&](auto i) { return kinds[static_cast<std::size_t>(i)]; };
  const auto attends = LayersWhere(model.layers, [&](auto i) { return kind(i) == '*'; });
  HEADSCOPE_TRY(RequireAttention(json, "layers_block_type", attends));
  const auto fill = [&](std::size_t layer, PlainBlock* block) {
    (kind(layer) == 'M' ? block->mlp_norm : block->norm).reset();
    if (kind(layer) == 'M') {
      block->mlp = {};
      block->memory = MambaMemory(
          fmt::format("layers.{}.mixer.", layer), model.model_dim, config.epsilon, mamba);
    }
  };
  MakePlainBlocks(attends, "state spaces (Mamba 2) or are MLPs", fill, &model);
  for (LayerDescription& layer : model.layer) {
    layer.mlp_up.matrices.clear();
    layer.mlp_down.matrices.clear();
    layer.mlp_norm = {};
  }
  return model;
}

}  // namespace

const Family kNemotronHFamily = {
    .id = "nemotron_h",
    .describe = DescribeNemotronH,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "nemotron_h", "hybrid_override_pattern": "M*-ME*-*",
                   "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 10, "mamba_num_heads": 4, "mamba_head_dim": 6, "n_groups": 2,
                   "ssm_state_size": 3, "n_routed_experts": 3, "num_experts_per_tok": 2,
                   "moe_intermediate_size": 6, "moe_shared_expert_intermediate_size": 7,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope

// LongCat Flash: latent attention as in DeepSeek 3. Two layers share a number, and the experts of the
// first read what its MLP reads and are added with the MLP of the second; some experts are idle.
//
// Source   Meituan 2025; tensors as transformers' LongcatFlashModel names them.
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"
#include "core/model/tensor_needs.h"

namespace headscope {
extern const Family kLongcatFamily;
namespace {

// Returns the name in the file of a tensor of one of the two layers: "layers.3.self_attn.o_proj" is
// "layers.1.self_attn.1.o_proj".
std::string NameInPair(const std::string& name) {
  constexpr std::string_view kLayers = "layers.";
  if (!name.starts_with(kLayers)) {
    return name;
  }
  std::int64_t layer = 0;
  const char* const last = name.data() + name.size();
  const char* const end = std::from_chars(name.data() + kLayers.size(), last, layer).ptr;
  const std::string rest(end + 1, last);
  const std::size_t dot = rest.find('.');
  const std::string block = rest.substr(0, dot);
  const std::string pair = fmt::format("layers.{}.", layer / 2);
  if (block == "experts_of_pair") {
    return pair + "mlp" + rest.substr(dot);
  }
  return fmt::format(
      "{}{}.{}{}", pair, block == "mlp" ? "mlps" : block, layer % 2, rest.substr(dot));
}

Result<LlamaExperts> ReadLongcatExperts(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "n_routed_experts",
                             .inner = "expert_ffn_hidden_size",
                             .chosen = "moe_topk",
                             .usual_count = 512,
                             .usual_chosen = 12,
                             .usual_inner = 2048}));
  HEADSCOPE_TRY(const auto idle, json.Integer("zero_expert_num", 0, kMaxExperts, 256));
  HEADSCOPE_TRY(const auto factor, json.Number("routed_scaling_factor", -1e6, 1e6, 6.0));
  experts.idle = idle;
  experts.joins_next = true;
  experts.choice.factor = factor;
  experts.choice.is_normalised = false;
  experts.block = "experts_of_pair.";
  experts.router = "router.classifier";
  experts.correction = "router.e_score_correction_bias";
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    experts.layers.push_back(layer % 2 == 0);
  }
  return experts;
}

Result<ModelDescription> DescribeLongcat(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 131'072,
                                 .epsilon = 1e-5,
                                 .layers_key = "num_layers",
                                 .inner_key = "ffn_hidden_size",
                                 .has_latents = true}));
  if (config.latent->query_rank == 0 || config.sizes.layers > kMaxLayers / 2) {
    return Fail(
        ErrorCode::kFormat,
        fmt::format("{}: {} pairs of layers and \"q_lora_rank\" {}, expected at most {} and "
                    "a number above 0",
                    json.name(),
                    config.sizes.layers,
                    config.latent->query_rank,
                    kMaxLayers / 2));
  }
  config.sizes.layers *= 2;
  HEADSCOPE_TRY(auto experts, ReadLongcatExperts(json, config.sizes.layers));
  const auto width = static_cast<double>(config.sizes.model_dim);
  config.scale *= std::sqrt(width / static_cast<double>(config.latent->query_rank));
  config.rotary.table.pairs_neighbours = true;
  config.experts = std::move(experts);
  ModelDescription model = DescribeLlama(kLongcatFamily.id, config);
  for (LayerDescription& layer : model.layer) {
    layer.latent->key_value_latent.norm.factor =
        std::sqrt(width / static_cast<double>(config.latent->rank));
  }
  for (TensorNeed* const need : AllNeeds(&model)) {
    need->name = NameInPair(need->name);
  }
  for (std::int64_t i = 0; i < config.experts->idle; ++i) {
    model.unread.push_back(fmt::format("mlp.experts.{}.", config.experts->count + i));
  }
  model.unread.emplace_back("mtp.");
  return model;
}

}  // namespace

const Family kLongcatFamily = {
    .id = "longcat_flash",
    .describe = DescribeLongcat,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "longcat_flash", "num_layers": 2, "num_attention_heads": 4,
                   "hidden_size": 16, "ffn_hidden_size": 10, "expert_ffn_hidden_size": 6,
                   "n_routed_experts": 3, "zero_expert_num": 2, "moe_topk": 2,
                   "q_lora_rank": 7, "kv_lora_rank": 5, "qk_nope_head_dim": 3,
                   "qk_rope_head_dim": 2, "v_head_dim": 4, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope

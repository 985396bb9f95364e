#include "core/model/gguf_architecture.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/foreign_config.h"

namespace headscope {
namespace {

constexpr std::array kLlamaSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
});

constexpr std::array kGemma2Settings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"attention.sliding_window", "sliding_window", true, false},
    {"attn_logit_softcapping", "attn_logit_softcapping", false, false},
    {"final_logit_softcapping", "final_logit_softcapping", false, false},
});

constexpr std::array kGpt2Settings = std::to_array<GgufSetting>({
    {"block_count", "n_layer"},
    {"embedding_length", "n_embd"},
    {"feed_forward_length", "n_inner"},
    {"attention.head_count", "n_head"},
    {"context_length", "n_positions"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
});

constexpr std::array kGptNeoxSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
    {"rope.freq_base", "rotary_emb_base", false, false},
});

constexpr std::array kPhiSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
});

constexpr std::array kBertSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
});

constexpr std::array kLlamaLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
});
constexpr std::array kLlamaNames = std::to_array<GgufName>({
    {"embed_tokens", "token_embd"},
    {"norm", "output_norm"},
});

constexpr std::array kGemma2Layer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "post_attention_norm"},
    {"pre_feedforward_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
    {"post_feedforward_layernorm", "post_ffw_norm"},
});

constexpr std::array kGpt2Layer = std::to_array<GgufName>({
    {"ln_1", "attn_norm"},
    {"attn.c_attn", "attn_qkv"},
    {"attn.c_proj", "attn_output"},
    {"ln_2", "ffn_norm"},
    {"mlp.c_fc", "ffn_up"},
    {"mlp.c_proj", "ffn_down"},
});
constexpr std::array kGpt2Names = std::to_array<GgufName>({
    {"wte", "token_embd"},
    {"wpe", "position_embd"},
    {"ln_f", "output_norm"},
});

constexpr std::array kGptNeoxLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"attention.query_key_value", "attn_qkv"},
    {"attention.dense", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.dense_h_to_4h", "ffn_up"},
    {"mlp.dense_4h_to_h", "ffn_down"},
});
constexpr std::array kGptNeoxNames = std::to_array<GgufName>({
    {"embed_in", "token_embd"},
    {"final_layer_norm", "output_norm"},
});

constexpr std::array kPhiLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.dense", "attn_output"},
    {"mlp.fc1", "ffn_up"},
    {"mlp.fc2", "ffn_down"},
});
constexpr std::array kPhiNames = std::to_array<GgufName>({
    {"embed_tokens", "token_embd"},
    {"final_layernorm", "output_norm"},
});

constexpr std::array kBertLayer = std::to_array<GgufName>({
    {"attention.self.query", "attn_q"},
    {"attention.self.key", "attn_k"},
    {"attention.self.value", "attn_v"},
    {"attention.output.dense", "attn_output"},
    {"attention.output.LayerNorm", "attn_output_norm"},
    {"intermediate.dense", "ffn_up"},
    {"output.dense", "ffn_down"},
    {"output.LayerNorm", "layer_output_norm"},
});
constexpr std::array kBertNames = std::to_array<GgufName>({
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
});

constexpr std::array kArchitectures = std::to_array<GgufArchitecture>({
    {.id = "llama",
     .model_type = "llama",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .layer_prefix = "layers.",
     .layer_names = kLlamaLayer,
     .names = kLlamaNames,
     .interleaves_queries_and_keys = true},
    {.id = "qwen2",
     .model_type = "qwen2",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .layer_prefix = "layers.",
     .layer_names = kLlamaLayer,
     .names = kLlamaNames},
    {.id = "qwen3",
     .model_type = "qwen3",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .layer_prefix = "layers.",
     .layer_names = kLlamaLayer,
     .names = kLlamaNames},
    {.id = "gemma",
     .model_type = "gemma",
     .constants = R"({"hidden_activation": "gelu_pytorch_tanh"})",
     .settings = kLlamaSettings,
     .layer_prefix = "layers.",
     .layer_names = kLlamaLayer,
     .names = kLlamaNames},
    {.id = "gemma2",
     .model_type = "gemma2",
     .constants = R"({"hidden_activation": "gelu_pytorch_tanh"})",
     .settings = kGemma2Settings,
     .layer_prefix = "layers.",
     .layer_names = kGemma2Layer,
     .names = kLlamaNames},
    {.id = "gpt2",
     .model_type = "gpt2",
     .constants = R"({"activation_function": "gelu_new"})",
     .settings = kGpt2Settings,
     .layer_prefix = "h.",
     .layer_names = kGpt2Layer,
     .names = kGpt2Names},
    {.id = "gptneox",
     .model_type = "gpt_neox",
     .constants = R"({"hidden_act": "gelu"})",
     .settings = kGptNeoxSettings,
     .layer_prefix = "layers.",
     .layer_names = kGptNeoxLayer,
     .names = kGptNeoxNames},
    {.id = "phi2",
     .model_type = "phi",
     .constants = R"({"hidden_act": "gelu_new"})",
     .settings = kPhiSettings,
     .layer_prefix = "layers.",
     .layer_names = kPhiLayer,
     .names = kPhiNames},
    {.id = "bert",
     .model_type = "bert",
     .constants = R"({"hidden_act": "gelu"})",
     .settings = kBertSettings,
     .layer_prefix = "encoder.layer.",
     .layer_names = kBertLayer,
     .names = kBertNames},
});

// Rejects files that accompany a model: their architecture may be the model's.
Status RefuseCompanion(const GgufMetadata& metadata, const std::string& architecture) {
  const auto type = metadata.String("general.type", "model");
  if (architecture == "clip" || (type && *type == "mmproj")) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: is the part of a model that reads its pictures (mmproj); open the "
                            "GGUF file of the model itself, or the folder that holds both",
                            metadata.name()));
  }
  constexpr std::array<std::string_view, 3> kCompanions = {"adapter", "imatrix", "controlvector"};
  if (type && std::ranges::find(kCompanions, *type) != kCompanions.end()) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: is no whole model, its \"general.type\" is {}; open the GGUF file "
                            "of the model that it goes with{}",
                            metadata.name(),
                            Quoted(*type),
                            *type == "adapter" ? ", or merge the two with llama-export-lora" : ""));
  }
  return {};
}

}  // namespace

Result<const GgufArchitecture*> FindGgufArchitecture(const GgufMetadata& metadata) {
  HEADSCOPE_TRY(const auto id, metadata.String("general.architecture"));
  HEADSCOPE_TRY(RefuseCompanion(metadata, id));
  const auto* found = std::ranges::find(kArchitectures, id, &GgufArchitecture::id);
  if (found != kArchitectures.end()) {
    return found;
  }
  std::string list;
  for (const GgufArchitecture& one : kArchitectures) {
    list += (list.empty() ? "" : ", ") + std::string(one.id);
  }
  const std::string_view why = WhyNoFamily(id);
  return Fail(ErrorCode::kUnsupported,
              fmt::format("{}: GGUF models of the architecture {} {}; these open: {}",
                          metadata.name(),
                          Quoted(id),
                          why.empty() ? "do not open" : why,
                          list));
}

}  // namespace headscope

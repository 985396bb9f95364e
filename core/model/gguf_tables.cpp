// What each GGUF architecture combines of settings and names.
#include <array>

#include "core/model/gguf_architecture.h"
#include "core/model/gguf_setting_names.h"
#include "core/model/gguf_tensor_names.h"

namespace headscope {
namespace {

constexpr std::array kLlamaStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kLlamaLayer},
});
constexpr std::array kMixtralStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kMixtralLayer},
});
constexpr std::array kExpertsStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kExpertsLayer},
});
constexpr std::array kStablelmStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kStablelmLayer},
});
constexpr std::array kGptOssStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kGptOssLayer},
});
constexpr std::array kGemma2Stacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kGemma2Layer},
});
constexpr std::array kLfm2Stacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kLfm2Layer},
});
constexpr std::array kSeedStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kSeedLayer},
});
constexpr std::array kHunyuanStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kHunyuanLayer},
});
constexpr std::array kPhi3Stacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kPhi3Layer},
});
constexpr std::array kGlmStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kGlmLayer},
});
constexpr std::array kGlm4Stacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kGlm4Layer},
});
constexpr std::array kStarcoder2Stacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kStarcoder2Layer},
});
constexpr std::array kExaoneStacks = std::to_array<GgufStack>({
    {"h.", "blk.", kExaoneLayer},
});
constexpr std::array kGpt2Stacks = std::to_array<GgufStack>({
    {"h.", "blk.", kGpt2Layer},
});
constexpr std::array kGptNeoxStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kGptNeoxLayer},
});
constexpr std::array kPhiStacks = std::to_array<GgufStack>({
    {"layers.", "blk.", kPhiLayer},
});
constexpr std::array kBertStacks = std::to_array<GgufStack>({
    {"encoder.layer.", "blk.", kBertLayer},
});
constexpr std::array kJinaBertStacks = std::to_array<GgufStack>({
    {"encoder.layer.", "blk.", kJinaBertLayer},
});
constexpr std::array kNomicStacks = std::to_array<GgufStack>({
    {"encoder.layers.", "blk.", kNomicLayer},
});
constexpr std::array kFalconStacks = std::to_array<GgufStack>({
    {"h.", "blk.", kFalconLayer},
});
constexpr std::array kBloomStacks = std::to_array<GgufStack>({
    {"h.", "blk.", kBloomLayer},
});
constexpr std::array kMptStacks = std::to_array<GgufStack>({
    {"blocks.", "blk.", kMptLayer},
});
constexpr std::array kT5Stacks = std::to_array<GgufStack>({
    {"encoder.block.", "enc.blk.", kT5EncoderLayer},
    {"decoder.block.", "dec.blk.", kT5DecoderLayer},
});

constexpr std::array kAttentionAndMlp = std::to_array<GgufPresence>({
    {"attention_bias", "attn_q.bias"},
    {"mlp_bias", "ffn_up.bias"},
});

constexpr std::array kGateApart = std::to_array<GgufPresence>({
    {"gate_is_apart", "ffn_gate.weight"},
});

constexpr std::array kAttentionOnly = std::to_array<GgufPresence>({
    {"attention_bias", "attn_q.bias"},
});

constexpr std::array kSeedBiases = std::to_array<GgufPresence>({
    {"attention_bias", "attn_q.bias"},
    {"attention_out_bias", "attn_output.bias"},
});

constexpr std::array kGlmBiases = std::to_array<GgufPresence>({
    {"attention_bias", "attn_q.bias"},
});

constexpr std::array kChatGlmBiases = std::to_array<GgufPresence>({
    {"attention_bias", "attn_qkv.bias"},
});

constexpr std::array kQueryBias = std::to_array<GgufPresence>({
    {"qkv_bias", "attn_q.bias"},
});

constexpr std::array kStablelmParts = std::to_array<GgufPresence>({
    {"use_qkv_bias", "attn_q.bias"},
    {"qk_layernorm", "attn_q_norm.weight"},
});

constexpr std::array kCohereParts = std::to_array<GgufPresence>({
    {"attention_bias", "attn_q.bias"},
    {"mlp_bias", "ffn_up.bias"},
    {"use_qk_norm", "attn_q_norm.weight"},
});

constexpr std::array kOneBias = std::to_array<GgufPresence>({
    {"use_bias", "attn_q.bias"},
});

constexpr std::array kFalconBias = std::to_array<GgufPresence>({
    {"bias", "attn_qkv.bias"},
    {"new_decoder_architecture", "attn_norm_2.weight"},
});

constexpr std::array kArchitectures = std::to_array<GgufArchitecture>({
    {.id = "llama",
     .model_type = "llama",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "llama",
     .model_type = "mixtral",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kMixtralSettings,
     .stacks = kMixtralStacks,
     .names = kLlamaNames,
     .interleaves_queries_and_keys = true,
     .has_experts = true},
    {.id = "baichuan",
     .model_type = "llama",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "internlm2",
     .model_type = "llama",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "xverse",
     .model_type = "llama",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "qwen2",
     .model_type = "qwen2",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames},
    {.id = "qwen2vl",
     .model_type = "qwen2",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames},
    {.id = "qwen3",
     .model_type = "qwen3",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp},
    {.id = "qwen3vl",
     .model_type = "qwen3",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp},
    {.id = "qwen2moe",
     .model_type = "qwen2_moe",
     .constants = R"({"hidden_act": "silu", "norm_topk_prob": false})",
     .settings = kQwenMoeSettings,
     .stacks = kExpertsStacks,
     .names = kLlamaNames,
     .presences = kQueryBias,
     .has_experts = true},
    {.id = "qwen3moe",
     .model_type = "qwen3_moe",
     .constants = R"({"hidden_act": "silu", "norm_topk_prob": true})",
     .settings = kQwenMoeSettings,
     .stacks = kExpertsStacks,
     .names = kLlamaNames,
     .presences = kAttentionOnly,
     .has_experts = true},
    {.id = "gpt-oss",
     .model_type = "gpt_oss",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kGptOssSettings,
     .stacks = kGptOssStacks,
     .names = kLlamaNames,
     .presences = kAttentionOnly,
     .has_experts = true},
    {.id = "olmo",
     .model_type = "olmo",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kOlmoSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .interleaves_queries_and_keys = true},
    {.id = "olmo2",
     .model_type = "olmo2",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kWindowSettings,
     .stacks = kGemma2Stacks,
     .names = kLlamaNames},
    {.id = "olmoe",
     .model_type = "olmoe",
     .constants = R"({"hidden_act": "silu", "norm_topk_prob": false})",
     .settings = kOlmoeSettings,
     .stacks = kExpertsStacks,
     .names = kLlamaNames,
     .has_experts = true},
    {.id = "smollm3",
     .model_type = "smollm3",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "granite",
     .model_type = "granite",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kGraniteSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "arcee",
     .model_type = "arcee",
     .constants = R"({"hidden_act": "relu2"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .interleaves_queries_and_keys = true},
    {.id = "ernie4_5",
     .model_type = "ernie4_5",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kOneBias},
    {.id = "seed_oss",
     .model_type = "seed_oss",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kSeedStacks,
     .names = kLlamaNames,
     .presences = kSeedBiases},
    {.id = "exaone",
     .model_type = "exaone",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kExaoneStacks,
     .names = kExaoneNames},
    {.id = "exaone4",
     .model_type = "exaone4",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kWindowSettings,
     .stacks = kGemma2Stacks,
     .names = kLlamaNames},
    {.id = "hunyuan-dense",
     .model_type = "hunyuan_v1_dense",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kHunyuanStacks,
     .names = kLlamaNames,
     .presences = kAttentionOnly},
    {.id = "eurobert",
     .model_type = "eurobert",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .looks_ahead = true},
    {.id = "gemma",
     .model_type = "gemma",
     .constants = R"({"hidden_activation": "gelu_pytorch_tanh"})",
     .settings = kLlamaSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames},
    {.id = "gemma2",
     .model_type = "gemma2",
     .constants = R"({"hidden_activation": "gelu_pytorch_tanh"})",
     .settings = kGemmaSettings,
     .stacks = kGemma2Stacks,
     .names = kLlamaNames},
    {.id = "gemma3",
     .model_type = "gemma3_text",
     .constants = R"({"hidden_activation": "gelu_pytorch_tanh"})",
     .settings = kGemmaSettings,
     .stacks = kGemma2Stacks,
     .names = kLlamaNames},
    {.id = "gemma4",
     .model_type = "gemma4_text",
     .constants = R"({"hidden_activation": "gelu_pytorch_tanh"})",
     .settings = kGemma4Settings,
     .stacks = kGemma2Stacks,
     .names = kGemma4Names,
     .has_experts = true,
     .scales_angles_of_windows = false},
    {.id = "lfm2",
     .model_type = "lfm2",
     .constants = R"({"block_auto_adjust_ff_dim": false})",
     .settings = kLfm2Settings,
     .stacks = kLfm2Stacks,
     .names = kLfm2Names},
    {.id = "phi3",
     .model_type = "phi3",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kWindowSettings,
     .stacks = kPhi3Stacks,
     .names = kLlamaNames,
     .turned_part = "partial_rotary_factor"},
    {.id = "chatglm",
     .model_type = "glm",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kGlmStacks,
     .names = kLlamaNames,
     .presences = kChatGlmBiases,
     .turned_part = "partial_rotary_factor"},
    {.id = "glm4",
     .model_type = "glm4",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLlamaSettings,
     .stacks = kGlm4Stacks,
     .names = kLlamaNames,
     .presences = kGlmBiases,
     .turned_part = "partial_rotary_factor"},
    {.id = "command-r",
     .model_type = "cohere",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLayerNormSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kCohereParts},
    {.id = "cohere2",
     .model_type = "cohere2",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLayerNormSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp},
    {.id = "starcoder2",
     .model_type = "starcoder2",
     .constants = R"({"hidden_act": "gelu_pytorch_tanh"})",
     .settings = kStarcoder2Settings,
     .stacks = kStarcoder2Stacks,
     .names = kLlamaNames,
     .presences = kOneBias},
    {.id = "stablelm",
     .model_type = "stablelm",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kLayerNormSettings,
     .stacks = kStablelmStacks,
     .names = kLlamaNames,
     .presences = kStablelmParts,
     .turned_part = "partial_rotary_factor"},
    {.id = "nemotron",
     .model_type = "nemotron",
     .constants = R"({"hidden_act": "relu2"})",
     .settings = kNemotronSettings,
     .stacks = kLlamaStacks,
     .names = kLlamaNames,
     .presences = kAttentionAndMlp,
     .turned_part = "partial_rotary_factor"},
    {.id = "phi2",
     .model_type = "phi",
     .constants = R"({"hidden_act": "gelu_new"})",
     .settings = kPhiSettings,
     .stacks = kPhiStacks,
     .names = kPhiNames,
     .turned_part = "partial_rotary_factor"},
    {.id = "gpt2",
     .model_type = "gpt2",
     .constants = R"({"activation_function": "gelu_new"})",
     .settings = kGpt2Settings,
     .stacks = kGpt2Stacks,
     .names = kGpt2Names},
    {.id = "gptneox",
     .model_type = "gpt_neox",
     .constants = R"({"hidden_act": "gelu"})",
     .settings = kGptNeoxSettings,
     .stacks = kGptNeoxStacks,
     .names = kGptNeoxNames,
     .turned_part = "rotary_pct"},
    {.id = "falcon",
     .model_type = "falcon",
     .constants = R"({"activation": "gelu", "alibi": false, "parallel_attn": true})",
     .settings = kFalconSettings,
     .stacks = kFalconStacks,
     .names = kBloomNames,
     .presences = kFalconBias},
    {.id = "bloom",
     .model_type = "bloom",
     .constants = R"({})",
     .settings = kBloomSettings,
     .stacks = kBloomStacks,
     .names = kBloomNames},
    {.id = "mpt",
     .model_type = "mpt",
     .constants = R"({})",
     .settings = kMptSettings,
     .stacks = kMptStacks,
     .names = kMptNames},
    {.id = "bert",
     .model_type = "bert",
     .constants = R"({"hidden_act": "gelu"})",
     .settings = kBertSettings,
     .stacks = kBertStacks,
     .names = kBertNames,
     .looks_ahead = true},
    {.id = "jina-bert-v2",
     .model_type = "jina_bert",
     .constants = R"({"feed_forward_type": "geglu"})",
     .settings = kBertSettings,
     .stacks = kJinaBertStacks,
     .names = kBertNames,
     .presences = kGateApart,
     .looks_ahead = true},
    {.id = "nomic-bert",
     .model_type = "nomic_bert",
     .constants = R"({"hidden_act": "silu"})",
     .settings = kNomicSettings,
     .stacks = kNomicStacks,
     .names = kBertNames,
     .looks_ahead = true},
    {.id = "t5",
     .model_type = "t5",
     .constants = R"({"is_encoder_decoder": true})",
     .settings = kT5Settings,
     .stacks = kT5Stacks,
     .names = kT5Names},
    {.id = "t5encoder",
     .model_type = "t5",
     .constants = R"({"is_encoder_decoder": false})",
     .settings = kT5Settings,
     .stacks = kT5Stacks,
     .names = kT5Names,
     .looks_ahead = true},
});

}  // namespace

std::span<const GgufArchitecture> GgufArchitectures() {
  return kArchitectures;
}

}  // namespace headscope

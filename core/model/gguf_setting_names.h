// The settings of GGUF architectures: keys in the file, and in config.json.
//
// Threads  immutable.
#pragma once

#include <array>

#include "core/model/gguf_architecture.h"

namespace headscope {

inline constexpr std::array kLlamaSettings = std::to_array<GgufSetting>({
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

inline constexpr std::array kWindowSettings = std::to_array<GgufSetting>({
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
});

inline constexpr std::array kGemmaSettings = std::to_array<GgufSetting>({
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
    {"rope.freq_base_swa", "rope_local_base_freq", false, false},
    {"attn_logit_softcapping", "attn_logit_softcapping", false, false},
    {"final_logit_softcapping", "final_logit_softcapping", false, false},
});

inline constexpr std::array kMixtralSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"expert_count", "num_local_experts"},
    {"expert_used_count", "num_experts_per_tok"},
});

inline constexpr std::array kOlmoeSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"expert_count", "num_experts"},
    {"expert_used_count", "num_experts_per_tok"},
});

inline constexpr std::array kQwenMoeSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"expert_count", "num_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"expert_feed_forward_length", "moe_intermediate_size", true, false},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size", true, false},
});

inline constexpr std::array kGptOssSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"expert_feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"attention.sliding_window", "sliding_window"},
    {"expert_count", "num_local_experts"},
    {"expert_used_count", "num_experts_per_tok"},
});

inline constexpr std::array kGraniteSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"attention.scale", "attention_multiplier", false, false},
    {"embedding_scale", "embedding_multiplier", false, false},
    {"residual_scale", "residual_multiplier", false, false},
    {"logit_scale", "logits_scaling", false, false},
});

inline constexpr std::array kLayerNormSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"attention.sliding_window", "sliding_window", true, false},
    {"logit_scale", "logit_scale", false, false},
});

inline constexpr std::array kOlmoSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"rope.freq_base", "rope_theta", false, false},
});

inline constexpr std::array kStarcoder2Settings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "norm_epsilon", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"attention.sliding_window", "sliding_window", true, false},
});

inline constexpr std::array kNemotronSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
});

inline constexpr std::array kGpt2Settings = std::to_array<GgufSetting>({
    {"block_count", "n_layer"},
    {"embedding_length", "n_embd"},
    {"feed_forward_length", "n_inner"},
    {"attention.head_count", "n_head"},
    {"context_length", "n_positions"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
});

inline constexpr std::array kGptNeoxSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
    {"rope.freq_base", "rotary_emb_base", false, false},
});

inline constexpr std::array kPhiSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
});

inline constexpr std::array kBertSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
});

inline constexpr std::array kNomicSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
});

inline constexpr std::array kGemma4Settings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.key_length", "global_head_dim"},
    {"attention.key_length_swa", "head_dim"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"attention.sliding_window", "sliding_window"},
    {"attention.shared_kv_layers", "num_kv_shared_layers", true, false},
    {"embedding_length_per_layer_input", "hidden_size_per_layer_input", true, false},
    {"expert_count", "num_experts", true, false},
    {"expert_used_count", "top_k_experts", true, false},
    {"expert_feed_forward_length", "moe_intermediate_size", true, false},
    {"final_logit_softcapping", "final_logit_softcapping", false, false},
});

inline constexpr std::array kLfm2Settings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"shortconv.l_cache", "conv_L_cache"},
});

inline constexpr std::array kLfm2MoeSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"shortconv.l_cache", "conv_L_cache"},
    {"expert_count", "num_experts"},
    {"expert_used_count", "num_experts_per_tok"},
    {"expert_feed_forward_length", "moe_intermediate_size"},
    {"leading_dense_block_count", "num_dense_layers"},
    {"expert_weights_scale", "routed_scaling_factor", false, false},
});

inline constexpr std::array kGraniteHybridSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size"},
    {"feed_forward_length", "shared_intermediate_size"},  // without experts
    {"attention.head_count", "num_attention_heads"},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"attention.scale", "attention_multiplier", false, false},
    {"embedding_scale", "embedding_multiplier", false, false},
    {"residual_scale", "residual_multiplier", false, false},
    {"logit_scale", "logits_scaling", false, false},
    {"ssm.conv_kernel", "mamba_d_conv"},
    {"ssm.state_size", "mamba_d_state"},
    {"ssm.group_count", "mamba_n_groups"},
    {"ssm.time_step_rank", "mamba_n_heads"},
    {"ssm.inner_size", "mamba_inner_size"},  // of all heads (gguf_config.cpp)
    {"expert_count", "num_local_experts", true, false},
    {"expert_used_count", "num_experts_per_tok", true, false},
    {"expert_shared_feed_forward_length", "shared_intermediate_size", true, false},
});

// The memories' settings are among those that llama.cpp has for state spaces.
inline constexpr std::array kQwen35Settings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "intermediate_size", true, false},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_key_value_heads", true, false},
    {"attention.key_length", "head_dim", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_rms_epsilon", "rms_norm_eps", false},
    {"rope.freq_base", "rope_theta", false, false},
    {"full_attention_interval", "full_attention_interval", true, false},
    {"ssm.conv_kernel", "linear_conv_kernel_dim"},
    {"ssm.state_size", "linear_key_head_dim"},
    {"ssm.group_count", "linear_num_key_heads"},
    {"ssm.time_step_rank", "linear_num_value_heads"},
    {"ssm.inner_size", "linear_inner_size"},  // of all heads (gguf_config.cpp)
    {"expert_count", "num_experts", true, false},
    {"expert_used_count", "num_experts_per_tok", true, false},
    {"expert_feed_forward_length", "moe_intermediate_size", true, false},
    {"expert_shared_feed_forward_length", "shared_expert_intermediate_size", true, false},
});

inline constexpr std::array kFalconSettings = std::to_array<GgufSetting>({
    {"block_count", "num_hidden_layers"},
    {"embedding_length", "hidden_size"},
    {"feed_forward_length", "ffn_hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"attention.head_count_kv", "num_kv_heads", true, false},
    {"context_length", "max_position_embeddings"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
    {"rope.freq_base", "rope_theta", false, false},
});

inline constexpr std::array kBloomSettings = std::to_array<GgufSetting>({
    {"block_count", "n_layer"},
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "n_head"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
});

inline constexpr std::array kMptSettings = std::to_array<GgufSetting>({
    {"block_count", "n_layers"},
    {"embedding_length", "d_model"},
    {"attention.head_count", "n_heads"},
    {"context_length", "max_seq_len"},
    {"attention.layer_norm_epsilon", "layer_norm_epsilon", false},
    {"attention.max_alibi_bias", "alibi_bias_max", false, false},
});

inline constexpr std::array kT5Settings = std::to_array<GgufSetting>({
    {"block_count", "num_layers"},
    {"decoder_block_count", "num_decoder_layers", true, false},
    {"embedding_length", "d_model"},
    {"feed_forward_length", "d_ff"},
    {"attention.head_count", "num_heads"},
    {"attention.key_length", "d_kv"},
    {"attention.relative_buckets_count", "relative_attention_num_buckets"},
    {"attention.layer_norm_rms_epsilon", "layer_norm_epsilon", false},
    {"decoder_start_token_id", "decoder_start_token_id", true, false},
});

}  // namespace headscope

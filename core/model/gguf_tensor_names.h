// The names of tensors in GGUF architectures: in a family's description, and in the file.
//
// Threads  immutable.
#pragma once

#include <array>

#include "core/model/gguf_architecture.h"

namespace headscope {

inline constexpr std::array kLlamaLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
});

inline constexpr std::array kMixtralLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"block_sparse_moe.gate", "ffn_gate_inp"},
    {"block_sparse_moe.experts.#.w1", "ffn_gate.#"},
    {"block_sparse_moe.experts.#.w2", "ffn_down.#"},
    {"block_sparse_moe.experts.#.w3", "ffn_up.#"},
});

inline constexpr std::array kExpertsLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate", "ffn_gate_inp"},
    {"mlp.experts.#.gate_proj", "ffn_gate.#"},
    {"mlp.experts.#.down_proj", "ffn_down.#"},
    {"mlp.experts.#.up_proj", "ffn_up.#"},
    {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
});

inline constexpr std::array kStablelmLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.q_layernorm.norms.#", "attn_q_norm.#"},
    {"self_attn.k_layernorm.norms.#", "attn_k_norm.#"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
});

inline constexpr std::array kGptOssLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.sinks", "attn_sinks"},
    {"post_attention_layernorm", "post_attention_norm"},
    {"mlp.router", "ffn_gate_inp"},
    {"mlp.experts.#.gate_proj", "ffn_gate.#"},
    {"mlp.experts.#.down_proj", "ffn_down.#"},
    {"mlp.experts.#.up_proj", "ffn_up.#"},
});

// Of Gemma 2 to 4: what is named after the first thirteen, Gemma 4 alone has.
inline constexpr std::array kGemma2Layer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"post_attention_layernorm", "post_attention_norm"},
    {"pre_feedforward_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
    {"post_feedforward_layernorm", "post_ffw_norm"},
    {"layer_scalar", "layer_output_scale"},
    {"per_layer_input_gate", "inp_gate"},
    {"per_layer_projection", "proj"},
    {"post_per_layer_input_norm", "post_norm"},
    {"router.proj", "ffn_gate_inp"},
    {"router.scale", "ffn_gate_inp.scale"},
    {"router.per_expert_scale", "ffn_down_exps.scale"},
    {"experts.#.gate_proj", "ffn_gate.#"},
    {"experts.#.down_proj", "ffn_down.#"},
    {"experts.#.up_proj", "ffn_up.#"},
    {"pre_feedforward_layernorm_2", "pre_ffw_norm_2"},
    {"post_feedforward_layernorm_1", "post_ffw_norm_1"},
    {"post_feedforward_layernorm_2", "post_ffw_norm_2"},
});

inline constexpr std::array kLfm2Layer = std::to_array<GgufName>({
    {"operator_norm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.out_proj", "attn_output"},
    {"self_attn.q_layernorm", "attn_q_norm"},
    {"self_attn.k_layernorm", "attn_k_norm"},
    {"conv.in_proj", "shortconv.in_proj"},
    {"conv.conv", "shortconv.conv"},
    {"conv.out_proj", "shortconv.out_proj"},
    {"ffn_norm", "ffn_norm"},
    {"feed_forward.w1", "ffn_gate"},
    {"feed_forward.w2", "ffn_down"},
    {"feed_forward.w3", "ffn_up"},
    {"feed_forward.gate", "ffn_gate_inp"},
    {"feed_forward.expert_bias", "exp_probs_b.bias"},
    {"feed_forward.experts.#.w1", "ffn_gate.#"},
    {"feed_forward.experts.#.w2", "ffn_down.#"},
    {"feed_forward.experts.#.w3", "ffn_up.#"},
});

inline constexpr std::array kGraniteHybridLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"mamba.in_proj", "ssm_in"},
    {"mamba.conv1d", "ssm_conv1d"},
    {"mamba.A_log", "ssm_a"},
    {"mamba.D", "ssm_d"},
    {"mamba.dt_bias", "ssm_dt.bias"},
    {"mamba.norm", "ssm_norm"},
    {"mamba.out_proj", "ssm_out"},
    {"post_attention_layernorm", "ffn_norm"},
    {"shared_mlp.gate", "ffn_gate"},
    {"shared_mlp.up", "ffn_up"},
    {"shared_mlp.output_linear", "ffn_down"},
});

inline constexpr std::array kGraniteHybridExpertsLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"mamba.in_proj", "ssm_in"},
    {"mamba.conv1d", "ssm_conv1d"},
    {"mamba.A_log", "ssm_a"},
    {"mamba.D", "ssm_d"},
    {"mamba.dt_bias", "ssm_dt.bias"},
    {"mamba.norm", "ssm_norm"},
    {"mamba.out_proj", "ssm_out"},
    {"post_attention_layernorm", "ffn_norm"},
    {"shared_mlp.gate", "ffn_gate_shexp"},
    {"shared_mlp.up", "ffn_up_shexp"},
    {"shared_mlp.output_linear", "ffn_down_shexp"},
    {"block_sparse_moe.router.layer", "ffn_gate_inp"},
    {"block_sparse_moe.experts.#.gate_proj", "ffn_gate.#"},
    {"block_sparse_moe.experts.#.up_proj", "ffn_up.#"},
    {"block_sparse_moe.experts.#.down_proj", "ffn_down.#"},
});

inline constexpr std::array kQwen35Layer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"linear_attn.in_proj_qkv", "attn_qkv"},
    {"linear_attn.in_proj_z", "attn_gate"},
    {"linear_attn.in_proj_b", "ssm_beta"},
    {"linear_attn.in_proj_a", "ssm_alpha"},
    {"linear_attn.conv1d", "ssm_conv1d"},
    {"linear_attn.A_log", "ssm_a"},
    {"linear_attn.dt_bias", "ssm_dt.bias"},
    {"linear_attn.norm", "ssm_norm"},
    {"linear_attn.out_proj", "ssm_out"},
    {"post_attention_layernorm", "post_attention_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate", "ffn_gate_inp"},
    {"mlp.experts.#.gate_proj", "ffn_gate.#"},
    {"mlp.experts.#.down_proj", "ffn_down.#"},
    {"mlp.experts.#.up_proj", "ffn_up.#"},
    {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
});

inline constexpr std::array kSeedLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "post_attention_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
});

inline constexpr std::array kHunyuanLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.query_layernorm", "attn_q_norm"},
    {"self_attn.key_layernorm", "attn_k_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.down_proj", "ffn_down"},
});

inline constexpr std::array kPhi3Layer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.gate_up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
});

inline constexpr std::array kGlmLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.gate_up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
});

inline constexpr std::array kGlm4Layer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"post_self_attn_layernorm", "post_attention_norm"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.gate_up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"post_mlp_layernorm", "post_ffw_norm"},
});

inline constexpr std::array kStarcoder2Layer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.c_fc", "ffn_up"},
    {"mlp.c_proj", "ffn_down"},
});

inline constexpr std::array kExaoneLayer = std::to_array<GgufName>({
    {"ln_1", "attn_norm"},
    {"attn.attention.q_proj", "attn_q"},
    {"attn.attention.k_proj", "attn_k"},
    {"attn.attention.v_proj", "attn_v"},
    {"attn.attention.out_proj", "attn_output"},
    {"ln_2", "ffn_norm"},
    {"mlp.c_fc_0", "ffn_gate"},
    {"mlp.c_fc_1", "ffn_up"},
    {"mlp.c_proj", "ffn_down"},
});

inline constexpr std::array kGpt2Layer = std::to_array<GgufName>({
    {"ln_1", "attn_norm"},
    {"attn.c_attn", "attn_qkv"},
    {"attn.c_proj", "attn_output"},
    {"ln_2", "ffn_norm"},
    {"mlp.c_fc", "ffn_up"},
    {"mlp.c_proj", "ffn_down"},
});

inline constexpr std::array kGptNeoxLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"attention.query_key_value", "attn_qkv"},
    {"attention.dense", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.dense_h_to_4h", "ffn_up"},
    {"mlp.dense_4h_to_h", "ffn_down"},
});

inline constexpr std::array kPhiLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.dense", "attn_output"},
    {"mlp.fc1", "ffn_up"},
    {"mlp.fc2", "ffn_down"},
});

inline constexpr std::array kBertLayer = std::to_array<GgufName>({
    {"attention.self.query", "attn_q"},
    {"attention.self.key", "attn_k"},
    {"attention.self.value", "attn_v"},
    {"attention.output.dense", "attn_output"},
    {"attention.output.LayerNorm", "attn_output_norm"},
    {"intermediate.dense", "ffn_up"},
    {"output.dense", "ffn_down"},
    {"output.LayerNorm", "layer_output_norm"},
});

inline constexpr std::array kJinaBertLayer = std::to_array<GgufName>({
    {"attention.self.query", "attn_q"},
    {"attention.self.key", "attn_k"},
    {"attention.self.value", "attn_v"},
    {"attention.output.dense", "attn_output"},
    {"attention.output.LayerNorm", "attn_output_norm"},
    {"mlp.gated_layers", "ffn_up"},
    {"mlp.up", "ffn_up"},
    {"mlp.gate", "ffn_gate"},
    {"mlp.wo", "ffn_down"},
    {"mlp.layernorm", "layer_output_norm"},
});

inline constexpr std::array kNomicLayer = std::to_array<GgufName>({
    {"attn.Wqkv", "attn_qkv"},
    {"attn.out_proj", "attn_output"},
    {"norm1", "attn_output_norm"},
    {"mlp.fc11", "ffn_up"},
    {"mlp.fc12", "ffn_gate"},
    {"mlp.fc2", "ffn_down"},
    {"norm2", "layer_output_norm"},
});

inline constexpr std::array kFalconLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"ln_attn", "attn_norm_2"},
    {"ln_mlp", "attn_norm"},
    {"self_attention.query_key_value", "attn_qkv"},
    {"self_attention.dense", "attn_output"},
    {"mlp.dense_h_to_4h", "ffn_up"},
    {"mlp.dense_4h_to_h", "ffn_down"},
});

inline constexpr std::array kBloomLayer = std::to_array<GgufName>({
    {"input_layernorm", "attn_norm"},
    {"self_attention.query_key_value", "attn_qkv"},
    {"self_attention.dense", "attn_output"},
    {"post_attention_layernorm", "ffn_norm"},
    {"mlp.dense_h_to_4h", "ffn_up"},
    {"mlp.dense_4h_to_h", "ffn_down"},
});

inline constexpr std::array kMptLayer = std::to_array<GgufName>({
    {"norm_1", "attn_norm"},
    {"attn.Wqkv", "attn_qkv"},
    {"attn.out_proj", "attn_output"},
    {"norm_2", "ffn_norm"},
    {"ffn.up_proj", "ffn_up"},
    {"ffn.down_proj", "ffn_down"},
});

inline constexpr std::array kT5EncoderLayer = std::to_array<GgufName>({
    {"layer.0.layer_norm", "attn_norm"},
    {"layer.0.SelfAttention.q", "attn_q"},
    {"layer.0.SelfAttention.k", "attn_k"},
    {"layer.0.SelfAttention.v", "attn_v"},
    {"layer.0.SelfAttention.o", "attn_o"},
    {"layer.0.SelfAttention.relative_attention_bias", "attn_rel_b"},
    {"layer.1.layer_norm", "ffn_norm"},
    {"layer.1.DenseReluDense.wi", "ffn_up"},
    {"layer.1.DenseReluDense.wi_0", "ffn_gate"},
    {"layer.1.DenseReluDense.wi_1", "ffn_up"},
    {"layer.1.DenseReluDense.wo", "ffn_down"},
});

inline constexpr std::array kT5DecoderLayer = std::to_array<GgufName>({
    {"layer.0.layer_norm", "attn_norm"},
    {"layer.0.SelfAttention.q", "attn_q"},
    {"layer.0.SelfAttention.k", "attn_k"},
    {"layer.0.SelfAttention.v", "attn_v"},
    {"layer.0.SelfAttention.o", "attn_o"},
    {"layer.0.SelfAttention.relative_attention_bias", "attn_rel_b"},
    {"layer.1.layer_norm", "cross_attn_norm"},
    {"layer.1.EncDecAttention.q", "cross_attn_q"},
    {"layer.1.EncDecAttention.k", "cross_attn_k"},
    {"layer.1.EncDecAttention.v", "cross_attn_v"},
    {"layer.1.EncDecAttention.o", "cross_attn_o"},
    {"layer.2.layer_norm", "ffn_norm"},
    {"layer.2.DenseReluDense.wi", "ffn_up"},
    {"layer.2.DenseReluDense.wi_0", "ffn_gate"},
    {"layer.2.DenseReluDense.wi_1", "ffn_up"},
    {"layer.2.DenseReluDense.wo", "ffn_down"},
});

inline constexpr std::array kLlamaNames = std::to_array<GgufName>({
    {"embed_tokens", "token_embd"},
    {"norm", "output_norm"},
});

inline constexpr std::array kLfm2Names = std::to_array<GgufName>({
    {"embed_tokens", "token_embd"},
    {"embedding_norm", "token_embd_norm"},  // of what the last layer makes
});

inline constexpr std::array kGemma4Names = std::to_array<GgufName>({
    {"embed_tokens", "token_embd"},
    {"norm", "output_norm"},
    {"embed_tokens_per_layer", "per_layer_token_embd"},
    {"per_layer_model_projection", "per_layer_model_proj"},
    {"per_layer_projection_norm", "per_layer_proj_norm"},
});

inline constexpr std::array kExaoneNames = std::to_array<GgufName>({
    {"wte", "token_embd"},
    {"ln_f", "output_norm"},
});

inline constexpr std::array kGpt2Names = std::to_array<GgufName>({
    {"wte", "token_embd"},
    {"wpe", "position_embd"},
    {"ln_f", "output_norm"},
});

inline constexpr std::array kGptNeoxNames = std::to_array<GgufName>({
    {"embed_in", "token_embd"},
    {"final_layer_norm", "output_norm"},
});

inline constexpr std::array kPhiNames = std::to_array<GgufName>({
    {"embed_tokens", "token_embd"},
    {"final_layernorm", "output_norm"},
});

inline constexpr std::array kBertNames = std::to_array<GgufName>({
    {"embeddings.word_embeddings", "token_embd"},
    {"embeddings.position_embeddings", "position_embd"},
    {"embeddings.token_type_embeddings", "token_types"},
    {"embeddings.LayerNorm", "token_embd_norm"},
    {"emb_ln", "token_embd_norm"},
});

inline constexpr std::array kBloomNames = std::to_array<GgufName>({
    {"word_embeddings", "token_embd"},
    {"word_embeddings_layernorm", "token_embd_norm"},
    {"ln_f", "output_norm"},
});

inline constexpr std::array kMptNames = std::to_array<GgufName>({
    {"wte", "token_embd"},
    {"norm_f", "output_norm"},
});

inline constexpr std::array kT5Names = std::to_array<GgufName>({
    {"encoder.embed_tokens", "token_embd"},
    {"decoder.embed_tokens", "token_embd"},
    {"encoder.final_layer_norm", "enc.output_norm"},
    {"decoder.final_layer_norm", "dec.output_norm"},
});

}  // namespace headscope

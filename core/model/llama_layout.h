// The layout that Llama made common: a norm before each half, rotary positions, separate query, key
// and value matrices, a gated MLP. Families with this layout differ in a few settings and names.
//
// Errors   as core/model/family_kit.h.
// Source   Touvron 2023; tensors as transformers' LlamaModel names them, matrices [out, in].
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/family_kit.h"
#include "core/model/latent_attention.h"
#include "core/model/rotary.h"

namespace headscope {

// "transformer." comes from classes for question answering.
inline constexpr std::array<std::string_view, 3> kLlamaPrefixes = {"model.", "transformer.", ""};

// Defaults for keys that config.json omits, and key names that differ between families.
struct LlamaDefaults {
  std::optional<std::int64_t> layers = {};
  std::optional<std::int64_t> heads = {};
  std::optional<std::int64_t> kv_heads = {};
  std::optional<std::int64_t> vocabulary = {};
  std::optional<std::int64_t> head_dim = {};
  std::int64_t positions = 2048;
  double theta = kUsualRotaryBase;
  std::string_view activation_key = "hidden_act";
  std::string_view activation = "silu";
  bool is_tied = false;
  std::string_view epsilon_key = "rms_norm_eps";
  double epsilon = 1e-6;
  double partial_factor = 0.0;  // the part of a head that rotates by default; 0: always all of it
  // "full_attention", where layers with a window may have rotary positions of their own.
  std::string_view rotary_layers = {};
  std::string_view layers_key = "num_hidden_layers";
  std::string_view inner_key = "intermediate_size";
  bool has_latents = false;  // keys and values are made of one
  bool reads_part = true;    // "partial_rotary_factor" is of what may turn, not of a whole head
  // Of an MLP without a width of its own, which no layer may have.
  std::optional<std::int64_t> inner_factor = {};
};

// Where each half has norms: before it, on its result, or both.
enum class NormPlacing { kBefore, kBeforeAndInside, kInside };

// What one norm of queries or keys spans.
// kHeadsOwn: each head, with weights of its own.
enum class QueryKeyNorm { kNone, kEachHead, kHeadsOwn, kWholeWidth };

// The tensor names of a layer that differ between families, without ".weight".
struct LlamaNames {
  std::string_view mlp_norm = "post_attention_layernorm";  // if it is the only one of the MLP
  std::string_view attention = "self_attn.";
  std::string_view output = "o_proj";
  std::string_view query_norm = "q_norm";
  std::string_view key_norm = "k_norm";
  bool has_norm_each = false;           // each head's own norm is a tensor, not a row of one
  std::string_view fused_queries = {};  // one matrix with queries, keys and values; empty: three
  std::string_view up = "mlp.up_proj";
  std::string_view gate = "mlp.gate_proj";  // empty: the MLP is not gated
  std::string_view fused_gate = {};         // one matrix with the gate, then the rest; empty: two
  std::string_view down = "mlp.down_proj";
};

// Experts in place of the MLP.
struct LlamaExperts {
  std::int64_t count = 0;
  std::int64_t inner = 0;
  ExpertChoice choice = {};
  std::int64_t shared_inner = 0;  // of the one that every token has; 0: none
  double shared_factor = 1.0;     // of what it makes
  bool weighs_input = false;
  std::int64_t idle = 0;          // more of them, which give back what they read
  bool joins_next = false;        // beside the layer's MLP, and added with the next one's
  bool has_mlp_too = false;       // beside the layer's MLP, and added with it
  std::vector<bool> layers = {};  // whether each has experts; empty: all have
  std::string_view block = "mlp.";
  std::string_view router = "gate";
  std::string_view correction = {};  // of the router's scores; empty: none
  std::string_view shared = "shared_expert.";
  std::string_view shared_gate = "shared_expert_gate";  // empty: none
  std::string_view up = "up_proj";
  std::string_view gate = "gate_proj";  // empty: they are not gated
  std::string_view down = "down_proj";
};

// What attention gives is multiplied by this; the tensor stands among those of attention.
struct LlamaGate {
  std::string_view name = "gate_proj";
  ActivationKind activation = ActivationKind::kSigmoid;
  bool is_of_heads = false;  // one number a head, not one a column
};

// The keys of their sizes and what they are if missing.
struct ExpertKeys {
  std::string_view count = "num_experts";
  std::string_view inner = "moe_intermediate_size";
  std::string_view chosen = "num_experts_per_tok";
  std::int64_t usual_count = 0;
  std::int64_t usual_chosen = 2;
  std::int64_t usual_inner = 0;
};
[[nodiscard]] Result<LlamaExperts> ReadExperts(const JsonObject& json, const ExpertKeys& keys);

// Reads which layers have experts, by "mlp_layer_types" or, without it, all from layer
// "first_k_dense_replace" on.
[[nodiscard]] Result<std::vector<bool>> ReadSparseLayers(const JsonObject& json,
                                                         std::int64_t layers,
                                                         std::int64_t usual_first);

// Reads which layers have experts: every "decoder_sparse_step"-th that "mlp_only_layers" does not name.
[[nodiscard]] Result<std::vector<bool>> ReadSparseSteps(const JsonObject& json,
                                                        std::int64_t layers);

// Reads a router by sigmoids with corrected scores, groups and a factor, as DeepSeek 3 has it, and
// how many experts' width the shared one has.
[[nodiscard]] Status ReadGroups(const JsonObject& json, LlamaExperts* experts);
[[nodiscard]] Status ReadShared(const JsonObject& json,
                                std::string_view key,
                                std::int64_t usual,
                                LlamaExperts* experts);

struct LlamaConfig {
  // The settings that every family of the layout reads in the same way.
  StackSizes sizes;
  RotaryRule rotary;
  double epsilon = 1e-6;
  ActivationKind activation = ActivationKind::kSilu;
  bool is_tied = false;

  // The settings that each family decides for itself.
  HasBias query_bias = HasBias::kNo;  // for queries, keys and values
  HasBias output_bias = HasBias::kNo;
  HasBias mlp_bias = HasBias::kNo;
  QueryKeyNorm query_key_norm = QueryKeyNorm::kNone;
  bool is_rotated_first = false;  // before queries and keys are normed
  NormPlacing norms = NormPlacing::kBefore;
  NormKind norm_kind = NormKind::kRms;
  bool has_norm_weights = true;
  bool has_norm_bias = true;  // of a layer norm
  double norm_offset = 0.0;
  bool is_causal = true;
  bool is_parallel = false;  // attention and MLP read the same norm and are added together
  double embedding_scale = 1.0;
  double scale = 1.0;  // 1 / sqrt(head_dim) as read
  double softcap = 0.0;
  double output_scale = 1.0;  // of the output layer's product
  double logit_cap = 0.0;
  double projection_limit = 0.0;      // of queries, keys and values; 0: none
  std::vector<std::int64_t> windows;  // per layer, 0: none; empty: none in any layer
  std::vector<bool> turns;            // per layer, whether it has rotary positions; empty: all have
  std::optional<RotaryRule> window_rotary;  // of layers with a window; none: as the others
  std::optional<LlamaExperts> experts;
  std::optional<LatentSizes> latent;
  std::int64_t value_dim = 0;             // 0: as wide as keys
  std::vector<std::int64_t> stored_keys;  // heads of keys in each layer's file; empty: kv_heads
  std::optional<LlamaGate> output_gate;
  double value_factor = 1.0;
  std::optional<QueryGrowth> query_growth;
  LlamaNames names;
};

[[nodiscard]] Result<LlamaConfig> ReadLlamaConfig(const JsonObject& json,
                                                  const LlamaDefaults& defaults);

[[nodiscard]] ModelDescription DescribeLlama(std::string_view family, const LlamaConfig& config);

// Makes one layer, for families where some have sizes of their own.
[[nodiscard]] LayerDescription LlamaLayer(std::size_t index, const LlamaConfig& config);

// Reads windows as in Qwen: "sliding_window" counts only if "use_sliding_window" says so, from
// layer "max_window_layers" on or in the layers given by "layer_types".
[[nodiscard]] Status ReadUpperWindows(const JsonObject& json, LlamaConfig* config);

// Reads "attention_bias", for queries, keys, values and output, and "mlp_bias"; a
// missing one is `fallback`.
[[nodiscard]] Status ReadAttentionAndMlpBias(const JsonObject& json,
                                             LlamaConfig* config,
                                             bool fallback = false);

// Reads windows by "layer_types" or, without it, of all layers but every `interval`-th (0: of none).
[[nodiscard]] Status ReadIntervalWindows(const JsonObject& json,
                                         std::int64_t interval,
                                         std::optional<std::int64_t> window,
                                         LlamaConfig* config);

// Leaves layers without a window without positions.
void TurnInWindowsAlone(LlamaConfig* config);

// Reads the rotary positions of layers with a window, which older files give by a base alone.
[[nodiscard]] Status ReadWindowRotary(const JsonObject& json,
                                      std::string_view theta_key,
                                      double theta,
                                      LlamaConfig* config);

// Reads how queries grow with their position, in Mistral's models ("llama_4_scaling_beta").
[[nodiscard]] Status ReadQueryGrowth(const JsonObject& json, LlamaConfig* config);

// Leaves out the layers after the last that predict later tokens ("num_nextn_predict_layers").
[[nodiscard]] Status LeaveOutPredictors(const JsonObject& json, ModelDescription* model);

// Rejects a model set to look ahead ("use_bidirectional_attention").
[[nodiscard]] Status RefuseBidirectional(const JsonObject& json);

}  // namespace headscope

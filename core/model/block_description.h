// What every family file translates config.json into: one description of a stack of blocks, and the
// tensors that fill it.
//
// Shapes   query projection [d, heads head_dim], keys and values [d, kv_heads head_dim], output
//          [heads value_dim, d].
// Source   docs/architecture.md, "One forward, many families".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/model_part.h"
#include "core/base/part_heads.h"
#include "core/compute/backend.h"
#include "core/compute/delta_rule.h"
#include "core/model/expert_choice.h"
#include "core/model/position_rows.h"
#include "core/model/query_growth.h"
#include "core/model/relative_bias.h"
#include "core/model/tensor_need.h"
#include "core/model/token_choice.h"

namespace headscope {

// Sinusoidal positions are not stored: sines in the first half of the width, cosines in the second.
// fairseq's reach the slowest frequency with the last pair, not with the one after it.
enum class PositionScheme { kNone, kLearned, kRotary, kSinusoidal, kFairseqSinusoidal };

// How positions rotate queries and keys: by a table, and in some models by another one for long
// texts (core/model/rotary.h).
struct RotaryRule {
  RotaryTable table;
  std::int64_t dims = 0;                // columns of a head that are rotated
  std::int64_t original_positions = 0;  // longer texts use another table; 0: all use this one
  std::vector<double> long_inverse_frequency;  // for longer texts; empty: computed from the length
  double theta = 0.0;
  double factor = 1.0;
};

// A decoder's attention to the encoder's output.
struct CrossDescription {
  NormPlaces norm;
  LinearNeed query;
  LinearNeed key_value;  // reads the encoder's output; columns are keys, then values
  LinearNeed output;
  AttentionRule rule;
};

struct RelativeBiasNeed {
  TensorNeed table;  // [buckets, heads]
  BucketRule rule;
  double factor = 1.0;  // of the table
};

// Vectors of relative positions, which every layer projects as it does tokens (DeBERTa).
struct PositionVectorsNeed {
  TensorNeed table;  // [2 span, d]
  std::optional<NormNeed> norm = {};
  PositionRowRule rule;
};

// An attention module outside a model: its queries, keys and values may come from three different
// inputs.
struct SeparateProjections {
  LinearNeed query;
  LinearNeed key;
  LinearNeed value;
};

// An activation with numbers of its own (core/compute/backend.h), of which the first two are stored
// as what softplus makes them of; `linear` is added to the second.
struct XieluNeed {
  TensorNeed positive;  // [1]
  TensorNeed negative;  // [1]
  TensorNeed linear;    // []
  TensorNeed most;      // []
};

// down(activation(gate(x)) * up(x)), or without a gate down(activation(up(x))).
struct MlpNeeds {
  LinearNeed up;
  std::optional<LinearNeed> gate = {};
  LinearNeed down;
};

// An MLP that follows the layer's: x + mlp(x), with norms where `norm` has them.
struct FurtherMlp {
  NormPlaces norm = {};
  MlpNeeds
      mlp;  // without matrices in `up`: that is the layer's columns of the stack's token_inputs
};

// What a token says to each layer beside the stream:
// ((norm(projection(x)) + a row of the table) factor), x its embedding before the first layer.
struct TokenInputs {
  TensorNeed table;  // [vocabulary, layers width]
  double table_factor = 1.0;
  LinearNeed projection;  // [d, layers width]
  double projection_factor = 1.0;
  NormNeed norm;  // of each layer's columns, [width]
  double factor = 1.0;
};

// The columns of one head.
struct HeadWidths {
  std::int64_t key = 0;  // and of a query
  std::int64_t value = 0;
};

// A vector that is added to every token: rows of tables side by side, of which each part is a sum, and
// what the products make of them, with the activation between.
struct ConstantProduct {
  std::vector<std::vector<TensorNeed>> parts;  // of each its one row
  std::vector<LinearNeed> products;
  ActivationKind activation = ActivationKind::kRelu;
};

// The norms of experts that stand beside their layer's MLP: inside(experts(before(x))) is added to
// mlp(what the MLP makes), where x is the stream that the MLP's own norm reads.
struct BesideNorms {
  NormNeed before;
  NormNeed inside;
  NormNeed mlp;
};

// Several MLPs; a router chooses a few of them for each token and weighs what they make.
struct ExpertsDescription {
  LinearNeed router;                         // [d, experts + idle]
  std::optional<NormNeed> router_norm = {};  // it reads the stream normed so, not what experts read
  std::optional<TensorNeed> factors = {};    // [experts + idle]: of the weights that it chose
  std::optional<BesideNorms> beside = {};    // the layer has an MLP, too
  ExpertChoice choice;
  // [experts + idle]: added to the scores that are compared
  std::optional<TensorNeed> correction = {};
  std::vector<MlpNeeds> expert;
  std::int64_t idle = 0;  // more experts, which give back what they read
  // What is weighed: what an expert reads, in place of what it makes.
  bool weighs_input = false;
  // The layer has an MLP, too, and what the experts make is added with the next layer's.
  bool joins_next = false;
  std::optional<MlpNeeds> shared = {};         // for every token, beside the chosen
  double shared_factor = 1.0;                  // of what it makes, without a gate
  std::optional<LinearNeed> shared_gate = {};  // [d, 1]: its weight is the sigmoid; none: 1
};

// A narrow image of the layer's input, normed.
struct Latent {
  LinearNeed down;  // [d, rank]
  NormNeed norm;
};

// Queries, and keys with values, made of latents. The first columns of all keys are the same ones,
// made of the layer's input; they are what rotates.
struct LatentProjections {
  std::optional<Latent> query_latent = {};  // none: queries read the layer's input
  LinearNeed query;                         // [rank, heads head_dim]
  Latent key_value_latent;
  LinearNeed key;         // [rank, kv_heads (head_dim - shared)]
  LinearNeed value;       // [rank, kv_heads value_dim]
  LinearNeed shared_key;  // [d, shared]
};

// What attention gives is multiplied by this before the layer's output product: one number for each
// head or for each of its columns, made of the layer's input.
struct OutputGate {
  LinearNeed product;  // [d, heads] or [d, heads value_dim]
  ActivationKind activation = ActivationKind::kSigmoid;
};

// What the inputs of a token and of those beside it add to a layer's result:
// norm(result + activation(sum of the products)).
struct NeighbourProducts {
  std::vector<LinearNeed> products;  // [d, d]: of tokens before, of its own in the middle, after
  ActivationKind activation = ActivationKind::kTanh;
  NormNeed norm;
};

// Each column of a token is made of its own and the last tokens' columns:
// out(second * (sum of taps * (first * input))), with three products of what it reads.
struct ShortConvolution {
  LinearNeed in;                        // [d, 3 d]: first, second, input
  TensorNeed taps;                      // [d, 1, taps]: of the earliest token to its own
  std::optional<TensorNeed> bias = {};  // [d]: of the sum
  LinearNeed out;
};

// What a state space has beside: what heads say is the state's and `skip` times the value.
struct StateSpace {
  TensorNeed skip;  // [heads]
  double least_step = 0.0;
  double most_step = 0.0;
};

// What heads without attention remember of earlier tokens (core/compute/delta_rule.h). Queries, keys and
// values are sums over the last tokens, activated.
// By the delta rule: out(norm(what they say) * activation(gate)); strengths are sigmoid(a), fadings
// exp(-exp(log) softplus(b + bias)), with (a, b) the rates.
// As a state space: out(norm(what they say * silu(gate))); strengths are steps, softplus(rate + bias) within
// limits, fadings exp(-exp(log) step).
struct DeltaMemory {
  DeltaShape shape;    // the tokens are the text's
  LinearNeed columns;  // [d, queries, keys and values]; a state space: values, keys and queries
  TensorNeed taps;     // [columns, 1, taps]
  std::optional<TensorNeed> taps_bias = {};
  LinearNeed rates;       // [d, 2 heads]; a state space: [d, heads]
  TensorNeed fading_log;  // [heads]; is_log false: it holds -exp(log)
  bool is_log = true;
  TensorNeed fading_bias;  // [heads]
  std::optional<StateSpace> space = {};
  NormNeed norm;    // of each head, [value_width]; a state space: of a group of them
  LinearNeed gate;  // [d, heads value_width]
  LinearNeed out;
  ActivationKind activation = ActivationKind::kSilu;
};

// A block without attention: x + what it has of these (norm(x)), then x + mlp(norm(x)), activated as
// the layers are; experts may stand in the place of the MLP.
struct PlainBlock {
  std::optional<NormNeed> norm = {};  // none: it joins no tokens
  std::optional<ShortConvolution> convolution = {};
  std::optional<DeltaMemory> memory = {};
  std::optional<NormNeed> mlp_norm = {};  // none: it has no MLP
  MlpNeeds mlp;
  std::optional<ExpertsDescription> experts = {};
};

struct LayerDescription {
  NormPlaces attention_norm;
  std::optional<HeadWidths> own_heads = {};  // in place of the stack's head_dim and value_dim
  LinearNeed query_key_value;  // one product; columns are queries, then keys, then values
  // It attends to the keys and values of this earlier layer, whose heads are as wide, and makes queries
  // alone.
  std::optional<std::int64_t> keys_of = {};
  std::optional<SeparateProjections> separate = {};  // in place of query_key_value
  std::optional<LatentProjections> latent = {};      // the same
  // Above 0: queries, keys and values are kept within it, after their norms, before they rotate.
  double projection_limit = 0.0;
  // Of each head separately, with weights [head_dim], or of all together, [heads head_dim].
  std::optional<NormNeed> query_norm = {};
  std::optional<NormNeed> key_norm = {};
  std::optional<NormNeed> value_norm = {};
  bool is_rotated_first = false;           // before these norms, not after
  std::optional<std::size_t> rotary = {};  // index into the stack's `rotary`; empty: no rotation
  std::optional<QueryGrowth> query_growth = {};
  // Keys and queries of the stack's position_vectors, [d, heads head_dim]; either may be missing.
  std::optional<LinearNeed> position_key = {};
  std::optional<LinearNeed> position_query = {};
  std::optional<OutputGate> output_gate = {};
  double value_factor = 1.0;                  // of what attention makes of values
  std::optional<NormNeed> context_norm = {};  // of that, all heads together
  LinearNeed output;
  AttentionRule rule;
  std::optional<TensorNeed> sinks = {};                // [heads], the rule's; empty: none
  std::optional<RelativeBiasNeed> relative_bias = {};  // in place of the stack's
  std::optional<CrossDescription> cross = {};
  NormPlaces mlp_norm;
  // x + attention(x) + mlp(x). The MLP's own norm also reads x; without one the MLP reads what the
  // attention reads.
  bool is_parallel = false;
  LinearNeed mlp_up;  // [d, inner]; without matrices the layer has no MLP
  std::optional<LinearNeed> mlp_gate;
  std::optional<NormNeed> mlp_inner_norm = {};  // of what the activation gives, [inner]
  LinearNeed mlp_down;
  // In place of mlp_up, mlp_gate and mlp_down, or beside them.
  std::optional<ExpertsDescription> experts = {};
  ActivationKind activation = ActivationKind::kGelu;
  std::optional<XieluNeed> xielu = {};  // in its place
  // Above 0: gates are at most this before they are activated, and what they gate is kept within
  // it to both sides, plus 1.
  double gate_limit = 0.0;

  std::vector<FurtherMlp> further_mlps = {};  // of the same activation
  std::optional<NeighbourProducts> neighbours = {};
  std::optional<TensorNeed> stream_factor = {};  // [1]: of the stream behind all these
  std::vector<PlainBlock> blocks_behind = {};    // they follow the layer

  [[nodiscard]] bool has_mlp() const { return experts || !mlp_up.matrices.empty(); }
};

// Layers one after another, and the input of the first one.
struct StackDescription {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t model_dim = 0;
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t positions = 0;  // longest text
  std::int64_t vocabulary = 0;
  std::int64_t token_types = 0;  // 0: it does not distinguish segments
  bool causal = true;
  PositionScheme position_scheme = PositionScheme::kNone;
  std::vector<RotaryRule> rotary;
  // [vocabulary, embedding_dim()]; without a name there is none: the stack reads_embeddings().
  TensorNeed token_embedding;
  double embedding_scale = 1.0;                    // factor for rows of token_embedding
  std::optional<LinearNeed> embedding_projection;  // to d, if the embeddings are narrower
  bool is_projected_last = false;                  // after their sum and its norm, not before
  std::optional<TensorNeed> position_embedding;    // [position_offset + positions, d]
  // [positions, d]: added to what queries and keys of every layer are made of, after the norm, and
  // to nothing else.
  std::optional<TensorNeed> layer_positions;
  std::optional<TensorNeed> stored_sinusoids;  // read in place of sines and cosines, if stored
  std::int64_t position_offset = 0;            // row of the first token's position
  // A token without a position of its own: it gets the row before the first, and positions of later
  // tokens count as if it were not there.
  std::optional<std::int32_t> unplaced_id;
  std::optional<TensorNeed> token_type_embedding;  // [token_types, d]
  // One row each, added to every token: what is not known of a text, such as where it stands on a page.
  std::vector<TensorNeed> constant_embeddings;
  std::vector<ConstantProduct> constant_products;       // likewise
  std::optional<NormNeed> embedding_norm;               // norms the sum of the embeddings
  bool is_placed_last = false;                          // positions are added after that norm
  std::optional<RelativeBiasNeed> relative_bias;        // for every layer's self-attention
  std::optional<PositionVectorsNeed> position_vectors;  // likewise
  std::optional<TokenInputs> token_inputs;
  std::vector<PlainBlock> blocks_before;  // the first layer, behind the embeddings
  std::optional<NormNeed> final_norm;
  std::vector<LayerDescription> layer;  // [layers]

  [[nodiscard]] bool reads_embeddings() const { return token_embedding.name.empty(); }
  // The width of one token before the first layer.
  [[nodiscard]] std::int64_t embedding_dim() const {
    return embedding_projection ? embedding_projection->in : model_dim;
  }
  [[nodiscard]] HeadWidths WidthsOf(const LayerDescription& one) const {
    return one.own_heads.value_or(HeadWidths{head_dim, value_dim});
  }
  [[nodiscard]] HeadWidths WidthsAt(std::int64_t index) const {
    return WidthsOf(layer[static_cast<std::size_t>(index)]);
  }
};

// Turns a decoder's last states into the next token, greedily.
struct GenerationRule {
  TensorNeed output;               // [vocabulary, d]
  double output_scale = 1.0;       // factor for the states before it
  double softcap = 0.0;            // as OutputLayer has it; it leaves the likeliest token likeliest
  std::optional<TensorNeed> bias;  // [1, vocabulary]
  TokenChoice choice;
};

// Turns the last states of a model that predicts the next token, behind its final norm, into logits:
// projection, factor, product, bias, cap.
struct OutputLayer {
  TensorNeed weight;                          // [vocabulary, embedding_dim()]
  std::optional<TensorNeed> bias = {};        // [vocabulary]
  std::optional<LinearNeed> projection = {};  // from d, if the embeddings are narrower
  double scale = 1.0;                         // of the product without the bias
  double softcap = 0.0;   // above 0: a logit x becomes softcap tanh(x / softcap)
  bool is_stored = true;  // the file holds it
};

// Whether a norm of the layer's queries or keys spans several heads: what one head makes of them
// depends on all.
[[nodiscard]] inline bool NormsHeadsTogether(const StackDescription& stack, std::int64_t layer) {
  const LayerDescription& one = stack.layer[static_cast<std::size_t>(layer)];
  const auto is_wide = [&](const std::optional<NormNeed>& norm) {
    return norm && norm->weight.shape.front() > stack.WidthsAt(layer).key;
  };
  return is_wide(one.query_norm) || is_wide(one.key_norm);
}

// Whether the norms of latents stand between the layers' input and their queries, keys and values.
[[nodiscard]] inline bool HasLatents(const StackDescription& stack) {
  return stack.layer.front().latent.has_value();
}

// Whether something joins tokens beside their attention.
[[nodiscard]] inline bool HasNeighbours(const StackDescription& stack) {
  return stack.layer.front().neighbours.has_value();
}

// Whether blocks without attention stand among the layers.
[[nodiscard]] inline bool HasPlainBlocks(const StackDescription& stack) {
  return !stack.blocks_before.empty() ||
         std::ranges::any_of(stack.layer, [](const LayerDescription& layer) {
           return !layer.blocks_behind.empty();
         });
}

// Whether layers attend to keys and values of an earlier one.
[[nodiscard]] inline bool SharesKeys(const StackDescription& stack) {
  return std::ranges::any_of(
      stack.layer, [](const LayerDescription& layer) { return layer.keys_of.has_value(); });
}

// Whether a run may begin at any layer with its stream alone. Not where layers join experts with the next
// one's, attend to the keys of an earlier one, or read tokens beside the stream.
[[nodiscard]] inline bool BeginsAnywhere(const StackDescription& stack) {
  return !stack.token_inputs && !SharesKeys(stack) &&
         std::ranges::none_of(stack.layer, [](const LayerDescription& layer) {
           return layer.experts && layer.experts->joins_next;
         });
}

// Whether a layer multiplies the whole stream.
[[nodiscard]] inline bool ScalesStream(const StackDescription& stack) {
  return stack.layer.front().stream_factor.has_value();
}

// Whether MLPs follow the layer's own.
[[nodiscard]] inline bool HasFurtherMlps(const StackDescription& stack) {
  return !stack.layer.front().further_mlps.empty();
}

// Returns the product of a layer's input that makes queries.
[[nodiscard]] inline const LinearNeed& FirstProduct(const LayerDescription& layer) {
  return layer.latent ? layer.latent->query : layer.query_key_value;
}

// A model with one stack, or an encoder with its decoder; the base describes the stack or the
// encoder.
struct ModelDescription : StackDescription {
  std::string family;            // "gpt2"
  std::string precision;         // type of the stored weights: "F32"
  bool ties_embeddings = false;  // the output layer is the token embedding
  // The token that texts begin with, and all ids of tokens that are not text, from config.json.
  std::optional<std::int32_t> begin_id = {};
  std::vector<std::int32_t> special_ids = {};
  std::optional<StackDescription> decoder;
  bool has_target_vocabulary = false;        // the decoder has a vocabulary of its own
  std::int32_t start_id = 0;                 // the decoder's first token
  std::vector<std::int32_t> end_ids;         // each of these ends its text
  std::optional<GenerationRule> generation;  // empty: the file holds no output layer
  std::optional<OutputLayer> output_layer;   // empty: it predicts no next token
  // Parts of the names of tensors that stand among these and are not read: for pictures, entities,
  // integers.
  std::vector<std::string> unread = {};
  std::string tokenizer_name = {};  // the repository of its tokenizer, if none lies beside it
  std::string note = {};            // what the user should know about it; may be empty
};

// Returns the stack that makes a part's maps (the decoder for cross-attention). The model must have
// that part.
[[nodiscard]] inline const StackDescription& StackOf(const ModelDescription& model,
                                                     ModelPart part) {
  return HasTargetQueries(part) ? *model.decoder : model;
}

// Returns the parts that have maps, in order.
[[nodiscard]] inline std::vector<ModelPart> PartsOf(const ModelDescription& model) {
  if (!model.decoder) {
    return {ModelPart::kWhole};
  }
  return {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross};
}

// Returns their layers and heads, in the same order.
[[nodiscard]] inline std::vector<PartHeads> HeadsOf(const ModelDescription& model) {
  std::vector<PartHeads> parts;
  for (const ModelPart part : PartsOf(model)) {
    const StackDescription& stack = StackOf(model, part);
    parts.push_back({part, LayersFromZero(stack.layers), stack.heads});
  }
  return parts;
}

}  // namespace headscope

// What every family file maps config.json to: one description of a stack of blocks, and the tensors
// that fill it.
//
// Shapes   query projection [d, heads head_dim], keys and values [d, kv_heads head_dim], output
//          [heads value_dim, d].
// Source   docs/architecture.md, "One forward, many families".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/model_part.h"
#include "core/base/part_heads.h"
#include "core/compute/backend.h"
#include "core/model/relative_bias.h"
#include "core/model/token_choice.h"

namespace headscope {

// Sinusoidal: not stored, sines in the first half of the width, cosines in the second.
enum class PositionScheme { kNone, kLearned, kRotary, kSinusoidal };

// Which rows of a tensor are meant.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// A tensor by name and the shape it must have.
struct TensorNeed {
  std::string name;
  std::vector<std::int64_t> shape;
  std::optional<RowRange> rows = {};  // none: all of them
  // Where the file has none of that name: the first of these that it has.
  std::vector<std::string> stand_ins = {};
};

struct LinearNeed {
  struct Matrix {
    TensorNeed weight;
    std::optional<TensorNeed> bias;
  };
  WeightLayout layout = WeightLayout::kOutIn;
  std::int64_t in = 0;
  std::vector<Matrix> matrices;
  // Above 0: the one matrix (kOutIn) holds, head by head, its queries, its keys and its values; the
  // product's columns are all queries, then all keys, then all values even so.
  std::int64_t fused_heads = 0;
};

struct NormNeed {
  NormKind kind = NormKind::kLayer;
  TensorNeed weight;  // with no name: ones, of which nothing is stored
  std::optional<TensorNeed> bias;
  double epsilon = 1e-5;
  double weight_offset = 0.0;  // added to the stored weights: Gemma keeps them around 0
};

// Where one half of a layer, attention or MLP, is normed: x + half(x), or with all three places
// after(x + inside(half(before(x)))).
struct NormPlaces {
  std::optional<NormNeed> before = {};
  std::optional<NormNeed> inside = {};
  std::optional<NormNeed> after = {};
};

// How positions turn queries and keys: a table, and in some models another for long texts
// (core/model/rotary.h).
struct RotaryRule {
  RotaryTable table;
  std::int64_t dims = 0;                // columns of a head that turn
  std::int64_t original_positions = 0;  // longer texts have another table; 0: all have this one
  std::vector<double> long_inverse_frequency;  // of longer texts; empty: made from the length
  double theta = 0.0;
  double factor = 1.0;
};

// Attention of a decoder to what the encoder made.
struct CrossDescription {
  NormPlaces norm;
  LinearNeed query;
  LinearNeed key_value;  // of the encoder's output; its columns are keys, then values
  LinearNeed output;
  AttentionRule rule;
};

struct RelativeBiasNeed {
  TensorNeed table;  // [buckets, heads]
  BucketRule rule;
};

// Attention by itself, outside of a model: its queries, keys and values may be made of three
// inputs.
struct SeparateProjections {
  LinearNeed query;
  LinearNeed key;
  LinearNeed value;
};

struct LayerDescription {
  NormPlaces attention_norm;
  LinearNeed query_key_value;  // one product; its columns are queries, then keys, then values
  std::optional<SeparateProjections> separate = {};  // in place of that one product
  // Of each head by itself, before the positions turn it: weights [head_dim].
  std::optional<NormNeed> query_norm = {};
  std::optional<NormNeed> key_norm = {};
  std::optional<std::size_t> rotary = {};  // which of StackDescription::rotary; none: no turning
  LinearNeed output;
  AttentionRule rule;
  std::optional<CrossDescription> cross = {};
  NormPlaces mlp_norm;
  // x + attention(x) + mlp(x). The MLP's own norm before it is of x, too; without one the MLP reads
  // what the attention reads.
  bool is_parallel = false;
  LinearNeed mlp_up;  // [d, inner]
  // Gated: down(activation(gate(x)) * up(x)); plain: down(activation(up(x))).
  std::optional<LinearNeed> mlp_gate;
  LinearNeed mlp_down;
  ActivationKind activation = ActivationKind::kGelu;
};

// Layers one after another, and what their first one reads.
struct StackDescription {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t model_dim = 0;
  std::int64_t head_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t positions = 0;  // longest text
  std::int64_t vocabulary = 0;
  std::int64_t token_types = 0;  // 0: it tells no segments apart
  bool causal = true;
  PositionScheme position_scheme = PositionScheme::kNone;
  std::vector<RotaryRule> rotary;
  // [vocabulary, embedding_dim()]; with no name there is none: it reads_embeddings().
  TensorNeed token_embedding;
  double embedding_scale = 1.0;                    // of the rows of token_embedding
  std::optional<LinearNeed> embedding_projection;  // to d, where the embeddings are narrower
  std::optional<TensorNeed> position_embedding;    // [position_offset + positions, d]
  std::optional<TensorNeed> stored_sinusoids;      // read in place of sines and cosines, if there
  std::int64_t position_offset = 0;                // row of the first token's position
  // A token that has no position of its own: it gets the row before the first, and those after it
  // count on as if it were not there.
  std::optional<std::int32_t> unplaced_id;
  std::optional<TensorNeed> token_type_embedding;  // [token_types, d]
  std::optional<NormNeed> embedding_norm;          // of the sum of the embeddings
  std::optional<RelativeBiasNeed> relative_bias;   // of every layer's own attention
  std::optional<NormNeed> final_norm;
  std::vector<LayerDescription> layer;  // [layers]

  [[nodiscard]] bool reads_embeddings() const { return token_embedding.name.empty(); }
  // Width of one token before the first layer.
  [[nodiscard]] std::int64_t embedding_dim() const {
    return embedding_projection ? embedding_projection->in : model_dim;
  }
};

// What turns a decoder's last states into the next token, greedily.
struct GenerationRule {
  TensorNeed output;               // [vocabulary, d]
  double output_scale = 1.0;       // of the states before it
  std::optional<TensorNeed> bias;  // [1, vocabulary]
  TokenChoice choice;
};

// What turns the last states of a model that predicts the next token into its logits: projection,
// product, bias. What caps them afterwards (Gemma 2) is left out.
struct OutputLayer {
  TensorNeed weight;                          // [vocabulary, embedding_dim()]
  std::optional<TensorNeed> bias = {};        // [vocabulary]
  std::optional<LinearNeed> projection = {};  // from d, where the embeddings are narrower
  bool is_stored = true;                      // the file holds it
};

// One stack, or an encoder, which the base describes, and its decoder.
struct ModelDescription : StackDescription {
  std::string family;            // "gpt2"
  std::string precision;         // of the stored weights: "F32"
  bool ties_embeddings = false;  // the output layer is the token embedding
  // What config.json says that texts begin with, and all its ids of tokens that say no text.
  std::optional<std::int32_t> begin_id = {};
  std::vector<std::int32_t> special_ids = {};
  std::optional<StackDescription> decoder;
  bool has_target_vocabulary = false;        // the decoder's ids are of a vocabulary of its own
  std::int32_t start_id = 0;                 // the decoder's first token
  std::vector<std::int32_t> end_ids;         // its text ends with one of these
  std::optional<GenerationRule> generation;  // none: the file holds no output layer
  std::optional<OutputLayer> output_layer;   // none: it predicts no next token
  std::string note = {};  // what a person who opens it should know; empty: nothing
};

// The stack that makes a part's maps; cross-attention is the decoder's. The model has that part.
[[nodiscard]] inline const StackDescription& StackOf(const ModelDescription& model,
                                                     ModelPart part) {
  return HasTargetQueries(part) ? *model.decoder : model;
}

// The parts that have maps, in order.
[[nodiscard]] inline std::vector<ModelPart> PartsOf(const ModelDescription& model) {
  if (!model.decoder) {
    return {ModelPart::kWhole};
  }
  return {ModelPart::kEncoder, ModelPart::kDecoder, ModelPart::kCross};
}

// Their layers and heads, in the same order.
[[nodiscard]] inline std::vector<PartHeads> HeadsOf(const ModelDescription& model) {
  std::vector<PartHeads> parts;
  for (const ModelPart part : PartsOf(model)) {
    const StackDescription& stack = StackOf(model, part);
    parts.push_back({part, LayersFromZero(stack.layers), stack.heads});
  }
  return parts;
}

}  // namespace headscope

// The weights of a network that is trained: one array, and where each of them stands in it.
//
// Shapes   as in GPT-2's files: matrices [in, out], embeddings and output matrix [rows, model_dim].
//          c_attn holds the queries of all heads, then their keys, then their values.
// Threads  pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/train/settings.h"

namespace headscope {

struct TrainParameter {
  std::string name;  // as in a file, without "transformer."
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0;  // in the array
  std::int64_t count = 0;
};

// Where each weight begins; -1: there is none.
struct TrainBlockPlaces {
  std::int64_t ln_1_weight = -1;
  std::int64_t ln_1_bias = -1;
  std::int64_t attn_weight = -1;  // [model_dim, 3 width]
  std::int64_t attn_bias = -1;
  std::int64_t proj_weight = -1;  // [width, model_dim]
  std::int64_t proj_bias = -1;
  std::int64_t ln_2_weight = -1;
  std::int64_t ln_2_bias = -1;
  std::int64_t fc_weight = -1;
  std::int64_t fc_bias = -1;
  std::int64_t mlp_weight = -1;
  std::int64_t mlp_bias = -1;
};

struct TrainLayout {
  TrainShape shape;
  std::vector<TrainParameter> all;  // in the order of the array
  std::vector<TrainBlockPlaces> blocks;
  std::int64_t tokens = -1;     // wte
  std::int64_t positions = -1;  // wpe
  std::int64_t ln_f_weight = -1;
  std::int64_t ln_f_bias = -1;
  std::int64_t output = -1;  // lm_head; wte where it is tied
  std::int64_t count = 0;    // numbers in all
};

[[nodiscard]] TrainLayout MakeTrainLayout(const TrainShape& shape);

// Sets to 0, of weights or of a gradient, what leads from other columns than a head's own into its
// queries, keys and values; nothing where heads read all columns. As in `split`, the first
// model_dim mod heads heads have a column more.
template <typename T>
void HoldSegments(const TrainLayout& layout, std::span<T> numbers);

using HeadTable = std::vector<std::vector<double>>;  // [layer][head]

// Draws the first weights: matrices are drawn whole, before they are cut into heads, so that models
// that differ in the number of heads alone start with the same numbers.
[[nodiscard]] std::vector<float> DrawWeights(const TrainLayout& layout,
                                             const TrainStart& start,
                                             std::uint64_t seed);

// The largest difference between two heads of a layer, over their queries', keys', values' and
// outputs' weights and biases; 0 for one head.
[[nodiscard]] double LargestHeadDifference(const TrainLayout& layout,
                                           std::span<const float> weights);

// Returns each head's norm, over its queries', keys', values' and outputs' numbers: of a gradient, or
// of the weights.
[[nodiscard]] HeadTable HeadNorms(const TrainLayout& layout, std::span<const float> numbers);

// Returns how far each head is from where it began: the norm of the difference over that of the first
// weights.
[[nodiscard]] HeadTable HeadsMoved(const TrainLayout& layout,
                                   std::span<const float> weights,
                                   std::span<const float> first);

}  // namespace headscope

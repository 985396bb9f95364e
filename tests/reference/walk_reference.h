// What WalkLayer computes, in double, by the formulas, one number after another, from X and the
// stored weights. For layers that read one text.
#pragma once

#include <vector>

#include "core/headcount/walk.h"

namespace headscope {

struct WalkReference {
  std::vector<double> queries_made;  // [n, H dk]: before norms and rotation
  std::vector<double> keys_made;     // [m, Hkv dk]
  std::vector<double> queries;       // [n, H dk]
  std::vector<double> keys;          // [m, Hkv dk]
  std::vector<double> values;        // [m, Hkv dv]
  std::vector<double> scores;        // [H, n, m]; -infinity where masked
  std::vector<double> weights;       // [H, n, m]
  std::vector<double> concatenated;  // [n, H dv]
  std::vector<double> added;         // [H, n, d]
  std::vector<double> output;        // [n, d]
};
// What queries and keys are made of: the layer's input, in some models with positions added.
[[nodiscard]] std::vector<float> QueryInput(const Model& model, const LayerAttention& layer);
[[nodiscard]] WalkReference WalkInDouble(const Model& model, const LayerAttention& layer);

}  // namespace headscope

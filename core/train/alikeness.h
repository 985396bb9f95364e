// How alike the maps of a layer's heads are: the mean cosine between the rows of two heads, which a
// training may be told to lower.
//
// Shapes   maps [heads, length, length], causal.
// Units    0: no two heads look at the same token; 1: all look alike. A row that sees one key is left
//          out, since it has no choice.
// Errors   none.
// Threads  pure; equal heads get equal bits.
// Source   Li 2018, "Multi-Head Attention with Disagreement Regularization", on attended positions, with
//          the cosine of its outputs, so that spreading all rows evenly does not count as disagreement.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

// Pairs of heads times rows of a text of that length.
[[nodiscard]] double CountAlikePairs(std::int64_t heads, std::int64_t length);

// The cosines of one text in a layer, and what a change of its maps does to them.
template <typename T>
class Alikeness {
 public:
  void Set(const T* maps, std::int64_t heads, std::int64_t length);

  // Over all pairs and rows; the mean is that over CountAlikePairs.
  [[nodiscard]] double sum() const { return sum_; }
  // Adds the gradient of factor * sum() by the head's map to `gradient` [length, length]; `maps` as in
  // Set.
  void AddGradient(const T* maps, std::int64_t head, T factor, T* gradient) const;

 private:
  std::int64_t length_ = 0;
  double sum_ = 0.0;
  std::vector<T> inverse_norms_;  // [heads, length]
  std::vector<T> unit_sums_;      // [length, length]: of all heads' rows of length 1
};

}  // namespace headscope

// The rank of a head's scores: the singular values of Q K^T times the scale, before cap, bias and mask.
//
// A head with d_k columns makes scores of rank d_k at most, whatever it was trained on: of n tokens with
// n > d_k it cannot tell each pair by itself.
//
// Shapes   the first kMostRankTokens queries and keys are read; min(queries, keys, d_k) values.
// Units    singular values: those of scores. left out: relative Frobenius norm.
// Errors   kCancelled.
// Threads  pure. Computed in double.
// Cost     for each head (queries + keys) d_k^2 multiplications, for d_k over the number of tokens the
//          cube of that: some tens of milliseconds at most before it polls.
// Source   Eckart and Young 1936 (left out); Roy and Vetterli 2007 (effective rank); Bhojanapalli 2020
//          (the bottleneck).
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"

namespace headscope {

inline constexpr std::int64_t kMostRankTokens = 256;

struct ScoreRank {
  std::int64_t queries = 0;  // that were read
  std::int64_t keys = 0;
  std::int64_t head_dim = 0;
  std::vector<double> values;  // singular values, descending

  // The most that the rank can be: d_k, or the number of tokens where that is less.
  [[nodiscard]] std::int64_t Bound() const { return std::ssize(values); }
  [[nodiscard]] bool IsBottleneck() const { return head_dim < std::min(queries, keys); }
  // Values over the largest times the longer side times 2^-23, the rounding of float32.
  [[nodiscard]] std::int64_t Rank() const;
  // exp of the entropy of the values, each as a share of the sum: how many count. 0 where all are 0.
  [[nodiscard]] double EffectiveRank() const;
  // What the nearest matrix of that rank leaves out of these scores: the norm of the difference over the
  // norm. 0 where the scores are 0.
  [[nodiscard]] double LeftOut(std::int64_t rank) const;
  friend bool operator==(const ScoreRank&, const ScoreRank&) = default;
};

// Of every head of a layer or a cut of one, which has scores.
[[nodiscard]] Result<std::vector<ScoreRank>> RanksOf(const LayerAttention& layer,
                                                     const std::stop_token& stop);
// Of all columns of a layer together: one head, h = 1.
[[nodiscard]] ScoreRank RankOfAllColumns(const LayerAttention& layer);

}  // namespace headscope

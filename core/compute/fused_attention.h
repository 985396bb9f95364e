// Attention in float32, block by block: scores, softmax and context of a few query rows while they
// are in the cache. A whole map never exists.
//
// Shapes   queries [n, H dk], keys [m, Hkv dk], values [m, Hkv dv], context [n, H dv] or null.
// Errors   kCancelled, kNumeric (scores that are not finite), kOutOfMemory, kBackend.
// Threads  one caller; the heads of a block go to OpenMP's threads. The result does not depend on
//          their number: every row is one thread's work. Scores of heads with at most 16 columns
//          stay in double until the row's largest is subtracted.
// Cost     keys to the right of a block, or left of its window, are never multiplied.
// Source   Vaswani 2017 eq. 1; blocks: Dao 2022, but with the full softmax of each row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/attention.h"
#include "core/compute/float_buffer.h"

namespace headscope {

struct FusedAttentionInput {
  AttentionShape shape;
  AttentionRule rule;
  const float* queries = nullptr;
  const float* keys = nullptr;
  const float* values = nullptr;
};

// Whether something is added to scores after their cap: the softmax kernel's own cap would come
// too late.
[[nodiscard]] inline bool BiasesScores(const AttentionRule& rule) {
  return rule.bias != nullptr || rule.positions != nullptr;
}

// Caps and biases the scores of one row for keys first_key onwards, without what positions add.
void CapAndBias(const AttentionRule& rule,
                std::int64_t head,
                std::int64_t query,
                std::int64_t first_key,
                std::span<float> scores);

class FusedAttention {
 public:
  [[nodiscard]] Status Run(const FusedAttentionInput& input,
                           AttentionObserver* observer,
                           float* context,
                           const std::stop_token& stop);

 private:
  // One block of weights, reused for every block of every layer.
  std::unique_ptr<FloatBuffer> weights_ = std::make_unique<FloatBuffer>(0);
  std::vector<double> scores_;  // for narrow heads: a few rows per thread
  std::vector<float> row_max_;
  std::vector<float> row_inverse_sum_;
};

}  // namespace headscope

// What earlier runs left, so that a run of a text with the same beginning computes only the rest.
//
// Shapes   for a text of n tokens (cross-attention has m keys, the source's): queries [n, H dk],
//          keys [n or m, Hkv dk], values [n or m, Hkv dv], after any norm and rotation.
// Threads  views; what they point at must outlive the run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/block_description.h"
#include "core/model/forward_input.h"

namespace headscope {

struct PastLayer {
  std::span<const float> queries;
  std::span<const float> keys;
  std::span<const float> values;
  // The first query whose weights are observed; the weights from here to the first new query are
  // computed again from the queries and keys above.
  std::int64_t watched = 0;
};

struct Past {
  std::int64_t tokens = 0;     // tokens of the text (or target) that are not run again
  std::vector<PastLayer> own;  // [layers] of the whole model or of the decoder
  // The decoder's cross-attention. If not empty, it belongs to the run's source, whose encoder is
  // not run again; only `keys` and `values` are used if `tokens` is 0.
  std::vector<PastLayer> cross;
};

// Returns how many first tokens a stack computes in the same way in both texts. 0 if tokens see
// later ones, if the length changes every position (some rotary scalings), or if tokens are joined
// by more than attention, of which nothing is kept.
[[nodiscard]] std::int64_t UnchangedTokens(const StackDescription& stack,
                                           std::span<const std::int32_t> before,
                                           std::span<const std::int32_t> now);

}  // namespace headscope

// What earlier runs left, so that a run of a text that begins the same computes only what follows.
//
// Shapes   of a text of n tokens (its cross-attention: m keys, those of the source): queries
//          [n, H dk], keys [n or m, Hkv dk], values [n or m, Hkv dv], after any norm and rotary.
// Threads  plain views; what they point at outlives the run.
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
  // The first query whose weights are watched; those from here to the first new one are made again
  // from the queries and keys above.
  std::int64_t watched = 0;
};

struct Past {
  std::int64_t tokens = 0;  // of the text, or of an encoder-decoder's target: those not run again
  std::vector<PastLayer> own;  // [layers]: of the whole model or of the decoder
  // The decoder's cross-attention. Where it is not empty, the source is that of the run, and its
  // encoder is not run again; only `keys` and `values` are used where `tokens` is 0.
  std::vector<PastLayer> cross;
};

// How many of the first tokens a stack computes the same in both texts. 0 where a token sees what
// comes after it, or where the length changes every position (some rotary scalings).
[[nodiscard]] std::int64_t UnchangedTokens(const StackDescription& stack,
                                           std::span<const std::int32_t> before,
                                           std::span<const std::int32_t> now);

}  // namespace headscope

// The gated delta rule: a head without attention keeps one matrix of what it has read, [key width, value
// width], lets it fade, corrects what it says of a key, and asks it. With keys of length 1 and queries of
// length 1 / sqrt(key width), for each token in turn:
//
//   S = fading S;  S = S + key (strength (value - key S))ᵀ;  out = query S
//
// A state space (Mamba 2) takes queries and keys as they are, and corrects nothing: S + key (strength value)ᵀ.
//
// Shapes   columns [tokens, 2 key_heads key_width + heads value_width]: queries, keys, values; each head of
//          queries and keys serves heads / key_heads heads side by side, or (is_tiled) that far apart. strengths and fadings [tokens, heads],
//          each from 0 to 1, a state space's strengths from 0 on. Result [tokens, heads value_width].
// Errors   std::bad_alloc; what is not finite stays so.
// Threads  one caller; the heads go to OpenMP's threads.
// Cost     6 tokens heads key_width value_width, in double precision; holds heads (key_width + 1)
//          value_width numbers beside the columns.
// Source   Yang, Kautz and Hatamizadeh, "Gated Delta Networks: Improving Mamba2 with Delta Rule", 2024;
//          Dao and Gu, "Transformers are SSMs", 2024.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

struct DeltaShape {
  std::int64_t tokens = 0;
  std::int64_t key_heads = 0;
  std::int64_t heads = 0;
  std::int64_t key_width = 0;
  std::int64_t value_width = 0;
  bool corrects = true;   // false: a state space
  bool is_tiled = false;  // head i reads with head i % key_heads, not i / (heads / key_heads)

  [[nodiscard]] std::int64_t keys() const { return key_heads * key_width; }
  [[nodiscard]] std::int64_t values() const { return heads * value_width; }
  [[nodiscard]] std::int64_t columns() const { return 2 * keys() + values(); }
};

[[nodiscard]] std::vector<double> ApplyDeltaRule(const DeltaShape& shape,
                                                 std::span<const double> columns,
                                                 std::span<const double> strengths,
                                                 std::span<const double> fadings);

}  // namespace headscope

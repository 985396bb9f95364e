// One head's map, each weight times the length of what its key brings: of the value, or of what the
// output projection makes of it. A weight on a short value moves little, however large it is: heads
// that rest on the first token often do so because its value is short.
//
// Shapes   [1, queries, keys] of the head's part.
// Units    A · |v| / the largest |v| of a key that a query sees, so that 1 is all weight on that key;
//          rows add up to 1 at most. Masked weights are exactly 0. Values as the layer makes them,
//          bias included; lengths of outputs before any norm inside the attention.
// Errors   kInput: a layer without states, a head that does not exist, outputs behind a gate or norm,
//          over 512 MiB; kNumeric: a length that is not finite; kCancelled.
// Threads  OpenMP's; not for the drawing thread.
// Cost     the head's weights once; for outputs the layer's output matrix, and dv² d + n dv²
//          multiplications, in double.
// Source   Kobayashi et al., "Attention is not only a weight", 2020.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/attention/layer_attention.h"
#include "core/heads/measure/head_name.h"
#include "core/model/model.h"

namespace headscope {

enum class WeighedBy { kValues, kOutputs };

struct WeighedHead {
  std::shared_ptr<const LayerAttention> layer;  // one head; null: none
  HeadIndex of;
  WeighedBy by = WeighedBy::kValues;
  double longest = 0.0;          // the length that counts as 1
  std::int64_t longest_key = 0;  // of the first such key
};

// `layer`: of the model, captured with states.
[[nodiscard]] Result<WeighedHead> WeighHead(const Model& model,
                                            const LayerAttention& layer,
                                            std::int64_t head,
                                            WeighedBy by,
                                            const std::stop_token& stop);

// "L1H3, each weight times the length of its value".
[[nodiscard]] std::string WeighedName(const WeighedHead& head);
// "1: all weight on “the”, the longest, 3.21".
[[nodiscard]] std::string WeighedScale(const WeighedHead& head, std::string_view longest_token);

}  // namespace headscope

// Maps that several heads make together: the mean of a layer's heads, and attention rollout.
//
// Rollout: if each layer left half of every token as it was, and filled the other half with what the
// mean of its heads brings, so much of token k of the text would be in token q after the layer:
// R = (A + I) / 2 · R of the layer below, rows of A divided by their sum (a sink's share is nobody's).
// It knows neither values nor output weights nor MLPs.
//
// Shapes   [1, n, n] of the layer's part; [1, queries, keys] for a mean of cross-attention.
// Errors   kInput: no layer, one that is missing, rollout of two texts, or over 512 MiB; kNumeric: a
//          weight that is given is not finite; kCancelled.
// Threads  OpenMP's; not for the drawing thread.
// Cost     mean: each weight of the layer once. Rollout: that of every layer, and n³ / 6 additions
//          for each causal one, n³ for another; sums in double.
// Source   rollout: Abnar and Zuidema, "Quantifying attention flow in transformers", 2020.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "core/attention/layer_attention.h"

namespace headscope {

enum class HeadsJoin { kMean, kRollout };

// `layers`: of one part, the first layer first; the last is the one that is shown. A mean needs the
// last alone.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> JoinHeads(
    std::span<const std::shared_ptr<const LayerAttention>> layers,
    HeadsJoin join,
    const std::stop_token& stop);

// "Mean of the 8 heads of layer 1", "Rollout of layers 0 to 1 (mean over heads, half of each token
// kept)".
[[nodiscard]] std::string JoinedName(const LayerAttention& last, HeadsJoin join);

}  // namespace headscope

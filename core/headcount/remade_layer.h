// A layer made again with other weights or from another input: what its heads would do then.
//
// Shapes   those of the layer: queries [n, H dk], keys and values [n, Hkv dk]; output [H dk, d].
// Errors   kUnsupported (the keys belong to another text), kBackend, kNumeric, kCancelled.
// Threads  the backend's.
// Cost     the layer's projections once; drawn weights need 4 d (2 H + 2 Hkv) dk bytes meanwhile.
// Source   docs/reference.md, "split".
#pragma once

#include <memory>
#include <stop_token>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/headcount/split.h"
#include "core/model/forward.h"

namespace headscope {

struct RemadeLayer {
  std::shared_ptr<const LayerAttention> layer;
  std::unique_ptr<Linear> output;  // null: the model's own
};

// `layer` was captured with its states.
[[nodiscard]] Result<RemadeLayer> RemakeLayer(Forward* forward,
                                              const LayerAttention& layer,
                                              const SplitRequest& request,
                                              const std::stop_token& stop);

// Queries, keys and values of `rows` [n, d] with weights of one kind, without a model; the
// attention rule is `rule` without its cap and bias.
struct PlainProjections {
  AttentionShape shape;
  AttentionRule rule;
  std::int64_t model_dim = 0;
};
[[nodiscard]] Result<RemadeLayer> MakePlainLayer(Backend* backend,
                                                 const PlainProjections& about,
                                                 std::span<const float> rows,
                                                 const SplitRequest& request,
                                                 const std::stop_token& stop);

// Returns n d normal numbers times the scale, drawn with the request's seed.
[[nodiscard]] std::vector<float> NormalInput(const SplitRequest& request,
                                             std::int64_t tokens,
                                             std::int64_t model_dim);

}  // namespace headscope

// SplitLayer on a forward: takes its output projection and its costs from there.
#include <utility>

#include "core/headcount/attention_widths.h"
#include "core/headcount/remade_layer.h"
#include "core/headcount/split.h"
#include "core/model/scaled_context.h"

namespace headscope {

Result<SplitResult> SplitLayer(Forward* forward,
                               std::shared_ptr<const LayerAttention> layer,
                               const SplitRequest& request,
                               const std::stop_token& stop,
                               SplitProgress progress) {
  const LayerId id{layer->part(), layer->layer()};
  HEADSCOPE_TRY(RefuseScaledContext(StackOf(forward->model().description(), id.part), "a cut"));
  HEADSCOPE_TRY(const auto output, forward->OutputProjection(id, stop));
  RemadeLayer remade{std::move(layer), nullptr};
  if (!request.UsesLayer()) {
    HEADSCOPE_TRY(remade, RemakeLayer(forward, *remade.layer, request, stop));
  }
  return SplitLayer({.backend = &forward->backend(),
                     .output = remade.output != nullptr ? remade.output.get() : output,
                     .costs = LearntOf(WidthsOf(forward->model().description(), id)),
                     .layer = remade.layer},
                    request,
                    stop,
                    std::move(progress));
}

}  // namespace headscope

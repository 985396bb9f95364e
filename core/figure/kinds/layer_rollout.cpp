// Attention rollout from the text to a layer.
#include "core/figure/joined_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeLayerRollout(const FigureSubject& subject) {
  return MakeJoinedMap(subject, HeadsJoin::kRollout);
}

}  // namespace

extern const FigureKind kLayerRolloutFigure;
const FigureKind kLayerRolloutFigure{.of = FigureOf::kLayer,
                                     .view = "rollout",
                                     .make = MakeLayerRollout,
                                     .needs_layers_below = true};

}  // namespace headscope

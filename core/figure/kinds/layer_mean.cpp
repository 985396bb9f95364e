// The mean of a layer's heads as one map.
#include "core/figure/joined_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeLayerMean(const FigureSubject& subject) {
  return MakeJoinedMap(subject, HeadsJoin::kMean);
}

}  // namespace

extern const FigureKind kLayerMeanFigure;
const FigureKind kLayerMeanFigure{.of = FigureOf::kLayer, .view = "mean", .make = MakeLayerMean};

}  // namespace headscope

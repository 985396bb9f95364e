// One head, its weights times the length of what the output projection makes of each key's value.
#include "core/figure/weighed_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeHeadOutputs(const FigureSubject& subject) {
  return MakeWeighedMap(subject, WeighedBy::kOutputs);
}

}  // namespace

extern const FigureKind kHeadOutputsFigure;
const FigureKind kHeadOutputsFigure{.of = FigureOf::kHead,
                                    .view = "outputs",
                                    .make = MakeHeadOutputs,
                                    .weighs_by = WeighedBy::kOutputs};

}  // namespace headscope

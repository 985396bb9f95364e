// One head, its weights times the length of each key's value.
#include "core/figure/weighed_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeHeadValues(const FigureSubject& subject) {
  return MakeWeighedMap(subject, WeighedBy::kValues);
}

}  // namespace

extern const FigureKind kHeadValuesFigure;
const FigureKind kHeadValuesFigure{.of = FigureOf::kHead,
                                   .view = "values",
                                   .make = MakeHeadValues,
                                   .weighs_by = WeighedBy::kValues};

}  // namespace headscope

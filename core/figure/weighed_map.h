// The figure of a head whose weights are weighed by what its keys bring
// (core/heads/effect/weighed_head.h).
//
// Errors   kInput: the subject has no such head, or it is weighed otherwise.
#pragma once

#include <memory>

#include "core/figure/figure_kind.h"
#include "core/heads/effect/weighed_head.h"

namespace headscope {

[[nodiscard]] Result<std::unique_ptr<Figure>> MakeWeighedMap(const FigureSubject& subject,
                                                             WeighedBy by);

}  // namespace headscope

// The figure of heads that are joined into one map (core/attention/joined_heads.h).
//
// Errors   kInput: the layer is not there; those of JoinHeads.
// Cost     that of JoinHeads.
#pragma once

#include <memory>

#include "core/attention/joined_heads.h"
#include "core/figure/figure_kind.h"

namespace headscope {

// Of the subject's layer; rollout needs the layers before it among the subject's.
[[nodiscard]] Result<std::unique_ptr<Figure>> MakeJoinedMap(const FigureSubject& subject,
                                                            HeadsJoin join);

}  // namespace headscope

// Experts that a file keeps side by side, in one tensor of all.
//
// Shapes   [experts, 2 inner, d] with the gates before the rest, and [experts, d, inner]; or both
//          with the last two dimensions exchanged. Without gates, [experts, inner, d] in place of the first.
// Errors   none; a tensor of another shape is refused where all are checked.
#pragma once

#include "core/model/block_description.h"
#include "core/model/plain_names.h"

namespace headscope {

// Lets experts that the file does not hold one by one read their rows of such tensors, if it
// has them.
void UseStackedExperts(const PlainNames& names, ModelDescription* description);

}  // namespace headscope

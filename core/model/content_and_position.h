// Disentangled attention: which parts of a score are of the query's content and a relative position, or
// of the key's, and how far apart positions are told.
//
// Errors   as core/model/family_kit.h.
// Source   He 2021 (DeBERTa, versions 1 and 2); tensors as transformers' classes name them.
#pragma once

#include "core/model/family_kit.h"

namespace headscope {

// Reads the parts and adds to each layer what they need: the projections of positions, the scale of a sum
// of so many parts, and the table of relative positions. `is_second`: of type deberta-v2.
[[nodiscard]] Status AddContentAndPosition(const JsonObject& json,
                                           bool is_second,
                                           double epsilon,
                                           ModelDescription* model);

}  // namespace headscope

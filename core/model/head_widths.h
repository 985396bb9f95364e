// Says how wide heads are, where some layers have others than the rest.
//
// Errors   none.
#pragma once

#include <string>

#include "core/model/block_description.h"

namespace headscope {

// Whether layers of the stack differ.
[[nodiscard]] bool HasWidthsOfLayers(const StackDescription& stack);

// Return the columns of a head's queries and keys, or of its values: "64", or "256 or 512".
[[nodiscard]] std::string HeadDimText(const StackDescription& stack);
[[nodiscard]] std::string ValueDimText(const StackDescription& stack);

}  // namespace headscope

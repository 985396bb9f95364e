// What stands between what attention makes of values and a layer's output product: a gate made of the
// layer's input, a factor or a norm; or between the layer's input and values: a limit.
//
// Errors   kUnsupported.
#pragma once

#include <string_view>

#include "core/base/error.h"
#include "core/model/block_description.h"

namespace headscope {

[[nodiscard]] bool ScalesContext(const StackDescription& stack);

// Refuses a model with such for `what`, which needs one matrix from values to a layer's output.
[[nodiscard]] Status RefuseScaledContext(const StackDescription& stack, std::string_view what);

// The same for a model that keeps queries, keys and values within a limit.
[[nodiscard]] Status RefuseLimits(const StackDescription& stack, std::string_view what);

}  // namespace headscope

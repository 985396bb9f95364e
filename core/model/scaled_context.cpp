#include "core/model/scaled_context.h"

#include <algorithm>

#include <fmt/format.h>

namespace headscope {

bool ScalesContext(const StackDescription& stack) {
  return std::ranges::any_of(stack.layer, [](const LayerDescription& layer) {
    return layer.output_gate || layer.value_factor != 1.0 || layer.context_norm ||
           layer.value_norm || layer.projection_limit > 0.0;
  });
}

Status RefuseScaledContext(const StackDescription& stack, std::string_view what) {
  HEADSCOPE_TRY(RefuseLimits(stack, what));
  if (!ScalesContext(stack)) {
    return {};
  }
  return Fail(
      ErrorCode::kUnsupported,
      fmt::format(
          "this model scales or norms its values or what its attention makes of them; {} needs "
          "one matrix from each of them to a layer's output",
          what));
}

Status RefuseLimits(const StackDescription& stack, std::string_view what) {
  if (std::ranges::none_of(stack.layer, [](const LayerDescription& layer) {
        return layer.projection_limit > 0.0;
      })) {
    return {};
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("this model keeps its queries, keys and values within a limit; {} needs "
                          "one matrix from a layer's input to each of them",
                          what));
}

}  // namespace headscope

#include "core/model/scaled_context.h"

#include <algorithm>

#include <fmt/format.h>

namespace headscope {

bool ScalesContext(const StackDescription& stack) {
  return std::ranges::any_of(stack.layer, [](const LayerDescription& layer) {
    return layer.output_gate || layer.value_factor != 1.0;
  });
}

Status RefuseScaledContext(const StackDescription& stack, std::string_view what) {
  if (!ScalesContext(stack)) {
    return {};
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("this model scales what its attention makes of values; {} needs one "
                          "matrix from each of them to a layer's output",
                          what));
}

}  // namespace headscope

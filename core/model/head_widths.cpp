#include "core/model/head_widths.h"

#include <cstdint>
#include <set>

#include <fmt/format.h>

namespace headscope {
namespace {

std::string TextOf(const StackDescription& stack, std::int64_t HeadWidths::*which) {
  std::set<std::int64_t> widths;
  if (stack.layer.empty()) {  // of attention made elsewhere
    widths.insert(HeadWidths{stack.head_dim, stack.value_dim}.*which);
  }
  for (const LayerDescription& layer : stack.layer) {
    widths.insert(stack.WidthsOf(layer).*which);
  }
  return fmt::format("{}", fmt::join(widths, " or "));
}

}  // namespace

bool HasWidthsOfLayers(const StackDescription& stack) {
  return HeadDimText(stack).find(' ') != std::string::npos ||
         ValueDimText(stack).find(' ') != std::string::npos;
}

std::string HeadDimText(const StackDescription& stack) {
  return TextOf(stack, &HeadWidths::key);
}

std::string ValueDimText(const StackDescription& stack) {
  return TextOf(stack, &HeadWidths::value);
}

}  // namespace headscope

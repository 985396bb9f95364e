#include "core/model/head_widths.h"

#include <cstdint>
#include <set>

#include <fmt/format.h>

namespace headscope {
namespace {

using Which = std::int64_t HeadWidths::*;

std::set<std::int64_t> AllOf(const StackDescription& stack, Which which) {
  std::set<std::int64_t> widths;
  if (stack.layer.empty()) {  // of attention made elsewhere
    widths.insert(HeadWidths{stack.head_dim, stack.value_dim}.*which);
  }
  for (const LayerDescription& layer : stack.layer) {
    widths.insert(stack.WidthsOf(layer).*which);
  }
  return widths;
}

std::string TextOf(const StackDescription& stack, Which which) {
  return fmt::format("{}", fmt::join(AllOf(stack, which), " or "));
}

}  // namespace

bool HasWidthsOfLayers(const StackDescription& stack) {
  return AllOf(stack, &HeadWidths::key).size() > 1 || AllOf(stack, &HeadWidths::value).size() > 1;
}

std::string HeadDimText(const StackDescription& stack) {
  return TextOf(stack, &HeadWidths::key);
}

std::string ValueDimText(const StackDescription& stack) {
  return TextOf(stack, &HeadWidths::value);
}

}  // namespace headscope

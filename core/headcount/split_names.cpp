// The words of --segments, --weights and --input.
#include <algorithm>
#include <array>
#include <cstddef>

#include "core/headcount/split.h"

namespace headscope {
namespace {

using Names4 = std::array<std::string_view, 4>;
using Names3 = std::array<std::string_view, 3>;
using Names2 = std::array<std::string_view, 2>;
constexpr Names4 kSegments = {"contiguous", "strided", "random", "overlapping"};
constexpr Names3 kWeights = {"trained", "ones", "random"};
constexpr Names2 kInputs = {"layer", "normal"};

template <typename Value, typename Names>
std::optional<Value> Parse(const Names& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<Value>(found - names.begin()));
}

}  // namespace

std::string_view Name(SegmentKind segments) {
  return kSegments[static_cast<std::size_t>(segments)];
}
std::string_view Name(SplitWeights weights) {
  return kWeights[static_cast<std::size_t>(weights)];
}
std::string_view Name(SplitInput input) {
  return kInputs[static_cast<std::size_t>(input)];
}
std::optional<SegmentKind> ParseSegments(std::string_view name) {
  return Parse<SegmentKind>(kSegments, name);
}
std::optional<SplitWeights> ParseSplitWeights(std::string_view name) {
  return Parse<SplitWeights>(kWeights, name);
}
std::optional<SplitInput> ParseSplitInput(std::string_view name) {
  return Parse<SplitInput>(kInputs, name);
}

}  // namespace headscope

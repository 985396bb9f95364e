// The words of --segments, --weights and --input, and the sentences that describe a cut.
#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "core/headcount/split.h"

namespace headscope {
namespace {

using Names4 = std::array<std::string_view, 4>;
using Names3 = std::array<std::string_view, 3>;
using Names2 = std::array<std::string_view, 2>;
constexpr Names4 kSegments = {"contiguous", "strided", "random", "overlapping"};
constexpr Names3 kWeights = {"trained", "ones", "random"};  // step 0 has a folder of its own
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
  return weights == SplitWeights::kStepZero ? "step 0"
                                            : kWeights[static_cast<std::size_t>(weights)];
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

std::vector<std::string> ChangesOf(const SplitRequest& request) {
  std::vector<std::string> changes;
  switch (request.segments) {
    case SegmentKind::kContiguous:
      break;
    case SegmentKind::kStrided:
      changes.emplace_back("strided columns");
      break;
    case SegmentKind::kRandom:
      changes.push_back(fmt::format("random columns (seed {})", request.seed));
      break;
    case SegmentKind::kOverlapping:
      changes.emplace_back(
          request.shares_half && !request.head_dim
              ? "overlapping columns, about 2 D/h a head: neighbours share half of them"
              : "overlapping columns");
      break;
  }
  if (request.head_dim && !changes.empty()) {
    changes.back() += fmt::format(", {} a head", *request.head_dim);
  }
  switch (request.weights) {
    case SplitWeights::kTrained:
      break;
    case SplitWeights::kOnes:
      changes.emplace_back("every weight 1");
      break;
    case SplitWeights::kRandom:
      changes.push_back(fmt::format("random weights of variance 1/d in this layer alone (seed {})",
                                    request.seed));
      break;
    case SplitWeights::kStepZero:
      changes.emplace_back("weights of its own step 0");
      break;
  }
  if (request.InputUsed() == SplitInput::kNormal) {
    changes.push_back(
        fmt::format("normal numbers in place of what the layer reads (seed {})", request.seed));
  }
  if (request.input_scale != 1.0) {
    changes.push_back(fmt::format("the input times {:g}", request.input_scale));
  }
  return changes;
}

}  // namespace headscope

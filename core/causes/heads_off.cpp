#include "core/causes/heads_off.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

constexpr std::array<std::pair<Replacement, std::string_view>, 3> kReplacementNames = {
    {{Replacement::kZero, "zero"},
     {Replacement::kProbeMean, "mean"},
     {Replacement::kTextMean, "text"}}};

// In the order in which a model computes.
auto PlaceInRun(LayerId layer) {
  return std::tuple(StackThatRuns(layer.part), layer.layer, layer.part == ModelPart::kCross);
}

}  // namespace

std::string_view ReplacementName(Replacement replacement) {
  return std::ranges::find(
             kReplacementNames, replacement, [](const auto& one) { return one.first; })
      ->second;
}

std::optional<Replacement> ParseReplacement(std::string_view name) {
  const auto* const found =
      std::ranges::find(kReplacementNames, name, [](const auto& one) { return one.second; });
  return found == kReplacementNames.end() ? std::nullopt : std::optional(found->first);
}

bool RunsBefore(LayerId layer, LayerId other) {
  return PlaceInRun(layer) < PlaceInRun(other);
}

LayerId FirstLayerOf(const HeadsOff& off) {
  const auto of = [](HeadIndex head) { return LayerId{head.part, head.layer}; };
  return of(*std::ranges::min_element(
      off.heads, {}, [&of](HeadIndex head) { return PlaceInRun(of(head)); }));
}

bool IsChangedBy(LayerId layer, const HeadsOff& off) {
  return !off.heads.empty() && RunsBefore(FirstLayerOf(off), layer);
}

}  // namespace headscope

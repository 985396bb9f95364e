#include "core/causes/heads_off.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"

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

std::string EdgeName(const CutEdge& edge) {
  const std::string row = edge.row ? fmt::format("{}:", *edge.row) : "";
  return fmt::format("{}:{}{}", HeadName(edge.head), row, edge.key);
}

std::vector<HeadIndex> HeadsTouched(const HeadsOff& off) {
  std::vector<HeadIndex> heads = off.heads;
  std::ranges::transform(
      off.edges, std::back_inserter(heads), [](const CutEdge& edge) { return edge.head; });
  std::ranges::sort(heads);
  const auto twice = std::ranges::unique(heads);
  heads.erase(twice.begin(), twice.end());
  return heads;
}

LayerId FirstLayerOf(const HeadsOff& off) {
  const std::vector<HeadIndex> heads = HeadsTouched(off);
  HEADSCOPE_CHECK(!heads.empty(), "something is off");
  const auto layer_of = [](HeadIndex head) { return LayerId{head.part, head.layer}; };
  return layer_of(*std::ranges::min_element(
      heads, {}, [&](HeadIndex head) { return PlaceInRun(layer_of(head)); }));
}

bool IsChangedBy(LayerId layer, const HeadsOff& off) {
  return !off.IsEmpty() && RunsBefore(FirstLayerOf(off), layer);
}

}  // namespace headscope

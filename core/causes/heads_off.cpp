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

struct NamedReplacement {
  Replacement replacement = Replacement::kZero;
  std::string_view name;
  std::string_view words;
};
constexpr std::array kReplacements = {
    NamedReplacement{Replacement::kZero, "zero", "zero"},
    NamedReplacement{Replacement::kProbeMean, "mean", "mean of other texts"},
    NamedReplacement{
        Replacement::kPositionMean, "position", "mean of other texts at each position"},
    NamedReplacement{Replacement::kTextMean, "text", "mean of this text"}};

const NamedReplacement& Named(Replacement replacement) {
  return *std::ranges::find(kReplacements, replacement, &NamedReplacement::replacement);
}

// In the order in which a model computes.
auto PlaceInRun(LayerId layer) {
  return std::tuple(StackThatRuns(layer.part), layer.layer, layer.part == ModelPart::kCross);
}

}  // namespace

std::string_view ReplacementName(Replacement replacement) {
  return Named(replacement).name;
}

std::string_view ReplacementWords(Replacement replacement) {
  return Named(replacement).words;
}

std::optional<Replacement> ParseReplacement(std::string_view name) {
  const auto* const found = std::ranges::find(kReplacements, name, &NamedReplacement::name);
  return found == kReplacements.end() ? std::nullopt : std::optional(found->replacement);
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
  heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
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

// Cross-attention at a fixed distance from the place of the token that the row has read: the source
// token at the same place, the one before, the one after, and eight each way.
//
// Source   docs/reference.md, "Parts of an encoder-decoder"; as core/heads/measure/metrics/fixed_offset.cpp.
#include <cstdlib>

#include <fmt/format.h>

#include "core/heads/measure/metric.h"
#include "core/heads/probe/target.h"

namespace headscope {
namespace {

constexpr std::int64_t kFurthestPlace = 8;

std::string PlaceWords(std::int64_t offset) {
  if (offset == 0) {
    return "same place";
  }
  return fmt::format("{} {}", std::abs(offset), offset < 0 ? "before" : "after");
}

std::string PlaceTarget(std::int64_t offset) {
  switch (offset) {
    case 0:
      return "the source token at the same place";
    case 1:
      return "the source token after the one at the same place";
    case -1:
      return "the source token before the one at the same place";
    default:
      return fmt::format("the source token {} the one at the same place", PlaceWords(offset));
  }
}

HeadMetric PlaceMetric(std::int64_t offset) {
  constexpr int kNearPlaces = 3;  // 0, -1 and 1 first in lists
  HeadMetric metric;
  metric.id = fmt::format("source:{:+}", offset);
  metric.name = "source, " + PlaceWords(offset);
  metric.target = PlaceTarget(offset);
  metric.place = std::abs(offset) <= 1 ? static_cast<int>((offset + kNearPlaces) % kNearPlaces)
                                       : 100 + static_cast<int>(offset);
  metric.words = {
      .about = "the share of cross-attention at a fixed distance from the place of the row's token",
      .formula =
          "mean over rows q of A[q][p + offset], p the place in the source of the token that "
          "q has read, rows of special tokens left out; of repeats rows whose token is "
          "another one in the control's source",
      .chance = "1 / tokens of the source",
      .control = "the same rows and places where the source has other tokens than the target",
      .control_name = "with another token there",
      .source = "docs/reference.md; as Voita 2019, 5.1",
      .pitfall =
          "where source and target are one text, a head that looks for the token scores as "
          "much as one that looks at the place: the role needs the control to score as well",
      .needs = "cross-attention, and a source token at this distance"};
  metric.is_far = std::abs(offset) > 1;
  metric.alike = offset == 1 ? "next_token" : "";
  metric.role = "positional";
  metric.threshold = 0.5;
  metric.has_control_sequences = true;
  metric.needs_control = true;
  metric.is_place = true;
  metric.cross_targets = [offset](const ProbeSequence& target, const ProbeSequence& source) {
    TargetRows targets;
    for (std::int64_t query = 1; query < target.tokens(); ++query) {
      const std::int64_t key = PlaceInSource(query) + offset;
      if (target.special[static_cast<std::size_t>(query)] == 0 && key >= 0 &&
          key < source.tokens()) {
        targets.Add(query, static_cast<std::int32_t>(key));
      }
    }
    return targets;
  };
  return metric;
}

}  // namespace

std::vector<HeadMetric> SourcePlaceMetrics() {
  std::vector<HeadMetric> metrics;
  for (std::int64_t offset = -kFurthestPlace; offset <= kFurthestPlace; ++offset) {
    metrics.push_back(PlaceMetric(offset));
  }
  return metrics;
}

}  // namespace headscope

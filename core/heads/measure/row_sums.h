// What a scan adds up: for each metric, group and head the sums that its score, its error and its
// decision are made of. Batches are summed by themselves and added in their order, so that parts of
// a scan made elsewhere give the same numbers.
//
// Shapes   [metric][group][head], heads of all layers one after another.
// Units    of the metric. `mean` is a sequence's own mean over its rows, `above_chance` that mean less
//          its chance, `difference` less its control (its chance, where it has none); of a metric of
//          places (HeadMetric::is_place) the control less chance.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/heads/measure/head_score.h"
#include "core/heads/measure/metric.h"

namespace headscope {

struct HeadSums {
  double score = 0.0;    // over rows
  double control = 0.0;  // over rows that have one
  double hits = 0.0;     // rows whose largest weight is on a key that counts
  double chance = 0.0;   // over rows: what even attention gives
  double mean = 0.0;     // these six over sequences
  double mean_square = 0.0;
  double difference = 0.0;
  double difference_square = 0.0;
  double above_chance = 0.0;
  double above_chance_square = 0.0;

  // All of them, in the order of files.
  static constexpr std::array<double HeadSums::*, 10> kAll = {&HeadSums::score,
                                                              &HeadSums::control,
                                                              &HeadSums::hits,
                                                              &HeadSums::chance,
                                                              &HeadSums::mean,
                                                              &HeadSums::mean_square,
                                                              &HeadSums::difference,
                                                              &HeadSums::difference_square,
                                                              &HeadSums::above_chance,
                                                              &HeadSums::above_chance_square};

  friend bool operator==(const HeadSums&, const HeadSums&) = default;
};

struct MetricSums {
  std::int64_t rows = 0;
  std::int64_t control_rows = 0;
  std::int64_t sequences = 0;  // that have a row
  std::vector<HeadSums> heads;

  void Add(const MetricSums& other);
  friend bool operator==(const MetricSums&, const MetricSums&) = default;
};

using GroupSums = std::vector<MetricSums>;  // [group]
using ScanSums = std::vector<GroupSums>;    // [metric], as AllMetrics()

void AddSums(const ScanSums& from, ScanSums* to);

// The score in one group.
[[nodiscard]] HeadScore ScoreOf(const MetricSums& sums, const HeadMetric& metric, std::size_t head);
// The score in the group where it is lowest.
[[nodiscard]] HeadScore LeastScore(const GroupSums& groups,
                                   const HeadMetric& metric,
                                   std::size_t head);

}  // namespace headscope

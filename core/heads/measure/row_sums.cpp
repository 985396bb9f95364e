#include "core/heads/measure/row_sums.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace headscope {
namespace {

std::optional<double> Ratio(double sum, std::int64_t count) {
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

}  // namespace

void MetricSums::Add(const MetricSums& other) {
  rows += other.rows;
  control_rows += other.control_rows;
  sequences += other.sequences;
  AddHeads(other.heads, &heads);
}

void AddSums(const ScanSums& from, ScanSums* to) {
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t metric = 0; metric < from.size(); ++metric) {
    (*to)[metric].resize(std::max((*to)[metric].size(), from[metric].size()));
    for (std::size_t group = 0; group < from[metric].size(); ++group) {
      (*to)[metric][group].Add(from[metric][group]);
    }
  }
}

HeadScore ScoreOf(const MetricSums& sums, const HeadMetric& metric, std::size_t head) {
  HeadScore score;
  if (sums.rows == 0) {
    return score;
  }
  const HeadSums& own = sums.heads[head];
  score.rows = sums.rows;
  score.sequences = sums.sequences;
  score.score = Ratio(own.score, sums.rows);
  score.chance = Ratio(own.chance, sums.rows);
  score.control = Ratio(own.control, sums.control_rows);
  if (metric.is_share()) {
    score.hits = Ratio(own.hits, sums.rows);
  }
  if (sums.sequences > 1) {
    score.error = StandardError(own.mean, own.mean_square, static_cast<double>(sums.sequences));
  }
  return score;
}

HeadScore LeastScore(const GroupSums& groups, const HeadMetric& metric, std::size_t head) {
  HeadScore least;
  for (const MetricSums& group : groups) {
    const HeadScore score = ScoreOf(group, metric, head);
    if (score.score && (!least.score || *score.score < *least.score)) {
      least = score;
    }
  }
  return least;
}

}  // namespace headscope

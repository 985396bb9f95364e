// How a row of attention is spread: entropy, confidence, distance.
//
// Source   Clark 2019, 3.3 (entropy); Voita 2019, 5 (confidence); Vig and Belinkov 2019 (distance).
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

constexpr std::string_view kSource = "Clark 2019, 3.3; Voita 2019, 5; Vig and Belinkov 2019";

HeadMetric Entropy() {
  HeadMetric metric;
  metric.id = "entropy";
  metric.name = "entropy";
  metric.place = 20;
  metric.scale = NumberScale::kPlain;
  metric.words = {
      .about = "how evenly a row of attention is spread",
      .formula = "mean over rows q >= 1 of -sum over k of A[q][k] log A[q][k]",
      .chance = "log of the number of visible keys, which is also the most there can be",
      .source = kSource,
      .pitfall = "a head that rests on the first token counts as focused",
      .needs = "a row that is no special token's"};
  metric.sum = [](std::span<const LaneRow> rows,
                  std::span<const LanePeaks> /*peaks*/,
                  LaneSums& sums) { SumEntropies(rows, sums); };
  metric.even = [](std::int64_t /*query*/, std::int64_t /*first*/, std::int64_t count) {
    return std::log(static_cast<double>(count));
  };
  return metric;
}

HeadMetric Confidence() {
  HeadMetric metric;
  metric.id = "confidence";
  metric.name = "confidence";
  metric.place = 21;
  metric.scale = NumberScale::kPlain;
  metric.words = {.about = "the largest weight of a row",
                  .formula = "mean over rows q >= 1 of the largest A[q][k]",
                  .chance = "1 / visible keys, which is also the least there can be",
                  .source = kSource,
                  .pitfall = "a head that rests on the first token is confident, too",
                  .needs = "a row that is no special token's"};
  metric.sum =
      [](std::span<const LaneRow> /*rows*/, std::span<const LanePeaks> peaks, LaneSums& sums) {
        std::ranges::fill(sums, 0.0);
        for (const LanePeaks& peak : peaks) {
          std::ranges::transform(sums, peak.most, sums, [](double sum, float most) {
            return sum + static_cast<double>(most);
          });
        }
      };
  metric.even = [](std::int64_t /*query*/, std::int64_t /*first*/, std::int64_t count) {
    return 1.0 / static_cast<double>(count);
  };
  return metric;
}

HeadMetric Distance() {
  HeadMetric metric;
  metric.id = "distance";
  metric.name = "distance";
  metric.place = 22;
  metric.scale = NumberScale::kPlain;
  metric.words = {.about = "how many tokens away attention goes",
                  .formula =
                      "mean over rows q >= 1 of the sum over k of A[q][k] |q - k|; of "
                      "cross-attention |p - k|, p the place in the source of the token that q "
                      "has read",
                  .chance = "the mean distance of the visible keys",
                  .source = kSource,
                  .pitfall = "grows with the text; resting on the first token is far away",
                  .needs = "a row that is no special token's"};
  metric.sum = [](std::span<const LaneRow> rows,
                  std::span<const LanePeaks> /*peaks*/,
                  LaneSums& sums) { SumDistances(rows, sums); };
  metric.even = [](std::int64_t query, std::int64_t first, std::int64_t count) {
    double sum = 0.0;
    for (std::int64_t key = first; key < first + count; ++key) {
      sum += static_cast<double>(std::abs(query - key));
    }
    return sum / static_cast<double>(count);
  };
  return metric;
}

}  // namespace

std::vector<HeadMetric> RowShapeMetrics() {
  return {Entropy(), Confidence(), Distance()};
}

}  // namespace headscope

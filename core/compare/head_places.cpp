#include "core/compare/head_places.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/attention/row_divergence.h"
#include "core/base/stop.h"
#include "core/compare/most_alike.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostPlacingRows = 64;
constexpr std::int64_t kMostPlacingWeights = 1'000'000'000;  // that are compared

double Product(const double* one, const double* two, std::size_t count) {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += one[i] * two[i];
  }
  return sum;
}

// Makes products of centred places out of squared distances: -1/2 J D J.
void Center(std::vector<double>* squared, std::size_t n) {
  std::vector<double> means(n, 0.0);
  double mean = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      means[i] += (*squared)[i * n + j] / static_cast<double>(n);
    }
    mean += means[i] / static_cast<double>(n);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double& cell = (*squared)[i * n + j];
      cell = -0.5 * (cell - means[i] - means[j] + mean);
    }
  }
}

// The direction of largest variance and that variance, by repeated products: only two directions are
// needed, and between products the work can be stopped. Where two variances are nearly the same, any
// direction between theirs shows as much.
struct Direction {
  std::vector<double> of;
  double variance = 0.0;
};
Result<Direction> Largest(const std::vector<double>& products,
                          std::size_t n,
                          const std::stop_token& stop) {
  constexpr int kMostTurns = 2000;
  constexpr double kStill = 1e-13;
  Direction found{.of = std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    found.of[i] = 1.0 + std::sin(static_cast<double>(i) * 1.618);  // no direction of symmetry
  }
  std::vector<double> next(n);
  for (int turn = 0; turn < kMostTurns; ++turn) {
    HEADSCOPE_TRY(CheckStop(stop));
    const double length = std::sqrt(Product(found.of.data(), found.of.data(), n));
    if (!(length > 0.0)) {
      return Direction{.of = std::vector<double>(n, 0.0)};
    }
    for (double& each : found.of) {
      each /= length;
    }
    for (std::size_t i = 0; i < n; ++i) {
      next[i] = Product(products.data() + i * n, found.of.data(), n);
    }
    const double before = std::exchange(found.variance, Product(next.data(), found.of.data(), n));
    if (turn > 8 && std::abs(found.variance - before) <= kStill * std::abs(found.variance)) {
      return found;
    }
    std::swap(found.of, next);
  }
  const double length = std::sqrt(Product(found.of.data(), found.of.data(), n));
  for (double& each : found.of) {
    each /= length > 0.0 ? length : 1.0;
  }
  return found;
}

void TakeAway(const Direction& direction, std::size_t n, std::vector<double>* products) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      (*products)[i * n + j] -= direction.variance * direction.of[i] * direction.of[j];
    }
  }
}

std::vector<double> PlacesAlong(const Direction& direction) {
  const auto largest =
      std::ranges::max_element(direction.of, {}, [](double value) { return std::abs(value); });
  const double sign = largest != direction.of.end() && *largest < 0.0 ? -1.0 : 1.0;
  const double by = sign * std::sqrt(std::max(0.0, direction.variance));
  std::vector<double> places;
  for (const double value : direction.of) {
    places.push_back(value * by);
  }
  return places;
}

using LayerPointer = std::shared_ptr<const LayerAttention>;

// Those of the part that have the shape of the first.
std::vector<LayerPointer> OfOneShape(std::span<const LayerPointer> layers, ModelPart part) {
  std::vector<LayerPointer> some;
  for (const LayerPointer& layer : layers) {
    if (layer != nullptr && layer->part() == part &&
        (some.empty() || (layer->shape().queries == some.front()->shape().queries &&
                          layer->shape().keys == some.front()->shape().keys))) {
      some.push_back(layer);
    }
  }
  return some;
}

}  // namespace

Result<ScaledPlaces> ScaleToPlane(std::vector<double> squared,
                                  std::int64_t count,
                                  const std::stop_token& stop) {
  const auto n = static_cast<std::size_t>(count);
  Center(&squared, n);
  double all = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    all += squared[i * n + i];
  }
  HEADSCOPE_TRY(const Direction first, Largest(squared, n, stop));
  TakeAway(first, n, &squared);
  HEADSCOPE_TRY(const Direction second, Largest(squared, n, stop));
  const auto share = [all](const Direction& direction) {
    return all > 0.0 ? std::clamp(direction.variance / all, 0.0, 1.0) : 0.0;
  };
  return ScaledPlaces{.x = PlacesAlong(first),
                      .y = PlacesAlong(second),
                      .share_x = share(first),
                      .share_y = share(second)};
}

Result<HeadPlaces> PlaceHeads(std::span<const std::shared_ptr<const LayerAttention>> all,
                              ModelPart part,
                              const std::function<void(std::int64_t, std::int64_t)>& on_row,
                              const std::stop_token& stop) {
  const std::vector<LayerPointer> layers = OfOneShape(all, part);
  HeadPlaces placed;
  for (const LayerPointer& layer : layers) {
    for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
      placed.heads.push_back({.head = {layer->layer(), head, part}});
    }
  }
  const std::int64_t count = std::ssize(placed.heads);
  if (count < 3 || count > kMostPlacedHeads) {
    return Fail(ErrorCode::kInput,
                fmt::format("Heads are placed where there are 3 to {}; this part has {}.",
                            kMostPlacedHeads,
                            count));
  }
  const std::int64_t keys = layers.front()->shape().keys;
  const std::int64_t of_a_row = count * (count - 1) / 2 * keys;
  const std::vector<std::int64_t> rows =
      RowsToCompare(*layers.front(),
                    std::clamp<std::int64_t>(kMostPlacingWeights / of_a_row, 1, kMostPlacingRows));
  if (rows.empty()) {
    return Fail(
        ErrorCode::kInput,
        "Every row of this text sees one key, and all heads are the same: type more words.");
  }
  placed.rows = std::ssize(rows);
  const auto n = placed.heads.size();
  const auto width = static_cast<std::size_t>(keys);
  std::vector<double> squared(n * n, 0.0);
  std::vector<float> weights(n * width);
  std::vector<double> logs(n);
  for (std::int64_t row = 0; row < placed.rows; ++row) {
    on_row(row, placed.rows);
    std::size_t at = 0;
    for (const LayerPointer& layer : layers) {
      HEADSCOPE_TRY(CheckStop(stop));
      for (std::int64_t head = 0; head < layer->shape().heads; ++head, ++at) {
        const auto own = std::span(weights).subspan(at * width, width);
        layer->Row(head, rows[static_cast<std::size_t>(row)], own);
        logs[at] = SumOfLogs(own.data(), keys);
      }
    }
    for (std::size_t one = 0; one < n; ++one) {
      HEADSCOPE_TRY(CheckStop(stop));
      for (std::size_t two = one + 1; two < n; ++two) {
        squared[one * n + two] += RowDivergence(weights.data() + one * width,
                                                weights.data() + two * width,
                                                keys,
                                                logs[one],
                                                logs[two]) /
                                  static_cast<double>(placed.rows);
      }
    }
  }
  for (std::size_t one = 0; one < n; ++one) {
    for (std::size_t two = 0; two < one; ++two) {
      squared[one * n + two] = squared[two * n + one];
    }
  }
  HEADSCOPE_TRY(const ScaledPlaces places, ScaleToPlane(std::move(squared), count, stop));
  for (std::size_t i = 0; i < n; ++i) {
    placed.heads[i].x = places.x[i];
    placed.heads[i].y = places.y[i];
  }
  placed.share_x = places.share_x;
  placed.share_y = places.share_y;
  return placed;
}

}  // namespace headscope

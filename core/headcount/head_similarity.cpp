#include "core/headcount/head_similarity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/eigenvalues.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

double Entropy(const float* row, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t key = 0; key < count; ++key) {
    const float p = row[key];
    if (p > 0.0F) {
      sum -= static_cast<double>(p * std::log(p));
    }
  }
  return sum;
}

double MixedEntropy(const float* one, const float* two, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t key = 0; key < count; ++key) {
    const float p = 0.5F * (one[key] + two[key]);
    if (p > 0.0F) {
      sum -= static_cast<double>(p * std::log(p));
    }
  }
  return sum;
}

// Keeps four sums side by side, so that they do not wait for one another.
double Dot(const float* one, const float* two, std::int64_t count) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::int64_t lane = 0; lane < 4; ++lane) {
      sums[lane] += static_cast<double>(one[i + lane]) * static_cast<double>(two[i + lane]);
    }
  }
  for (; i < count; ++i) {
    sums[0] += static_cast<double>(one[i]) * static_cast<double>(two[i]);
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

HeadSimilarity::HeadSimilarity(std::int64_t heads, std::int64_t keys, AttentionRule rule)
    : heads_(heads),
      keys_(keys),
      rule_(std::move(rule)),
      apart_(static_cast<std::size_t>(heads), 0.0),
      shared_(static_cast<std::size_t>(heads * heads), 0.0) {}

Status HeadSimilarity::Add(std::int64_t query_begin,
                           std::span<const float> weights,
                           const std::stop_token& stop) {
  const std::int64_t rows = std::ssize(weights) / (heads_ * keys_);
  HEADSCOPE_CHECK(rows * heads_ * keys_ == std::ssize(weights), "maps have a weight for each cell");
  std::vector<double> entropies(static_cast<std::size_t>(rows * heads_));
#pragma omp parallel default(none) shared(query_begin, weights, stop, rows, entropies)
  {
    const auto row_of = [&](std::int64_t head, std::int64_t row) {
      return weights.data() + (head * rows + row) * keys_;
    };
#pragma omp for schedule(static)
    for (std::int64_t at = 0; at < rows * heads_; ++at) {
      if (stop.stop_requested()) {
        continue;
      }
      const std::int64_t row = at / heads_;
      const std::int64_t first = rule_.FirstVisible(query_begin + row);
      const std::int64_t last = rule_.LastVisible(query_begin + row, keys_);
      entropies[static_cast<std::size_t>(at)] =
          Entropy(row_of(at % heads_, row) + first, last - first);
    }
    // All heads of a row are taken while they are in the cache; each head's sums are one thread's
    // work.
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t query = query_begin + row;
      const std::int64_t first = rule_.FirstVisible(query);
      const std::int64_t count = rule_.LastVisible(query, keys_) - first;
      const double* const entropy = entropies.data() + row * heads_;
#pragma omp for schedule(static, 1) nowait
      for (std::int64_t one = 0; one < heads_; ++one) {
        if (count < 1 || stop.stop_requested()) {
          continue;
        }
        const float* const own = row_of(one, row) + first;
        double apart = 0.0;
        for (std::int64_t two = 0; two <= one; ++two) {
          const float* const other = row_of(two, row) + first;
          shared_[static_cast<std::size_t>(one * heads_ + two)] += Dot(own, other, count);
          if (two < one && count >= 2) {
            const double mixed = MixedEntropy(own, other, count);
            apart += std::max(0.0, mixed - 0.5 * (entropy[one] + entropy[two]));
          }
        }
        apart_[static_cast<std::size_t>(one)] += apart;
      }
    }
  }
  HEADSCOPE_TRY(CheckStop(stop));
  for (std::int64_t row = 0; row < rows; ++row) {
    num_rows_ += rule_.SeesSeveral(query_begin + row, keys_) ? 1 : 0;
  }
  return {};
}

std::optional<double> HeadSimilarity::MeanDivergence() const {
  if (heads_ < 2 || num_rows_ == 0) {
    return std::nullopt;
  }
  const double pairs = 0.5 * static_cast<double>(heads_) * static_cast<double>(heads_ - 1);
  return std::accumulate(apart_.begin(), apart_.end(), 0.0) /
         (pairs * static_cast<double>(num_rows_));
}

double HeadSimilarity::EffectiveHeads() const {
  return EffectiveCount(shared_, heads_);
}

}  // namespace headscope

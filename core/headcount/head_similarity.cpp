#include "core/headcount/head_similarity.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/check.h"
#include "core/headcount/eigenvalues.h"

namespace headscope {
namespace {

tl::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kCancelled, "the comparison of heads was stopped");
}

const float* Row(const HeadMaps& maps, std::int64_t head, std::int64_t query) {
  return maps.weights.data() + (head * maps.queries + query) * maps.keys;
}

double Entropy(const float* row, std::int64_t first, std::int64_t last) {
  double sum = 0.0;
  for (std::int64_t key = first; key < last; ++key) {
    const float p = row[key];
    if (p > 0.0F) {
      sum -= static_cast<double>(p * std::log(p));
    }
  }
  return sum;
}

double MixedEntropy(const float* one, const float* two, std::int64_t first, std::int64_t last) {
  double sum = 0.0;
  for (std::int64_t key = first; key < last; ++key) {
    const float p = 0.5F * (one[key] + two[key]);
    if (p > 0.0F) {
      sum -= static_cast<double>(p * std::log(p));
    }
  }
  return sum;
}

// Four sums side by side, so that they do not wait for one another.
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

void CheckShape(const HeadMaps& maps) {
  HEADSCOPE_CHECK(
      static_cast<std::int64_t>(maps.weights.size()) == maps.heads * maps.queries * maps.keys,
      "maps have a weight for each cell");
}

}  // namespace

Result<std::optional<double>> MeanDivergence(const HeadMaps& maps,
                                             const AttentionRule& rule,
                                             std::stop_token stop) {
  CheckShape(maps);
  if (maps.heads < 2) {
    return std::optional<double>();
  }
  double sum = 0.0;
  std::int64_t rows = 0;
  std::vector<double> entropies(static_cast<std::size_t>(maps.heads));
  for (std::int64_t query = 0; query < maps.queries; ++query) {
    const std::int64_t first = rule.FirstVisible(query);
    const std::int64_t last = rule.LastVisible(query, maps.keys);
    if (last - first < 2) {
      continue;
    }
    ++rows;
    for (std::int64_t head = 0; head < maps.heads; ++head) {
      entropies[static_cast<std::size_t>(head)] = Entropy(Row(maps, head, query), first, last);
    }
    for (std::int64_t one = 0; one < maps.heads; ++one) {
      if (stop.stop_requested()) {
        return Stopped();
      }
      for (std::int64_t two = one + 1; two < maps.heads; ++two) {
        const double mixed =
            MixedEntropy(Row(maps, one, query), Row(maps, two, query), first, last);
        const double apart = mixed - 0.5 * (entropies[static_cast<std::size_t>(one)] +
                                            entropies[static_cast<std::size_t>(two)]);
        sum += std::max(0.0, apart);
      }
    }
  }
  if (rows == 0) {
    return std::optional<double>();
  }
  const double pairs = 0.5 * static_cast<double>(maps.heads) * static_cast<double>(maps.heads - 1);
  return std::optional<double>(sum / (pairs * static_cast<double>(rows)));
}

Result<double> EffectiveHeads(const HeadMaps& maps, std::stop_token stop) {
  CheckShape(maps);
  const std::int64_t heads = maps.heads;
  const std::int64_t cells = maps.queries * maps.keys;
  std::vector<double> gram(static_cast<std::size_t>(heads * heads));
  const auto at = [&gram, heads](std::int64_t row, std::int64_t col) -> double& {
    return gram[static_cast<std::size_t>(row * heads + col)];
  };
  for (std::int64_t one = 0; one < heads; ++one) {
    for (std::int64_t two = 0; two <= one; ++two) {
      if (stop.stop_requested()) {
        return Stopped();
      }
      at(one, two) = Dot(Row(maps, one, 0), Row(maps, two, 0), cells);
    }
  }
  std::vector<double> norms;
  for (std::int64_t head = 0; head < heads; ++head) {
    norms.push_back(std::sqrt(at(head, head)));
  }
  for (std::int64_t one = 0; one < heads; ++one) {
    for (std::int64_t two = 0; two <= one; ++two) {
      const double norm =
          norms[static_cast<std::size_t>(one)] * norms[static_cast<std::size_t>(two)];
      at(one, two) = norm > 0.0 ? at(one, two) / norm : 0.0;
    }
  }
  double entropy = 0.0;
  for (const double value : SymmetricEigenvalues(gram, heads)) {
    const double share = value / static_cast<double>(heads);
    if (share > 0.0) {
      entropy -= share * std::log(share);
    }
  }
  return std::clamp(std::exp(entropy), 1.0, std::max(1.0, static_cast<double>(heads)));
}

}  // namespace headscope

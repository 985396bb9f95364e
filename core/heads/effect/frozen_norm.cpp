#include "core/heads/effect/frozen_norm.h"

#include <cmath>
#include <numeric>

namespace headscope {
namespace {

double Mean(std::span<const double> row) {
  return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
}

// Returns what the norm subtracts from a row before it scales it.
double Center(NormKind kind, std::span<const double> row) {
  return kind == NormKind::kLayer ? Mean(row) : 0.0;
}

}  // namespace

double NormScale(const NormWeights& norm, std::span<const double> row) {
  const double center = Center(norm.kind, row);
  double square = 0.0;
  for (const double value : row) {
    square += (value - center) * (value - center);
  }
  return 1.0 / std::sqrt(square / static_cast<double>(row.size()) + norm.epsilon);
}

void ApplyFrozen(const NormWeights& norm, double scale, std::span<double> term) {
  const double center = Center(norm.kind, term);
  for (std::size_t i = 0; i < term.size(); ++i) {
    term[i] = (term[i] - center) * scale * static_cast<double>(norm.weight[i]);
  }
}

void PullBack(const NormWeights& norm, std::span<double> direction) {
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] *= static_cast<double>(norm.weight[i]);
  }
  const double center = Center(norm.kind, direction);
  for (double& value : direction) {
    value -= center;
  }
}

}  // namespace headscope

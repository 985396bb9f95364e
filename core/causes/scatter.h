// The mean of some numbers, and how far they lie around it.
//
// Cost     two passes, so that numbers far from 0 lose nothing.
#pragma once

#include <numeric>
#include <vector>

namespace headscope {

// Of one number at least.
[[nodiscard]] inline double MeanOfAll(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The sum of squared distances from the mean.
[[nodiscard]] inline double SquaresAroundMean(const std::vector<double>& values) {
  const double middle = MeanOfAll(values);
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - middle) * (value - middle);
  }
  return squares;
}

}  // namespace headscope

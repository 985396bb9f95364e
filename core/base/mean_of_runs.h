// What several runs say together: their mean, and how sure it is.
//
// Threads  plain values.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>

namespace headscope {

struct MeanOfRuns {
  double mean = 0.0;
  std::optional<double> error = {};  // the standard error of the mean; none for one run
  std::size_t runs = 0;
};

// Returns none where there is no value.
[[nodiscard]] inline std::optional<MeanOfRuns> MeanOfValues(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  MeanOfRuns found{.runs = values.size()};
  const auto count = static_cast<double>(values.size());
  for (const double value : values) {
    found.mean += value / count;
  }
  if (values.size() > 1) {
    double squares = 0.0;
    for (const double value : values) {
      squares += (value - found.mean) * (value - found.mean);
    }
    found.error = std::sqrt(squares / (count - 1.0) / count);
  }
  return found;
}

}  // namespace headscope

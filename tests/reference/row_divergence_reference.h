// The Jensen-Shannon divergence of two rows by the formula itself, in double: the reference for
// RowDivergence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace headscope {

inline double RowDivergenceReference(std::span<const float> one, std::span<const float> two) {
  double total = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double p = static_cast<double>(one[i]);
    const double q = static_cast<double>(two[i]);
    const double mean = 0.5 * (p + q);
    total += p > 0.0 ? 0.5 * p * std::log(p / mean) : 0.0;
    total += q > 0.0 ? 0.5 * q * std::log(q / mean) : 0.0;
  }
  return std::max(0.0, total);
}

}  // namespace headscope

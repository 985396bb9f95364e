// How far one output lies from another.
//
// Units    the Frobenius norm of the difference divided by that of the second; 0 if nothing
//          differs.
// Source   docs/reference.md, "split": output_difference.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace headscope {

// Both have the same shape.
template <typename Number>
[[nodiscard]] double RelativeDifference(std::span<const Number> own,
                                        std::span<const Number> trained) {
  double apart = 0.0;
  double norm = 0.0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double value = static_cast<double>(trained[i]);
    const double difference = static_cast<double>(own[i]) - value;
    apart += difference * difference;
    norm += value * value;
  }
  return apart > 0.0 ? std::sqrt(apart / norm) : 0.0;
}

}  // namespace headscope

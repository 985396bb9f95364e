#include "core/base/random.h"

#include <cmath>
#include <numbers>

namespace headscope {

double RandomStream::Uniform() {
  constexpr double kTwoToMinus53 = 1.0 / 9007199254740992.0;
  return static_cast<double>(engine_() >> 11U) * kTwoToMinus53;
}

double RandomStream::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  const double angle = 2.0 * std::numbers::pi * Uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t RandomStream::Below(std::uint64_t bound) {
  // Draws past the largest multiple of bound would favour small numbers.
  const std::uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  std::uint64_t draw = engine_();
  while (draw >= limit) {
    draw = engine_();
  }
  return draw % bound;
}

}  // namespace headscope

#include "core/heads/decide/statistics.h"

#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>

namespace headscope {

double StudentTail(double t, std::int64_t freedom) {
  const auto v = static_cast<double>(freedom);
  const double half = 0.5 * Eigen::numext::betainc(0.5 * v, 0.5, v / (v + t * t));
  return t >= 0.0 ? half : 1.0 - half;
}

double NormalTail(double z) {
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

}  // namespace headscope

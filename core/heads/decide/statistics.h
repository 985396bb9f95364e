// The two distributions that decisions need.
//
// Source   Student 1908, through the incomplete beta function of Eigen.
#pragma once

#include <cstdint>

namespace headscope {

// P(T > t), T of Student's distribution; freedom >= 1.
[[nodiscard]] double StudentTail(double t, std::int64_t freedom);
// P(Z > z), Z normal.
[[nodiscard]] double NormalTail(double z);

}  // namespace headscope

// Weights as matrices of doubles, for tests that compute a definition as it is written.
#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "core/model/read_weights.h"

namespace headscope::test {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Columns of a projection as a matrix from what it reads to what it makes [columns, in].
inline Eigen::MatrixXd ExactColumns(const Model& model,
                                    const LinearNeed& need,
                                    std::int64_t first,
                                    std::int64_t count) {
  const ProjectionColumns columns = ReadColumns(model, need, first, count);
  return Eigen::Map<const Floats>(columns.weight.data(), count, columns.in).cast<double>();
}

}  // namespace headscope::test

// Columns of a projection as a matrix of Eigen's.
//
// Threads  any.
#pragma once

#include <Eigen/Core>

#include "core/model/read_weights.h"

namespace headscope {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// [columns, in]; the columns outlive it.
[[nodiscard]] inline Eigen::Map<const FloatMatrix> MatrixOf(const ProjectionColumns& columns) {
  return {columns.weight.data(), columns.columns(), columns.in};
}

}  // namespace headscope

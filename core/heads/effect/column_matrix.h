// Columns of a projection, and rows of a table of the vocabulary, as matrices of Eigen's.
//
// Threads  any.
#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/Core>

#include "core/base/half.h"
#include "core/model/read_weights.h"

namespace headscope {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// [columns, in]; the columns outlive it.
[[nodiscard]] inline Eigen::Map<const FloatMatrix> MatrixOf(const ProjectionColumns& columns) {
  return {columns.weight.data(), columns.columns(), columns.in};
}

// Of a table as long as the vocabulary, so that no copy of all of it is made.
inline constexpr std::int64_t kTableRowsAtOnce = 4096;

[[nodiscard]] inline FloatMatrix TableRows(const TensorView& table,
                                           std::int64_t first,
                                           std::int64_t count) {
  FloatMatrix rows(count, table.shape[1]);
  ConvertToFloat(
      table, first * table.shape[1], {rows.data(), static_cast<std::size_t>(rows.size())});
  return rows;
}

// Tile by tile: column by column, as Eigen goes, a table of the vocabulary is read with a miss a cell.
[[nodiscard]] inline FloatMatrix Transposed(const FloatMatrix& matrix) {
  constexpr Eigen::Index kTile = 32;
  FloatMatrix turned(matrix.cols(), matrix.rows());
  for (Eigen::Index row = 0; row < matrix.rows(); row += kTile) {
    const Eigen::Index rows = std::min(kTile, matrix.rows() - row);
    for (Eigen::Index col = 0; col < matrix.cols(); col += kTile) {
      const Eigen::Index cols = std::min(kTile, matrix.cols() - col);
      turned.block(col, row, cols, rows) = matrix.block(row, col, rows, cols).transpose();
    }
  }
  return turned;
}

}  // namespace headscope

// Columns of a projection and rows of a vocabulary table as Eigen matrices.
#pragma once

#include <algorithm>
#include <cstdint>

#include <Eigen/Core>

#include "core/base/half.h"
#include "core/model/read_weights.h"

namespace headscope {

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Returns a view [columns, in]; `columns` outlives it.
[[nodiscard]] inline Eigen::Map<const FloatMatrix> MatrixOf(const ProjectionColumns& columns) {
  return {columns.weight.data(), columns.columns(), columns.in};
}

// Vocabulary tables are read this many rows at a time, so that no full copy is made.
inline constexpr std::int64_t kTableRowsAtOnce = 4096;

[[nodiscard]] inline FloatMatrix TableRows(const TensorView& table,
                                           std::int64_t first,
                                           std::int64_t count) {
  FloatMatrix rows(count, table.shape[1]);
  ConvertToFloat(
      table, first * table.shape[1], {rows.data(), static_cast<std::size_t>(rows.size())});
  return rows;
}

// Works in tiles: Eigen would go column by column, with a cache miss for every cell of a vocabulary
// table.
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

#include "tests/reference/comparison_reference.h"

#include <algorithm>
#include <cstddef>

#include "core/compare/shared_rows.h"
#include "tests/reference/row_divergence_reference.h"

namespace headscope {

std::vector<double> CompareLayerReference(const LayerAttention& a,
                                          const LayerAttention& b,
                                          const SharedAxis& queries,
                                          const SharedAxis& keys) {
  const bool has_rest = SharedRows::MayLack(a) || SharedRows::MayLack(b);
  const SharedRows of_a(a, queries, keys, Side::kA, has_rest);
  const SharedRows of_b(b, queries, keys, Side::kB, has_rest);
  std::vector<float> row_a(static_cast<std::size_t>(of_a.cols()));
  std::vector<float> row_b(row_a.size());
  std::vector<double> divergences;
  for (std::int64_t one = 0; one < of_a.heads(); ++one) {
    for (std::int64_t two = 0; two < of_b.heads(); ++two) {
      double sum = 0.0;
      std::int64_t rows = 0;
      for (std::int64_t row = 0; row < of_a.rows(); ++row) {
        if (!of_a.SeesSeveral(row) || !of_b.SeesSeveral(row)) {
          continue;
        }
        of_a.Make(one, row, row + 1, row_a);
        of_b.Make(two, row, row + 1, row_b);
        sum += RowDivergenceReference(row_a, row_b);
        ++rows;
      }
      divergences.push_back(sum / static_cast<double>(std::max<std::int64_t>(1, rows)));
    }
  }
  return divergences;
}

}  // namespace headscope

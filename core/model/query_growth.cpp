#include "core/model/query_growth.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace headscope {

double QueryGrowth::At(std::int64_t position) const {
  return 1.0 + strength * std::log1p(std::floor(static_cast<double>(position + first) / interval));
}

void GrowQueries(const QueryGrowth& growth,
                 std::int64_t position,
                 std::int64_t tokens,
                 Backend* backend,
                 Activations* queries) {
  std::vector<double> factors;
  for (std::int64_t row = 0; row < queries->rows(); ++row) {
    factors.push_back(growth.At(position + row % tokens));
  }
  ScaleRows(factors, backend, queries);
}

void ScaleRows(std::span<const double> factors, Backend* backend, Activations* inout) {
  std::vector<std::int64_t> rows(factors.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<double> added(factors.begin(), factors.end());
  for (double& factor : added) {
    factor -= 1.0;
  }
  backend->AddRows(*inout, rows, added, inout);
}

}  // namespace headscope

// Matrix products on a model's backend, for combining the weights of single heads.
//
// Shapes   left [n, m] x right [m, k] -> [n, k]
// Units    float32, or the backend's precision for products.
// Errors   the backend's; kCancelled.
// Threads  the backend's.
// Cost     n m k, and a copy of each matrix.
#pragma once

#include <stop_token>
#include <utility>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/heads/effect/column_matrix.h"

namespace headscope {

class WeightProduct {
 public:
  // The backend outlives this.
  WeightProduct(Backend* backend, std::stop_token stop)
      : backend_(*backend), stop_(std::move(stop)) {}

  [[nodiscard]] Result<FloatMatrix> operator()(const FloatMatrix& left,
                                               const FloatMatrix& right) const;
  // Returns left [n, m] x transpose of right [k, m], without making the transpose.
  [[nodiscard]] Result<FloatMatrix> TimesTransposed(const FloatMatrix& left,
                                                    const FloatMatrix& right) const;
  // Applies a projection to rows [n, in], including its bias: [n, columns].
  [[nodiscard]] Result<FloatMatrix> Project(const FloatMatrix& rows,
                                            const ProjectionColumns& columns) const;

 private:
  [[nodiscard]] Result<FloatMatrix> Times(const FloatMatrix& left,
                                          const FloatMatrix& right,
                                          WeightLayout layout) const;

  Backend& backend_;
  std::stop_token stop_;
};

}  // namespace headscope

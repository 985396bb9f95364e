// Products of matrices on a model's backend: what the weights of single heads make of one another.
//
// Shapes   left [n, m] x right [m, k] -> [n, k]
// Units    float32, or what the backend computes products in.
// Errors   what the backend returns; kCancelled.
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
  // left [n, m] x the transpose of right [k, m], which is not made.
  [[nodiscard]] Result<FloatMatrix> TimesTransposed(const FloatMatrix& left,
                                                    const FloatMatrix& right) const;
  // What a projection makes of rows [n, in], bias included: [n, columns].
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

#include "core/train/attention.h"

#include <algorithm>
#include <cmath>

#include "core/train/product.h"
#include "core/train/row_loops.h"

namespace headscope {
namespace {

template <typename T>
T ScoreScale(const TrainShape& shape) {
  return T(1) / std::sqrt(static_cast<T>(shape.head_dim));
}

}  // namespace

template <typename T>
Status Attend(const TrainShape& shape, const AttendedRow<T>& row, const std::stop_token& stop) {
  const std::int64_t width = shape.width();
  const std::int64_t length = row.length;
  const T scale = ScoreScale<T>(shape);
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const T* queries = row.qkv + head * shape.head_dim;
    T* map = row.maps + head * length * length;
    HEADSCOPE_TRY(Multiply<T>({.rows = length,
                               .inner = shape.head_dim,
                               .cols = length,
                               .left = queries,
                               .left_row = 3 * width,
                               .right = queries + width,
                               .right_step = 1,
                               .right_col = 3 * width,
                               .out = map,
                               .out_row = length,
                               .triangle = Triangle::kOutLower},
                              stop));
    for (std::int64_t query = 0; query < length; ++query) {
      ScaledSoftmax(scale, map + query * length, query + 1, length);
    }
    HEADSCOPE_TRY(Multiply<T>({.rows = length,
                               .inner = length,
                               .cols = shape.head_dim,
                               .left = map,
                               .left_row = length,
                               .right = queries + 2 * width,
                               .right_step = 3 * width,
                               .out = row.context + head * shape.head_dim,
                               .out_row = width,
                               .triangle = Triangle::kLeftLower},
                              stop));
  }
  return {};
}

template <typename T>
Status AttendBack(const TrainShape& shape,
                  const AttendedRowBack<T>& row,
                  const std::stop_token& stop) {
  const std::int64_t width = shape.width();
  const std::int64_t length = row.length;
  const T scale = ScoreScale<T>(shape);
  T* changes = row.map_gradient;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const T* queries = row.qkv + head * shape.head_dim;
    T* query_gradient = row.qkv_gradient + head * shape.head_dim;
    const T* context_gradient = row.context_gradient + head * shape.head_dim;
    const T* map = row.maps + head * length * length;
    HEADSCOPE_TRY(Multiply<T>({.rows = length,
                               .inner = shape.head_dim,
                               .cols = length,
                               .left = context_gradient,
                               .left_row = width,
                               .right = queries + 2 * width,
                               .right_step = 1,
                               .right_col = 3 * width,
                               .out = changes,
                               .out_row = length,
                               .triangle = Triangle::kOutLower},
                              stop));
    const auto add_to_keys = [&](const T* left, const T* right, std::int64_t right_step, T* out) {
      return Multiply<T>({.rows = length,
                          .inner = length,
                          .cols = shape.head_dim,
                          .left = left,
                          .left_row = 1,
                          .left_step = length,
                          .right = right,
                          .right_step = right_step,
                          .out = out,
                          .out_row = 3 * width,
                          .triangle = Triangle::kLeftUpper},
                         stop);
    };
    HEADSCOPE_TRY(add_to_keys(map, context_gradient, width, query_gradient + 2 * width));
    if (row.alikeness != nullptr) {
      row.alikeness->AddGradient(row.maps, head, row.factor, changes);
    }
    for (std::int64_t query = 0; query < length; ++query) {
      T* of_row = changes + query * length;
      SoftmaxBack(map + query * length, scale, of_row, query + 1);
      std::fill(of_row + query + 1, of_row + length, T(0));
    }
    HEADSCOPE_TRY(Multiply<T>({.rows = length,
                               .inner = length,
                               .cols = shape.head_dim,
                               .left = changes,
                               .left_row = length,
                               .right = queries + width,
                               .right_step = 3 * width,
                               .out = query_gradient,
                               .out_row = 3 * width,
                               .triangle = Triangle::kLeftLower},
                              stop));
    HEADSCOPE_TRY(add_to_keys(changes, queries, 3 * width, query_gradient + width));
  }
  return {};
}

template Status Attend(const TrainShape&, const AttendedRow<float>&, const std::stop_token&);
template Status Attend(const TrainShape&, const AttendedRow<double>&, const std::stop_token&);
template Status AttendBack(const TrainShape&,
                           const AttendedRowBack<float>&,
                           const std::stop_token&);
template Status AttendBack(const TrainShape&,
                           const AttendedRowBack<double>&,
                           const std::stop_token&);

}  // namespace headscope

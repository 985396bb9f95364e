// The attention of all heads of a layer on one row of a batch, forward and back, for float and double.
//
// Shapes   qkv [length, 3 width]: the queries of all heads, then their keys, then their values; maps
//          [heads, length, length]; context [length, width].
// Errors   kCancelled.
// Threads  pure; equal heads get equal bits.
// Cost     as Multiply (core/train/product.h).
#pragma once

#include <cstdint>
#include <stop_token>

#include "core/base/error.h"
#include "core/train/alikeness.h"
#include "core/train/settings.h"

namespace headscope {

template <typename T>
struct AttendedRow {
  std::int64_t length = 0;
  const T* qkv = nullptr;
  T* maps = nullptr;
  T* context = nullptr;
};

// Sets maps and context.
template <typename T>
[[nodiscard]] Status Attend(const TrainShape& shape,
                            const AttendedRow<T>& row,
                            const std::stop_token& stop);

template <typename T>
struct AttendedRowBack {
  std::int64_t length = 0;
  const T* qkv = nullptr;
  const T* maps = nullptr;
  const T* context_gradient = nullptr;
  T* map_gradient = nullptr;  // room for [length, length]
  T* qkv_gradient = nullptr;  // is set
  // What is minimised has so many times the sum of these cosines, too; null: it has not.
  const Alikeness<T>* alikeness = nullptr;
  T factor = T(0);
};
template <typename T>
[[nodiscard]] Status AttendBack(const TrainShape& shape,
                                const AttendedRowBack<T>& row,
                                const std::stop_token& stop);

}  // namespace headscope

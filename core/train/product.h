// Products of the small matrices of a training step, on one thread: a few rows and two registers of
// columns at a time, compiled for several instruction sets; at run time the widest usable one
// (core/compute/instruction_set.h) is chosen.
//
// Shapes   out [rows, cols] = left [rows, inner] x right [inner, cols], each with strides of its own,
//          so that a transpose is a pair of strides.
// Errors   kCancelled.
// Threads  pure. Every number is one chain of sums over `inner`, whatever its row and column: equal
//          columns give equal bits.
// Cost     near the processor's peak from some 16 rows and columns on; `stop` is polled about every
//          millisecond.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/base/error.h"

namespace headscope {

// What of the matrices is 0, or not wanted, and is left out.
enum class Triangle {
  kNone,
  kOutLower,   // out[row][col] is wanted for col <= row only; the rest may be left as it is
  kLeftLower,  // left[row][k] is 0 for k > row
  kLeftUpper,  // left[row][k] is 0 for k < row
};

template <typename T>
struct SmallProduct {
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t cols = 0;
  const T* left = nullptr;
  std::int64_t left_row = 0;  // from left[row][k] to left[row + 1][k]
  std::int64_t left_step = 1;
  const T* right = nullptr;
  std::int64_t right_step = 0;  // from right[k][col] to right[k + 1][col]
  std::int64_t right_col = 1;
  T* out = nullptr;
  std::int64_t out_row = 0;
  const T* bias = nullptr;  // [cols], added to every row, or null
  bool adds = false;        // to what `out` holds
  Triangle triangle = Triangle::kNone;
};

// For float and double.
template <typename T>
[[nodiscard]] Status Multiply(const SmallProduct<T>& product, const std::stop_token& stop);

// Returns all usable forms, the plainest first; Multiply uses the last.
template <typename T>
using MultiplyForm = Status (*)(const SmallProduct<T>& product, const std::stop_token& stop);
template <typename T>
[[nodiscard]] std::span<const MultiplyForm<T>> UsableMultiplyForms();

}  // namespace headscope

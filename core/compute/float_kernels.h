// The loops that run once per weight or activation, each compiled for several instruction sets; at
// run time the widest usable one (instruction_set.h) is chosen.
//
// Errors   none; NaN among the scores gives a summary whose inverse_sum is not above 0.
// Source   exp: 2^n exp(r) with r in [-ln 2 / 2, ln 2 / 2] and the Taylor series of exp to r^7,
//          relative error below 2e-7; tanh(x) = expm1(2x) / (expm1(2x) + 2); erfc(x) = exp(-x^2)
//          times a polynomial in 1 / (1 + x/2), our own least-squares fit, relative error 1e-7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/compute/backend.h"

namespace headscope {

struct SoftmaxSummary {
  float max = 0.0F;
  float inverse_sum = 0.0F;
};

struct NormRow {
  const float* in = nullptr;
  float* out = nullptr;  // may be `in`
  const float* weight = nullptr;
  const float* bias = nullptr;  // or null
  std::int64_t cols = 0;
  float epsilon = 0.0F;
  bool centred = true;  // true: layer norm; false: root mean square
};

// out[row][key] = scale (query[row] . key) in double; the rows, at most kMostRows, share the
// conversion of the keys to double.
struct ScoresInDouble {
  static constexpr std::int64_t kMostRows = 16;
  std::int64_t rows = 0;
  std::int64_t keys = 0;
  std::int64_t columns = 0;
  double scale = 1.0;
  const float* query = nullptr;
  std::int64_t query_stride = 0;
  const float* key = nullptr;
  std::int64_t key_stride = 0;
  double* out = nullptr;
  std::int64_t out_stride = 0;
};

struct FloatKernels {
  const char* name;
  // Turns scores into weights in place; softcap 0: none. count >= 1.
  SoftmaxSummary (*softmax)(float* row, std::int64_t count, float softcap);
  void (*scores_in_double)(const ScoresInDouble& scores);
  // Turns double scores into weights; the summary's max is the largest score, rounded.
  SoftmaxSummary (*softmax_of_doubles)(const double* scores, float* row, std::int64_t count);
  // Turns scores into weights in place, given the largest score and inverse sum of their whole row.
  void (*weights)(float* row, std::int64_t count, float softcap, SoftmaxSummary summary);
  void (*norm)(const NormRow& row);
  // Rotates (low, high) by the angle with the given cosine and sine.
  void (*rotate)(
      float* low, float* high, const float* cosine, const float* sine, std::int64_t pairs);
  void (*activate)(ActivationKind kind, float* inout, std::int64_t count);
  void (*add)(const float* term, float* inout, std::int64_t count);
  void (*multiply)(const float* factor, float* inout, std::int64_t count);
  void (*scale)(float factor, float* inout, std::int64_t count);
  float (*dot)(const float* a, const float* b, std::int64_t count);
  double (*dot_in_double)(const float* a, const float* b, std::int64_t count);
  void (*add_scaled)(float factor, const float* row, float* sum, std::int64_t count);
  // sum += row, max = the larger of max and row, element by element.
  void (*gather)(const float* row, float* sum, float* max, std::int64_t count);
  bool (*all_finite)(const float* values, std::int64_t count);
  // Converts stored numbers of two bytes, at any address, to float32; exact, keeping infinities and
  // NaN.
  void (*from_half)(const std::byte* stored, float* out, std::int64_t count);
  void (*from_bfloat16)(const std::byte* stored, float* out, std::int64_t count);
  // Rounds to nearest, ties to even; NaN stays NaN.
  void (*to_bfloat16)(const float* in, std::uint16_t* out, std::int64_t count);
};

[[nodiscard]] const FloatKernels& Kernels();

// All usable kernels, the plainest first; Kernels() is the last.
[[nodiscard]] std::span<const FloatKernels* const> UsableKernels();

}  // namespace headscope

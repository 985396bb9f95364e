// The loops of a training step that go over rows, forward and back, for float and double.
//
// Shapes   `count` numbers of one row, unless said; arrays of one call do not overlap.
// Errors   none.
// Threads  pure; each number is made in one order, so that equal rows give equal bits, with AVX2 and
//          without.
// Source   layer norm: Ba 2016; GELU, tanh form: Hendrycks 2016; Adam: Kingma 2015.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace headscope {

// Turns `count` scores, times `scale`, into weights in place, and sets those up to `all` to 0.
template <typename T>
void ScaledSoftmax(T scale, T* row, std::int64_t count, std::int64_t all);

// From the gradient of weights to that of the scores before `scale`, in place.
template <typename T>
void SoftmaxBack(const T* weights, T scale, T* gradient, std::int64_t count);

// normed = (in - mean) / spread, out = normed weight + bias; returns 1 / spread.
template <typename T>
T NormForward(const T* in, const T* weight, const T* bias, T* normed, T* out, std::int64_t count);

// Adds to the gradients of weight, bias and input.
template <typename T>
void NormBack(const T* gradient,
              const T* normed,
              const T* weight,
              T inverse_spread,
              T* weight_gradient,
              T* bias_gradient,
              T* in_gradient,
              std::int64_t count);

template <typename T>
void GeluForward(const T* in, T* out, std::int64_t count);
// gradient *= gelu'(in).
template <typename T>
void GeluBack(const T* in, T* gradient, std::int64_t count);

struct TokenLoss {
  double loss = 0.0;      // nats
  bool is_right = false;  // the target has the largest logit, of equal ones the first
};
// Turns logits into the gradient of weight * -log softmax[target], and returns that loss, without
// the weight.
template <typename T>
TokenLoss CrossEntropy(T* logits, std::int64_t target, double weight, std::int64_t count);

// sum[col] += row[col] of each of `rows` rows.
template <typename T>
void AddRows(
    const T* rows, std::int64_t row_count, std::int64_t stride, T* sum, std::int64_t count);

template <typename T>
[[nodiscard]] double SumOfSquares(const T* values, std::int64_t count);

struct AdamStep {
  double rate = 0.0;
  double factor = 1.0;        // of the gradient, where its norm is clipped
  double first_share = 1.0;   // 1 - beta_1^step
  double second_share = 1.0;  // 1 - beta_2^step
};
inline constexpr double kAdamFirst = 0.9;
inline constexpr double kAdamSecond = 0.99;
inline constexpr double kAdamEpsilon = 1e-8;
// The `step`th update, from 1, of a gradient of that norm: one longer than 1 is scaled down to it.
[[nodiscard]] inline AdamStep AdamStepOf(double rate, std::int64_t step, double norm) {
  const auto count = static_cast<double>(step);
  return {.rate = rate,
          .factor = std::min(1.0, 1.0 / (norm + 1e-6)),
          .first_share = 1.0 - std::pow(kAdamFirst, count),
          .second_share = 1.0 - std::pow(kAdamSecond, count)};
}

template <typename T>
void AdamUpdate(
    const AdamStep& step, const T* gradient, T* first, T* second, T* weights, std::int64_t count);

}  // namespace headscope

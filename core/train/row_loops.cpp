#include "core/train/row_loops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/compute/float_kernels.h"

namespace headscope {
namespace {

constexpr std::size_t kParts = 16;  // sums side by side, which the compiler keeps in registers
constexpr double kNormEpsilon = 1e-5;
constexpr double kTwiceRootTwoOverPi = 1.5957691216057308;
constexpr double kGeluCube = 0.044715;

// The sum of term(i) over i, in an order that depends on the count alone.
template <typename T, typename Term>
T SumOver(std::int64_t count, const Term& term) {
  T parts[kParts] = {};
  std::int64_t i = 0;
  for (; i + static_cast<std::int64_t>(kParts) <= count; i += static_cast<std::int64_t>(kParts)) {
    for (std::size_t part = 0; part < kParts; ++part) {
      parts[part] += term(i + static_cast<std::int64_t>(part));
    }
  }
  for (; i < count; ++i) {
    parts[0] += term(i);
  }
  for (std::size_t half = kParts / 2; half > 0; half /= 2) {
    for (std::size_t part = 0; part < half; ++part) {
      parts[part] += parts[part + half];
    }
  }
  return parts[0];
}

// Weights of the first `count` scores, and the largest score and the sum that they were made with.
void SoftmaxOf(float* row, std::int64_t count) {
  (void)Kernels().softmax(row, count, 0.0F);
}

void SoftmaxOf(double* row, std::int64_t count) {
  const double most = *std::max_element(row, row + count);
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] = std::exp(row[i] - most);
    sum += row[i];
  }
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] /= sum;
  }
}

template <typename T>
T SigmoidOf(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

}  // namespace

template <typename T>
void ScaledSoftmax(T scale, T* row, std::int64_t count, std::int64_t all) {
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] *= scale;
  }
  SoftmaxOf(row, count);
  std::fill(row + count, row + all, T(0));
}

template <typename T>
void SoftmaxBack(const T* weights, T scale, T* gradient, std::int64_t count) {
  const T mean = SumOver<T>(count, [&](std::int64_t i) { return weights[i] * gradient[i]; });
  for (std::int64_t i = 0; i < count; ++i) {
    gradient[i] = scale * weights[i] * (gradient[i] - mean);
  }
}

template <typename T>
T NormForward(const T* in, const T* weight, const T* bias, T* normed, T* out, std::int64_t count) {
  const T share = T(1) / static_cast<T>(count);
  const T mean = share * SumOver<T>(count, [&](std::int64_t i) { return in[i]; });
  const T variance =
      share * SumOver<T>(count, [&](std::int64_t i) { return (in[i] - mean) * (in[i] - mean); });
  const T inverse = T(1) / std::sqrt(variance + static_cast<T>(kNormEpsilon));
  for (std::int64_t i = 0; i < count; ++i) {
    normed[i] = (in[i] - mean) * inverse;
    out[i] = normed[i] * weight[i] + bias[i];
  }
  return inverse;
}

template <typename T>
void NormBack(const T* gradient,
              const T* normed,
              const T* weight,
              T inverse_spread,
              T* weight_gradient,
              T* bias_gradient,
              T* in_gradient,
              std::int64_t count) {
  const T share = T(1) / static_cast<T>(count);
  const T mean = share * SumOver<T>(count, [&](std::int64_t i) { return gradient[i] * weight[i]; });
  const T along = share * SumOver<T>(count, [&](std::int64_t i) {
                    return gradient[i] * weight[i] * normed[i];
                  });
  for (std::int64_t i = 0; i < count; ++i) {
    weight_gradient[i] += gradient[i] * normed[i];
    bias_gradient[i] += gradient[i];
    in_gradient[i] += inverse_spread * (gradient[i] * weight[i] - mean - normed[i] * along);
  }
}

template <typename T>
void GeluForward(const T* in, T* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T x = in[i];
    const T inside = x * (T(1) + static_cast<T>(kGeluCube) * x * x);
    out[i] = x * SigmoidOf(static_cast<T>(kTwiceRootTwoOverPi) * inside);
  }
}

template <typename T>
void GeluBack(const T* in, T* gradient, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T x = in[i];
    const auto slope = static_cast<T>(kTwiceRootTwoOverPi);
    const T share = SigmoidOf(slope * x * (T(1) + static_cast<T>(kGeluCube) * x * x));
    const T inside = slope * (T(1) + static_cast<T>(3.0 * kGeluCube) * x * x);
    gradient[i] *= share + x * share * (T(1) - share) * inside;
  }
}

template <typename T>
double CrossEntropy(T* logits, std::int64_t target, double weight, std::int64_t count) {
  const T most = *std::max_element(logits, logits + count);
  const auto own = static_cast<double>(logits[target]);
  const auto largest = static_cast<double>(most);
  SoftmaxOf(logits, count);
  // The largest one's weight is 1 / sum.
  const auto inverse_sum = static_cast<double>(*std::max_element(logits, logits + count));
  const auto factor = static_cast<T>(weight);
  for (std::int64_t i = 0; i < count; ++i) {
    logits[i] *= factor;
  }
  logits[target] -= factor;
  return largest - own - std::log(inverse_sum);
}

template <typename T>
void AddRows(
    const T* rows, std::int64_t row_count, std::int64_t stride, T* sum, std::int64_t count) {
  for (std::int64_t row = 0; row < row_count; ++row) {
    const T* from = rows + row * stride;
    for (std::int64_t i = 0; i < count; ++i) {
      sum[i] += from[i];
    }
  }
}

template <typename T>
double SumOfSquares(const T* values, std::int64_t count) {
  return SumOver<double>(count, [&](std::int64_t i) {
    return static_cast<double>(values[i]) * static_cast<double>(values[i]);
  });
}

template <typename T>
void AdamUpdate(
    const AdamStep& step, const T* gradient, T* first, T* second, T* weights, std::int64_t count) {
  const auto factor = static_cast<T>(step.factor);
  const auto keep_first = static_cast<T>(kAdamFirst);
  const auto keep_second = static_cast<T>(kAdamSecond);
  const auto take_first = static_cast<T>(1.0 - kAdamFirst);
  const auto take_second = static_cast<T>(1.0 - kAdamSecond);
  const auto rate = static_cast<T>(step.rate / step.first_share);
  const auto inverse_root = static_cast<T>(1.0 / std::sqrt(step.second_share));
  const auto epsilon = static_cast<T>(kAdamEpsilon);
  for (std::int64_t i = 0; i < count; ++i) {
    const T own = gradient[i] * factor;
    first[i] = keep_first * first[i] + take_first * own;
    second[i] = keep_second * second[i] + take_second * own * own;
    weights[i] -= rate * first[i] / (std::sqrt(second[i]) * inverse_root + epsilon);
  }
}

#define HEADSCOPE_ROW_LOOPS(T)                                                                     \
  template void ScaledSoftmax(T scale, T* row, std::int64_t count, std::int64_t all);              \
  template void SoftmaxBack(const T* weights, T scale, T* gradient, std::int64_t count);           \
  template T NormForward(                                                                          \
      const T* in, const T* weight, const T* bias, T* normed, T* out, std::int64_t count);         \
  template void NormBack(const T* gradient,                                                        \
                         const T* normed,                                                          \
                         const T* weight,                                                          \
                         T inverse_spread,                                                         \
                         T* weight_gradient,                                                       \
                         T* bias_gradient,                                                         \
                         T* in_gradient,                                                           \
                         std::int64_t count);                                                      \
  template void GeluForward(const T* in, T* out, std::int64_t count);                              \
  template void GeluBack(const T* in, T* gradient, std::int64_t count);                            \
  template double CrossEntropy(T* logits, std::int64_t target, double weight, std::int64_t count); \
  template void AddRows(                                                                           \
      const T* rows, std::int64_t row_count, std::int64_t stride, T* sum, std::int64_t count);     \
  template double SumOfSquares(const T* values, std::int64_t count);                               \
  template void AdamUpdate(const AdamStep& step,                                                   \
                           const T* gradient,                                                      \
                           T* first,                                                               \
                           T* second,                                                              \
                           T* weights,                                                             \
                           std::int64_t count);
HEADSCOPE_ROW_LOOPS(float)
HEADSCOPE_ROW_LOOPS(double)
#undef HEADSCOPE_ROW_LOOPS

}  // namespace headscope

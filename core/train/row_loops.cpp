#include "core/train/row_loops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/compute/float_functions.h"
#include "core/compute/float_kernels.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

constexpr std::size_t kParts = 16;  // sums side by side, which the compiler keeps in registers
constexpr double kNormEpsilon = 1e-5;
constexpr double kTwiceRootTwoOverPi = 1.5957691216057308;
constexpr double kGeluCube = 0.044715;

// The sum of term(i) over i, in an order that depends on the count alone.
template <typename T, typename Term>
HEADSCOPE_BODY T SumOver(std::int64_t count, const Term& term) {
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

template <typename T>
HEADSCOPE_BODY void ScaleBody(T scale, T* row, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] *= scale;
  }
}

template <typename T>
HEADSCOPE_BODY void SoftmaxBackBody(const T* __restrict weights,
                                    T scale,
                                    T* __restrict gradient,
                                    std::int64_t count) {
  const T mean = SumOver<T>(count, [&](std::int64_t i) { return weights[i] * gradient[i]; });
  for (std::int64_t i = 0; i < count; ++i) {
    gradient[i] = scale * weights[i] * (gradient[i] - mean);
  }
}

template <typename T>
HEADSCOPE_BODY T NormForwardBody(const T* __restrict in,
                                 const T* __restrict weight,
                                 const T* __restrict bias,
                                 T* __restrict normed,
                                 T* __restrict out,
                                 std::int64_t count) {
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
HEADSCOPE_BODY void NormBackBody(const T* __restrict gradient,
                                 const T* __restrict normed,
                                 const T* __restrict weight,
                                 T inverse_spread,
                                 T* __restrict weight_gradient,
                                 T* __restrict bias_gradient,
                                 T* __restrict in_gradient,
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
HEADSCOPE_BODY void AddRowsBody(const T* __restrict rows,
                                std::int64_t row_count,
                                std::int64_t stride,
                                T* __restrict sum,
                                std::int64_t count) {
  for (std::int64_t row = 0; row < row_count; ++row) {
    const T* from = rows + row * stride;
    for (std::int64_t i = 0; i < count; ++i) {
      sum[i] += from[i];
    }
  }
}

template <typename T>
HEADSCOPE_BODY double SumOfSquaresBody(const T* values, std::int64_t count) {
  return SumOver<double>(count, [&](std::int64_t i) {
    return static_cast<double>(values[i]) * static_cast<double>(values[i]);
  });
}

template <typename T>
HEADSCOPE_BODY void AdamBody(const AdamStep& step,
                             const T* __restrict gradient,
                             T* __restrict first,
                             T* __restrict second,
                             T* __restrict weights,
                             std::int64_t count) {
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

// Each loop in one form of instructions. Products and sums are not fused, so that all forms give the
// same bits.
template <typename T>
struct RowForms {
  void (*scale)(T, T*, std::int64_t);
  void (*softmax_back)(const T*, T, T*, std::int64_t);
  T (*norm_forward)(const T*, const T*, const T*, T*, T*, std::int64_t);
  void (*norm_back)(const T*, const T*, const T*, T, T*, T*, T*, std::int64_t);
  void (*add_rows)(const T*, std::int64_t, std::int64_t, T*, std::int64_t);
  double (*sum_of_squares)(const T*, std::int64_t);
  void (*adam)(const AdamStep&, const T*, T*, T*, T*, std::int64_t);
};

#define HEADSCOPE_ROW_FORMS(Suffix, target)                                                       \
  template <typename T>                                                                           \
  struct RowForms##Suffix {                                                                       \
    target static void Scale(T scale, T* row, std::int64_t count) {                               \
      ScaleBody(scale, row, count);                                                               \
    }                                                                                             \
    target static void SoftmaxBack(const T* weights, T scale, T* gradient, std::int64_t count) {  \
      SoftmaxBackBody(weights, scale, gradient, count);                                           \
    }                                                                                             \
    target static T NormForward(                                                                  \
        const T* in, const T* weight, const T* bias, T* normed, T* out, std::int64_t count) {     \
      return NormForwardBody(in, weight, bias, normed, out, count);                               \
    }                                                                                             \
    target static void NormBack(const T* gradient,                                                \
                                const T* normed,                                                  \
                                const T* weight,                                                  \
                                T inverse_spread,                                                 \
                                T* weight_gradient,                                               \
                                T* bias_gradient,                                                 \
                                T* in_gradient,                                                   \
                                std::int64_t count) {                                             \
      NormBackBody(gradient,                                                                      \
                   normed,                                                                        \
                   weight,                                                                        \
                   inverse_spread,                                                                \
                   weight_gradient,                                                               \
                   bias_gradient,                                                                 \
                   in_gradient,                                                                   \
                   count);                                                                        \
    }                                                                                             \
    target static void AddRows(                                                                   \
        const T* rows, std::int64_t row_count, std::int64_t stride, T* sum, std::int64_t count) { \
      AddRowsBody(rows, row_count, stride, sum, count);                                           \
    }                                                                                             \
    target static double SumOfSquares(const T* values, std::int64_t count) {                      \
      return SumOfSquaresBody(values, count);                                                     \
    }                                                                                             \
    target static void Adam(const AdamStep& step,                                                 \
                            const T* gradient,                                                    \
                            T* first,                                                             \
                            T* second,                                                            \
                            T* weights,                                                           \
                            std::int64_t count) {                                                 \
      AdamBody(step, gradient, first, second, weights, count);                                    \
    }                                                                                             \
    static constexpr RowForms<T> kForms = {                                                       \
        Scale, SoftmaxBack, NormForward, NormBack, AddRows, SumOfSquares, Adam};                  \
  };
HEADSCOPE_ROW_FORMS(Plain, )
#if defined(__x86_64__)
HEADSCOPE_ROW_FORMS(Avx2, __attribute__((target("avx2"))))
#endif
#undef HEADSCOPE_ROW_FORMS

template <typename T>
const RowForms<T>& Forms() {
#if defined(__x86_64__)
  static const bool kHasAvx2 = UsableAvx2();
  if (kHasAvx2) {
    return RowFormsAvx2<T>::kForms;
  }
#endif
  return RowFormsPlain<T>::kForms;
}

// The largest score, and 1 over the sum of exp(score - largest).
template <typename T>
struct RowSummary {
  T most = T(0);
  T inverse_sum = T(0);
};

// Turns the first `count` scores into weights.
RowSummary<float> SoftmaxOf(float* row, std::int64_t count) {
  const SoftmaxSummary summary = Kernels().softmax(row, count, 0.0F);
  return {summary.max, summary.inverse_sum};
}

RowSummary<double> SoftmaxOf(double* row, std::int64_t count) {
  const double most = *std::max_element(row, row + count);
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] = std::exp(row[i] - most);
    sum += row[i];
  }
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] /= sum;
  }
  return {most, 1.0 / sum};
}

template <typename T>
T SigmoidOf(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

}  // namespace

template <typename T>
void ScaledSoftmax(T scale, T* row, std::int64_t count, std::int64_t all) {
  Forms<T>().scale(scale, row, count);
  SoftmaxOf(row, count);
  std::fill(row + count, row + all, T(0));
}

template <typename T>
void SoftmaxBack(const T* weights, T scale, T* gradient, std::int64_t count) {
  Forms<T>().softmax_back(weights, scale, gradient, count);
}

template <typename T>
T NormForward(const T* in, const T* weight, const T* bias, T* normed, T* out, std::int64_t count) {
  return Forms<T>().norm_forward(in, weight, bias, normed, out, count);
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
  Forms<T>().norm_back(
      gradient, normed, weight, inverse_spread, weight_gradient, bias_gradient, in_gradient, count);
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
TokenLoss CrossEntropy(T* logits, std::int64_t target, double weight, std::int64_t count) {
  const T own = logits[target];
  // Of equal ones the first is what the model says.
  const bool is_first = std::find(logits, logits + target, own) == logits + target;
  const RowSummary<T> summary = SoftmaxOf(logits, count);
  const auto factor = static_cast<T>(weight);
  Forms<T>().scale(factor, logits, count);
  logits[target] -= factor;
  return {.loss = static_cast<double>(summary.most) - static_cast<double>(own) -
                  std::log(static_cast<double>(summary.inverse_sum)),
          .is_right = own == summary.most && is_first};
}

template <typename T>
void AddRows(
    const T* rows, std::int64_t row_count, std::int64_t stride, T* sum, std::int64_t count) {
  Forms<T>().add_rows(rows, row_count, stride, sum, count);
}

template <typename T>
double SumOfSquares(const T* values, std::int64_t count) {
  return Forms<T>().sum_of_squares(values, count);
}

template <typename T>
void AdamUpdate(
    const AdamStep& step, const T* gradient, T* first, T* second, T* weights, std::int64_t count) {
  Forms<T>().adam(step, gradient, first, second, weights, count);
}

#define HEADSCOPE_ROW_LOOPS(T)                                                                 \
  template void ScaledSoftmax(T scale, T* row, std::int64_t count, std::int64_t all);          \
  template void SoftmaxBack(const T* weights, T scale, T* gradient, std::int64_t count);       \
  template T NormForward(                                                                      \
      const T* in, const T* weight, const T* bias, T* normed, T* out, std::int64_t count);     \
  template void NormBack(const T* gradient,                                                    \
                         const T* normed,                                                      \
                         const T* weight,                                                      \
                         T inverse_spread,                                                     \
                         T* weight_gradient,                                                   \
                         T* bias_gradient,                                                     \
                         T* in_gradient,                                                       \
                         std::int64_t count);                                                  \
  template void GeluForward(const T* in, T* out, std::int64_t count);                          \
  template void GeluBack(const T* in, T* gradient, std::int64_t count);                        \
  template TokenLoss CrossEntropy(                                                             \
      T* logits, std::int64_t target, double weight, std::int64_t count);                      \
  template void AddRows(                                                                       \
      const T* rows, std::int64_t row_count, std::int64_t stride, T* sum, std::int64_t count); \
  template double SumOfSquares(const T* values, std::int64_t count);                           \
  template void AdamUpdate(const AdamStep& step,                                               \
                           const T* gradient,                                                  \
                           T* first,                                                           \
                           T* second,                                                          \
                           T* weights,                                                         \
                           std::int64_t count);
HEADSCOPE_ROW_LOOPS(float)
HEADSCOPE_ROW_LOOPS(double)
#undef HEADSCOPE_ROW_LOOPS

}  // namespace headscope

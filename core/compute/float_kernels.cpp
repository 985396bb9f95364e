#include "core/compute/float_kernels.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/compute/double_scores.h"
#include "core/compute/float_functions.h"
#include "core/compute/instruction_set.h"

#if defined(__x86_64__)
#define HEADSCOPE_HAS_TARGETS 1
#include <immintrin.h>
#else
#define HEADSCOPE_HAS_TARGETS 0
#endif

namespace headscope {
namespace {

// row[i] = exp(below(i)) / sum, where below(i) is how far score i lies below max.
template <typename Below>
HEADSCOPE_BODY SoftmaxSummary
WeightsOf(const Below& below, float max, float* __restrict row, std::int64_t count) {
  // Short float32 sums are added up in double: the sum of 8,192 equal terms keeps its digits.
  constexpr std::int64_t kShort = 256;
  double sum = 0.0;
  for (std::int64_t begin = 0; begin < count; begin += kShort) {
    const std::int64_t end = begin + kShort < count ? begin + kShort : count;
    float part = 0.0F;
#pragma omp simd reduction(+ : part)
    for (std::int64_t i = begin; i < end; ++i) {
      const float value = ExpOfNegative(below(i));
      row[i] = value;
      part += value;
    }
    sum += static_cast<double>(part);
  }
  const auto inverse_sum = static_cast<float>(1.0 / sum);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    row[i] *= inverse_sum;
  }
  return {max, inverse_sum};
}

HEADSCOPE_BODY SoftmaxSummary SoftmaxBody(float* row, std::int64_t count, float softcap) {
  if (softcap > 0.0F) {
    const float inverse = 1.0F / softcap;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      row[i] = softcap * Tanh(row[i] * inverse);
    }
  }
  float max = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : max)
  for (std::int64_t i = 0; i < count; ++i) {
    max = row[i] > max ? row[i] : max;
  }
  return WeightsOf([&](std::int64_t i) { return row[i] - max; }, max, row, count);
}

HEADSCOPE_BODY SoftmaxSummary SoftmaxOfDoublesBody(const double* __restrict scores,
                                                   float* __restrict row,
                                                   std::int64_t count) {
  double largest = -std::numeric_limits<double>::infinity();
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < count; ++i) {
    largest = scores[i] > largest ? scores[i] : largest;
  }
  if (largest > static_cast<double>(std::numeric_limits<float>::max())) {
    return {std::numeric_limits<float>::infinity(), 0.0F};
  }
  const auto max = static_cast<float>(largest);
  const auto base = static_cast<double>(max);
  return WeightsOf(
      [&](std::int64_t i) { return static_cast<float>(scores[i] - base); }, max, row, count);
}

// Recomputed scores may lie slightly above the largest: no weight may exceed 1.
HEADSCOPE_BODY void WeightsBody(float* row,
                                std::int64_t count,
                                float softcap,
                                SoftmaxSummary summary) {
  if (softcap > 0.0F) {
    const float inverse_cap = 1.0F / softcap;
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
      row[i] = softcap * Tanh(row[i] * inverse_cap);
    }
  }
  const float max = summary.max;
  const float inverse_sum = summary.inverse_sum;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const float weight = ExpOfNegative(row[i] - max) * inverse_sum;
    row[i] = weight < 1.0F ? weight : 1.0F;
  }
}

HEADSCOPE_BODY void NormBody(const NormRow& row) {
  const float* in = row.in;
  float* out = row.out;
  const float* weight = row.weight;
  const std::int64_t cols = row.cols;
  const float inverse_count = 1.0F / static_cast<float>(cols);
  float mean = 0.0F;
  if (row.centred) {
    float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < cols; ++i) {
      sum += in[i];
    }
    mean = sum * inverse_count;
  }
  float square = 0.0F;
#pragma omp simd reduction(+ : square)
  for (std::int64_t i = 0; i < cols; ++i) {
    const float d = in[i] - mean;
    square += d * d;
  }
  const float inverse = 1.0F / std::sqrt(square * inverse_count + row.epsilon);
  if (row.bias == nullptr) {
#pragma omp simd
    for (std::int64_t i = 0; i < cols; ++i) {
      out[i] = (in[i] - mean) * inverse * weight[i];
    }
    return;
  }
  const float* bias = row.bias;
#pragma omp simd
  for (std::int64_t i = 0; i < cols; ++i) {
    out[i] = (in[i] - mean) * inverse * weight[i] + bias[i];
  }
}

HEADSCOPE_BODY void RotateBody(
    float* low, float* high, const float* cosine, const float* sine, std::int64_t pairs) {
#pragma omp simd
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = low[i];
    const float b = high[i];
    low[i] = a * cosine[i] - b * sine[i];
    high[i] = b * cosine[i] + a * sine[i];
  }
}

HEADSCOPE_BODY void ActivateBody(ActivationKind kind, float* inout, std::int64_t count) {
  switch (kind) {
    // NOLINTNEXTLINE(bugprone-branch-clone): its parser sees nothing inside a simd loop
    case ActivationKind::kGelu:
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] = Gelu(inout[i]);
      }
      return;
    case ActivationKind::kGeluTanh:
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] = GeluTanh(inout[i]);
      }
      return;
    case ActivationKind::kRelu:
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] = inout[i] < 0.0F ? 0.0F : inout[i];
      }
      return;
    case ActivationKind::kReluSquared:
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] *= inout[i] < 0.0F ? 0.0F : inout[i];
      }
      return;
    case ActivationKind::kSigmoid:
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] = Sigmoid(inout[i]);
      }
      return;
    case ActivationKind::kSoftplus:
      for (std::int64_t i = 0; i < count; ++i) {
        const float rest = std::log1p(std::exp(-std::abs(inout[i])));
        inout[i] = (inout[i] < 0.0F ? 0.0F : inout[i]) + rest;
      }
      return;
    case ActivationKind::kQuickGelu:
    case ActivationKind::kSilu: {
      const float slope = kind == ActivationKind::kSilu ? 1.0F : 1.702F;
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] *= Sigmoid(slope * inout[i]);
      }
      return;
    }
    case ActivationKind::kSolu:  // of whole rows: the backend makes it
      return;
    case ActivationKind::kTanh:
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) {
        inout[i] = Tanh(inout[i]);
      }
      return;
  }
}

HEADSCOPE_BODY void AddBody(const float* term, float* inout, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    inout[i] += term[i];
  }
}

HEADSCOPE_BODY void MultiplyBody(const float* factor, float* inout, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    inout[i] *= factor[i];
  }
}

HEADSCOPE_BODY void ScaleBody(float factor, float* inout, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    inout[i] *= factor;
  }
}

// Several independent sums, so that none waits for the previous one.
HEADSCOPE_BODY float DotBody(const float* __restrict a,
                             const float* __restrict b,
                             std::int64_t count) {
  constexpr std::int64_t kSums = 32;
  float sums[kSums] = {};
  std::int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
#pragma omp simd
    for (std::int64_t k = 0; k < kSums; ++k) {
      sums[k] += a[i + k] * b[i + k];
    }
  }
  for (std::int64_t k = 0; i < count; ++i, ++k) {
    sums[k] += a[i] * b[i];
  }
  for (std::int64_t half = kSums / 2; half > 0; half /= 2) {
#pragma omp simd
    for (std::int64_t k = 0; k < half; ++k) {
      sums[k] += sums[k + half];
    }
  }
  return sums[0];
}

HEADSCOPE_BODY double DotInDoubleBody(const float* __restrict a,
                                      const float* __restrict b,
                                      std::int64_t count) {
  double sum = 0.0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

HEADSCOPE_BODY void AddScaledBody(float factor,
                                  const float* __restrict row,
                                  float* __restrict sum,
                                  std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    sum[i] += factor * row[i];
  }
}

HEADSCOPE_BODY void GatherBody(const float* __restrict row,
                               float* __restrict sum,
                               float* __restrict max,
                               std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    sum[i] += row[i];
    max[i] = row[i] > max[i] ? row[i] : max[i];
  }
}

HEADSCOPE_BODY bool AllFiniteBody(const float* values, std::int64_t count) {
  std::uint32_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFU;
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest < 0x7F800000U;
}

HEADSCOPE_BODY std::uint32_t TwoBytes(const std::byte* stored, std::int64_t i) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, stored + 2 * i, sizeof(bits));
  return bits;
}

HEADSCOPE_BODY void FromHalfBody(const std::byte* __restrict stored,
                                 float* __restrict out,
                                 std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bits = TwoBytes(stored, i);
    // Exponent and mantissa, shifted into place, are too small by 2^112; this holds for subnormals,
    // too.
    const float magnitude = std::bit_cast<float>((bits & 0x7FFFU) << 13U) * 0x1p112F;
    const std::uint32_t special = (bits & 0x7C00U) == 0x7C00U ? 0x7F800000U : 0U;
    out[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | special |
                                  (bits & 0x8000U) << 16U);
  }
}

HEADSCOPE_BODY void FromBfloat16Body(const std::byte* __restrict stored,
                                     float* __restrict out,
                                     std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    out[i] = std::bit_cast<float>(TwoBytes(stored, i) << 16U);
  }
}

HEADSCOPE_BODY void ToBfloat16Body(const float* __restrict in,
                                   std::uint16_t* __restrict out,
                                   std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(in[i]);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U;
    const std::uint32_t quiet = (bits >> 16U) | 0x40U;
    out[i] = static_cast<std::uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? quiet : rounded);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): they are an attribute and parts of names
#define HEADSCOPE_KERNELS(suffix, target, from_half)                                              \
  target void ScoresInDouble##suffix(const ScoresInDouble& scores) {                              \
    ScoresInDoubleBody(scores);                                                                   \
  }                                                                                               \
  target SoftmaxSummary Softmax##suffix(float* row, std::int64_t count, float softcap) {          \
    return SoftmaxBody(row, count, softcap);                                                      \
  }                                                                                               \
  target SoftmaxSummary SoftmaxOfDoubles##suffix(                                                 \
      const double* scores, float* row, std::int64_t count) {                                     \
    return SoftmaxOfDoublesBody(scores, row, count);                                              \
  }                                                                                               \
  target void Weights##suffix(                                                                    \
      float* row, std::int64_t count, float softcap, SoftmaxSummary summary) {                    \
    WeightsBody(row, count, softcap, summary);                                                    \
  }                                                                                               \
  target void Norm##suffix(const NormRow& row) {                                                  \
    NormBody(row);                                                                                \
  }                                                                                               \
  target void Rotate##suffix(                                                                     \
      float* low, float* high, const float* cosine, const float* sine, std::int64_t pairs) {      \
    RotateBody(low, high, cosine, sine, pairs);                                                   \
  }                                                                                               \
  target void Activate##suffix(ActivationKind kind, float* inout, std::int64_t count) {           \
    ActivateBody(kind, inout, count);                                                             \
  }                                                                                               \
  target void Add##suffix(const float* term, float* inout, std::int64_t count) {                  \
    AddBody(term, inout, count);                                                                  \
  }                                                                                               \
  target void Multiply##suffix(const float* factor, float* inout, std::int64_t count) {           \
    MultiplyBody(factor, inout, count);                                                           \
  }                                                                                               \
  target void Scale##suffix(float factor, float* inout, std::int64_t count) {                     \
    ScaleBody(factor, inout, count);                                                              \
  }                                                                                               \
  target float Dot##suffix(const float* a, const float* b, std::int64_t count) {                  \
    return DotBody(a, b, count);                                                                  \
  }                                                                                               \
  target double DotInDouble##suffix(const float* a, const float* b, std::int64_t count) {         \
    return DotInDoubleBody(a, b, count);                                                          \
  }                                                                                               \
  target void AddScaled##suffix(float factor, const float* row, float* sum, std::int64_t count) { \
    AddScaledBody(factor, row, sum, count);                                                       \
  }                                                                                               \
  target void Gather##suffix(const float* row, float* sum, float* max, std::int64_t count) {      \
    GatherBody(row, sum, max, count);                                                             \
  }                                                                                               \
  target bool AllFinite##suffix(const float* values, std::int64_t count) {                        \
    return AllFiniteBody(values, count);                                                          \
  }                                                                                               \
  target void FromBfloat16##suffix(const std::byte* stored, float* out, std::int64_t count) {     \
    FromBfloat16Body(stored, out, count);                                                         \
  }                                                                                               \
  target void ToBfloat16##suffix(const float* in, std::uint16_t* out, std::int64_t count) {       \
    ToBfloat16Body(in, out, count);                                                               \
  }                                                                                               \
  constexpr FloatKernels k##suffix##Kernels = {#suffix,                                           \
                                               Softmax##suffix,                                   \
                                               ScoresInDouble##suffix,                            \
                                               SoftmaxOfDoubles##suffix,                          \
                                               Weights##suffix,                                   \
                                               Norm##suffix,                                      \
                                               Rotate##suffix,                                    \
                                               Activate##suffix,                                  \
                                               Add##suffix,                                       \
                                               Multiply##suffix,                                  \
                                               Scale##suffix,                                     \
                                               Dot##suffix,                                       \
                                               DotInDouble##suffix,                               \
                                               AddScaled##suffix,                                 \
                                               Gather##suffix,                                    \
                                               AllFinite##suffix,                                 \
                                               from_half,                                         \
                                               FromBfloat16##suffix,                              \
                                               ToBfloat16##suffix};
// NOLINTEND(bugprone-macro-parentheses)

void FromHalfPlain(const std::byte* stored, float* out, std::int64_t count) {
  FromHalfBody(stored, out, count);
}
HEADSCOPE_KERNELS(Plain, , FromHalfPlain)
#if HEADSCOPE_HAS_TARGETS
// An instruction of its own for eight numbers.
__attribute__((target("avx2,f16c"))) void FromHalfByEight(const std::byte* stored,
                                                          float* out,
                                                          std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(stored + 2 * i));
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(halves));
  }
  FromHalfBody(stored + 2 * i, out + i, count - i);
}
HEADSCOPE_KERNELS(Avx2, __attribute__((target("avx2,fma"))), FromHalfByEight)
HEADSCOPE_KERNELS(Avx512,
                  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))),
                  FromHalfByEight)
#endif

constexpr const FloatKernels* kAllKernels[] = {&kPlainKernels,
#if HEADSCOPE_HAS_TARGETS
                                               &kAvx2Kernels,
                                               &kAvx512Kernels
#endif
};

}  // namespace

std::span<const FloatKernels* const> UsableKernels() {
  static const std::size_t kCount = CountUsableForms();
  return {kAllKernels, kCount};
}

const FloatKernels& Kernels() {
  return *UsableKernels().back();
}

}  // namespace headscope

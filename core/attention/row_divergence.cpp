#include "core/attention/row_divergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/attention/lane_log.h"
#include "core/attention/wide_log.h"
#include "core/compute/instruction_set.h"

#if defined(__x86_64__)
#define HEADSCOPE_HAS_TARGETS 1
#else
#define HEADSCOPE_HAS_TARGETS 0
#endif

namespace headscope {
namespace {

// (p + q) g(t), g(t) = (1 + t) ln(1 + t) + (1 - t) ln(1 - t).
HEADSCOPE_BODY float Cell(float p, float q) {
  const float both = p + q;
  const float low = p < q ? p : q;
  const float high = p < q ? q : p;
  constexpr float kTiny = 1e-30F;  // a cell that is 0 in both gives 0
  const float inverse = 1.0F / (both > kTiny ? both : 1.0F);
  const float t = (high - low) * inverse;
  // For nearly equal weights the logarithms cancel: use the series of g, sum of t^2k / (k (2k -
  // 1)).
  const float u = t * t;
  float series = 1.0F / 190.0F;
  series = series * u + 1.0F / 153.0F;
  series = series * u + 1.0F / 120.0F;
  series = series * u + 1.0F / 91.0F;
  series = series * u + 1.0F / 66.0F;
  series = series * u + 1.0F / 45.0F;
  series = series * u + 1.0F / 28.0F;
  series = series * u + 1.0F / 15.0F;
  series = series * u + 1.0F / 6.0F;
  series = series * u + 1.0F;
  const float near = u * series;
  // 1 + t and 1 - t without rounding t.
  const float more = 2.0F * high * inverse;
  const float less = 2.0F * low * inverse;
  const float safe = less > kTiny ? less : kTiny;
  const float far = more * LaneLog(more > 1.0F ? more : 1.0F) + less * LaneLog(safe);
  return both > kTiny ? both * (t < 0.5F ? near : far) : 0.0F;
}

// Sums in parallel lanes, then in double before float32 could lose digits.
HEADSCOPE_BODY double Sum(const float* one, const float* two, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kAtOnce = 16 * kLanes;
  double total = 0.0;
  std::int64_t i = 0;
  while (i + kLanes <= count) {
    const std::int64_t end = std::min(count / kLanes * kLanes, i + kAtOnce);
    float sums[kLanes] = {};
    for (; i < end; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += Cell(one[i + lane], two[i + lane]);
      }
    }
    for (const float sum : sums) {
      total += static_cast<double>(sum);
    }
  }
  for (; i < count; ++i) {
    total += static_cast<double>(Cell(one[i], two[i]));
  }
  return 0.25 * total;
}

// For x = p + q of two rows, or x of one row: sum x ln x, and sum x.
struct Logs {
  double logs = 0.0;
  double weight = 0.0;
};

HEADSCOPE_BODY Logs LogsOf(const float* one, const float* two, std::int64_t count) {
  constexpr float kTiny = 1e-30F;
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kAtOnce = 16 * kLanes;
  Logs total;
  for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
    const std::int64_t end = std::min(count, begin + kAtOnce);
    float logs[kLanes] = {};
    float weights[kLanes] = {};
    std::int64_t i = begin;
    const auto add = [&](std::int64_t lane) {
      const float x = two == nullptr ? one[i + lane] : one[i + lane] + two[i + lane];
      logs[lane] += x * LaneLog(x > kTiny ? x : 1.0F);
      weights[lane] += x;
    };
    for (; i + kLanes <= end; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        add(lane);
      }
    }
    for (std::int64_t lane = 0; i + lane < end; ++lane) {
      add(lane);
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      total.logs += static_cast<double>(logs[lane]);
      total.weight += static_cast<double>(weights[lane]);
    }
  }
  return total;
}

Logs LogsPlain(const float* one, const float* two, std::int64_t count) {
  return LogsOf(one, two, count);
}

double SumPlain(const float* one, const float* two, std::int64_t count) {
  return Sum(one, two, count);
}

#if HEADSCOPE_HAS_TARGETS
HEADSCOPE_AVX2 double SumAvx2(const float* one, const float* two, std::int64_t count) {
  return Sum(one, two, count);
}
HEADSCOPE_AVX2 Logs LogsAvx2(const float* one, const float* two, std::int64_t count) {
  return LogsOf(one, two, count);
}
HEADSCOPE_AVX512 double SumAvx512(const float* one, const float* two, std::int64_t count) {
  return Sum(one, two, count);
}
HEADSCOPE_AVX512 Logs LogsAvx512(const float* one, const float* two, std::int64_t count) {
  const __m512 tiny = _mm512_set1_ps(1e-30F);
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kAtOnce = 16 * kLanes;
  Logs total;
  for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
    const std::int64_t end = std::min(count, begin + kAtOnce);
    __m512 logs = _mm512_setzero_ps();
    __m512 weights = logs;
    for (std::int64_t i = begin; i < end; i += kLanes) {
      const __mmask16 lanes = LanesLeft(end, i);
      __m512 x = _mm512_maskz_loadu_ps(lanes, one + i);
      if (two != nullptr) {
        x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(lanes, two + i));
      }
      logs = _mm512_fmadd_ps(x, WideLog(_mm512_max_ps(x, tiny)), logs);
      weights = _mm512_add_ps(weights, x);
    }
    total.logs += static_cast<double>(_mm512_reduce_add_ps(logs));
    total.weight += static_cast<double>(_mm512_reduce_add_ps(weights));
  }
  return total;
}
#endif

struct DivergenceKernels {
  double (*sum)(const float* one, const float* two, std::int64_t count);
  Logs (*logs)(const float* one, const float* two, std::int64_t count);  // `two` may be null
};

const DivergenceKernels& ChosenKernels() {
  static const DivergenceKernels kChosen = [] {
#if HEADSCOPE_HAS_TARGETS
    if (UsableAvx512()) {
      return DivergenceKernels{SumAvx512, LogsAvx512};
    }
    if (UsableAvx2()) {
      return DivergenceKernels{SumAvx2, LogsAvx2};
    }
#endif
    return DivergenceKernels{SumPlain, LogsPlain};
  }();
  return kChosen;
}

}  // namespace

double RowDivergence(const float* one, const float* two, std::int64_t count) {
  return ChosenKernels().sum(one, two, count);
}

double SumOfLogs(const float* row, std::int64_t count) {
  return ChosenKernels().logs(row, nullptr, count).logs;
}

double RowDivergence(
    const float* one, const float* two, std::int64_t count, double sum_of_one, double sum_of_two) {
  constexpr double kAlike = 0.01;
  // With x = 2 m: sum m ln m = 1/2 (sum x ln x - ln 2 sum x).
  const Logs both = ChosenKernels().logs(one, two, count);
  const double apart =
      0.5 * (sum_of_one + sum_of_two - both.logs + std::numbers::ln2 * both.weight);
  return apart > kAlike * 0.5 * both.weight ? apart : RowDivergence(one, two, count);
}

}  // namespace headscope

#include "core/attention/row_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/compute/float_functions.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

// The largest of each lane, then the first cell as large. The last step overlaps the one before it.
HEADSCOPE_BODY std::size_t Peak(const float* row, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  float most = 0.0F;
  if (count >= kLanes) {
    float largest[kLanes] = {};
    for (std::int64_t i = 0; i < count; i += kLanes) {
      const float* const cells = row + std::min(i, count - kLanes);
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        largest[lane] = cells[lane] > largest[lane] ? cells[lane] : largest[lane];
      }
    }
    for (const float one : largest) {
      most = one > most ? one : most;
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      most = row[i] > most ? row[i] : most;
    }
  }
  std::int64_t place = 0;
  while (place < count && !(row[place] == most)) {
    ++place;
  }
  return static_cast<std::size_t>(place < count ? place : 0);
}

HEADSCOPE_BODY double Distance(const float* row, std::int64_t count, std::int64_t query) {
  constexpr std::int64_t kLanes = 8;
  double sums[kLanes] = {};
  double away[kLanes];
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    away[lane] = static_cast<double>(query - lane);
  }
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += static_cast<double>(row[i + lane]) * std::fabs(away[lane]);
      away[lane] -= static_cast<double>(kLanes);
    }
  }
  double total = 0.0;
  for (const double sum : sums) {
    total += sum;
  }
  for (; i < count; ++i) {
    total += static_cast<double>(row[i]) * static_cast<double>(std::abs(query - i));
  }
  return total;
}

HEADSCOPE_BODY double Product(const float* one, const float* other, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  double sums[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += static_cast<double>(one[i + lane]) * static_cast<double>(other[i + lane]);
    }
  }
  double total = 0.0;
  for (const double sum : sums) {
    total += sum;
  }
  for (; i < count; ++i) {
    total += static_cast<double>(one[i]) * static_cast<double>(other[i]);
  }
  return total;
}

struct Kernels {
  std::size_t (*peak)(const float* row, std::int64_t count);
  double (*distance)(const float* row, std::int64_t count, std::int64_t query);
  double (*product)(const float* one, const float* other, std::int64_t count);
};

constexpr Kernels kPlain = {[](const float* row, std::int64_t count) { return Peak(row, count); },
                            [](const float* row, std::int64_t count, std::int64_t query) {
                              return Distance(row, count, query);
                            },
                            [](const float* one, const float* other, std::int64_t count) {
                              return Product(one, other, count);
                            }};

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) std::size_t PeakAvx2(const float* row, std::int64_t count) {
  return Peak(row, count);
}
__attribute__((target("avx2,fma"))) double DistanceAvx2(const float* row,
                                                        std::int64_t count,
                                                        std::int64_t query) {
  return Distance(row, count, query);
}
__attribute__((target("avx2,fma"))) double ProductAvx2(const float* one,
                                                       const float* other,
                                                       std::int64_t count) {
  return Product(one, other, count);
}
#endif

const Kernels& Chosen() {
#if defined(__x86_64__)
  static const Kernels kChosen =
      UsableAvx2() ? Kernels{PeakAvx2, DistanceAvx2, ProductAvx2} : kPlain;
  return kChosen;
#else
  return kPlain;
#endif
}

}  // namespace

std::size_t RowPeak(std::span<const float> row) {
  return Chosen().peak(row.data(), std::ssize(row));
}

double RowDistance(std::span<const float> row, std::int64_t query) {
  return Chosen().distance(row.data(), std::ssize(row), query);
}

double RowProduct(std::span<const float> one, std::span<const float> other) {
  return Chosen().product(one.data(), other.data(), std::ssize(one));
}

}  // namespace headscope

#include "core/attention/row_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/attention/lane_log.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

HEADSCOPE_BODY double Entropy(const float* row, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  constexpr float kTiny = 1e-30F;  // a cell as dark as this gives 0
  double total = 0.0;
  for (std::int64_t first = 0; first < count; first += kLanes) {
    float rest[kLanes] = {};
    const float* cells = row + first;
    if (count - first < kLanes) {
      std::copy_n(cells, count - first, rest);
      cells = rest;
    }
    float parts[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float cell = cells[lane];
      parts[lane] = cell * LaneLog(cell > kTiny ? cell : 1.0F);
    }
    for (const float part : parts) {
      total -= static_cast<double>(part);
    }
  }
  return total;
}

using EntropyOfRow = double (*)(const float* row, std::int64_t count);

double EntropyPlain(const float* row, std::int64_t count) {
  return Entropy(row, count);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double EntropyAvx2(const float* row, std::int64_t count) {
  return Entropy(row, count);
}
#endif

EntropyOfRow ChooseEntropy() {
#if defined(__x86_64__)
  if (UsableAvx2()) {
    return EntropyAvx2;
  }
#endif
  return EntropyPlain;
}

}  // namespace

double RowEntropy(std::span<const float> row) {
  static const EntropyOfRow kEntropy = ChooseEntropy();
  return kEntropy(row.data(), static_cast<std::int64_t>(row.size()));
}

double RowEntropyReference(std::span<const float> row) {
  double total = 0.0;
  for (const float weight : row) {
    const auto a = static_cast<double>(weight);
    total -= a > 0.0 ? a * std::log(a) : 0.0;
  }
  return total;
}

}  // namespace headscope

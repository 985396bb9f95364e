#include "core/attention/weight_rows.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "core/attention/lane_log.h"
#include "core/attention/row_entropy.h"
#include "core/attention/row_shape.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

#if defined(__x86_64__)
// Written in vectors: as plain loops over lanes they stay scalar. Narrower processors lose by it, and
// go row by row.
constexpr std::int64_t kLanes = 16;
using Floats [[gnu::vector_size(64)]] = float;
using Ints [[gnu::vector_size(64)]] = std::int32_t;
using Halves [[gnu::vector_size(32)]] = float;
using Doubles [[gnu::vector_size(64)]] = double;
using Bytes [[gnu::vector_size(16)]] = std::int8_t;

// Sixteen cells of a row, zeros where it has ended.
HEADSCOPE_BODY void Load(const float* from, std::int64_t left, const float* end, Floats* to) {
  constexpr Ints kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  if (end - from >= kLanes) {
    Floats cells;
    std::memcpy(&cells, from, sizeof(cells));
    const auto count = static_cast<std::int32_t>(left < kLanes ? left : kLanes);
    *to = kLane < count ? cells : Floats{};
    return;
  }
  float cells[kLanes] = {};
  std::copy_n(from, left < kLanes ? left : kLanes, cells);
  std::memcpy(to, cells, sizeof(cells));
}

HEADSCOPE_BODY void AddInDouble(const Floats& parts, Doubles* low, Doubles* high) {
  Halves halves[2];
  std::memcpy(halves, &parts, sizeof(parts));
  *low += __builtin_convertvector(halves[0], Doubles);
  *high += __builtin_convertvector(halves[1], Doubles);
}

HEADSCOPE_BODY double Total(const Doubles& low, const Doubles& high) {
  double sums[kLanes / 2];
  const Doubles both = low + high;
  std::memcpy(sums, &both, sizeof(sums));
  double total = 0.0;
  for (const double sum : sums) {
    total += sum;
  }
  return total;
}

HEADSCOPE_BODY void Larger(const Floats& other, Floats* most) {
  *most = other > *most ? other : *most;
}

// Of the sixteen, halved four times.
HEADSCOPE_BODY float Largest(const Floats& cells) {
  Floats m = cells;
  Larger(__builtin_shufflevector(m, m, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7), &m);
  Larger(__builtin_shufflevector(m, m, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11), &m);
  Larger(__builtin_shufflevector(m, m, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13), &m);
  Larger(__builtin_shufflevector(m, m, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), &m);
  return m[0];
}

HEADSCOPE_BODY void Peaks(const WeightRows& rows, Peak* peaks) {
  const float* const end = rows.cells.data() + rows.cells.size();
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const RowPlace& row = rows.rows[i];
    const float* const from = rows.cells.data() + row.offset;
    Floats most = {};
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      Floats cells;
      Load(from + first, row.count - first, end, &cells);
      Larger(cells, &most);
    }
    const float largest = Largest(most);
    std::int64_t place = -1;
    std::int64_t equals = 0;
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      Floats cells;
      Load(from + first, row.count - first, end, &cells);
      std::uint64_t bytes[2];  // all bits of those that are as large
      const Bytes is_most = __builtin_convertvector(cells == largest, Bytes);
      std::memcpy(bytes, &is_most, sizeof(bytes));
      if (place < 0 && (bytes[0] | bytes[1]) != 0) {
        place = first + (bytes[0] != 0 ? std::countr_zero(bytes[0]) / 8
                                       : 8 + std::countr_zero(bytes[1]) / 8);
      }
      equals += (std::popcount(bytes[0]) + std::popcount(bytes[1])) / 8;
    }
    // A row without light is as large where it has ended; none is where cells are no numbers.
    equals = largest > 0.0F ? equals : row.count;
    const std::int64_t cell = row.offset + (place > 0 ? place : 0);
    peaks[i] = {largest, static_cast<std::int32_t>(equals), row.count > 0 ? cell : -1};
  }
}

// As LaneLog, for positive and normal numbers.
HEADSCOPE_BODY void Log(const Floats& x, Floats* log) {
  constexpr std::int32_t kRootHalfBits = 0x3F3504F3;
  constexpr float kLn2 = 0.693147181F;
  Ints bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const Ints shifted = bits - kRootHalfBits;
  const Ints power = shifted >> 23;
  const Ints of_f = (shifted & 0x007FFFFF) + kRootHalfBits;
  Floats f;
  std::memcpy(&f, &of_f, sizeof(f));
  const Floats s = (f - 1.0F) / (f + 1.0F);
  const Floats z = s * s;
  Floats series = z * (2.0F / 9.0F) + 2.0F / 7.0F;
  series = series * z + 2.0F / 5.0F;
  series = series * z + 2.0F / 3.0F;
  series = series * z * s + 2.0F * s;
  *log = __builtin_convertvector(power, Floats) * kLn2 + series;
}

HEADSCOPE_BODY double Entropies(const WeightRows& rows) {
  constexpr float kTiny = 1e-30F;  // a cell as dark as this gives 0
  const float* const end = rows.cells.data() + rows.cells.size();
  Doubles low = {};
  Doubles high = {};
  for (const RowPlace& row : rows.rows) {
    const float* const from = rows.cells.data() + row.offset;
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      Floats cells;
      Load(from + first, row.count - first, end, &cells);
      Floats log;
      Log(cells > kTiny ? cells : Floats{} + 1.0F, &log);
      AddInDouble(cells * log, &low, &high);
    }
  }
  return -Total(low, high);
}

HEADSCOPE_BODY double Distances(const WeightRows& rows) {
  constexpr Doubles kLow = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
  const float* const end = rows.cells.data() + rows.cells.size();
  Doubles low = {};
  Doubles high = {};
  for (const RowPlace& row : rows.rows) {
    const float* const from = rows.cells.data() + row.offset;
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      Floats cells;
      Load(from + first, row.count - first, end, &cells);
      Halves halves[2];
      std::memcpy(halves, &cells, sizeof(cells));
      const Doubles away = static_cast<double>(row.query - first) - kLow;
      const Doubles further = away - 8.0;
      low += __builtin_convertvector(halves[0], Doubles) * (away < 0.0 ? -away : away);
      high += __builtin_convertvector(halves[1], Doubles) * (further < 0.0 ? -further : further);
    }
  }
  return Total(low, high);
}

#endif

struct RowKernels {
  void (*peaks)(const WeightRows& rows, Peak* peaks);
  double (*entropies)(const WeightRows& rows);
  double (*distances)(const WeightRows& rows);
};

std::span<const float> CellsOf(const WeightRows& rows, const RowPlace& row) {
  return rows.cells.subspan(static_cast<std::size_t>(row.offset),
                            static_cast<std::size_t>(row.count));
}

// Row by row.
constexpr RowKernels kPlain = {
    [](const WeightRows& rows, Peak* peaks) {
      for (const RowPlace& row : rows.rows) {
        const std::span<const float> cells = CellsOf(rows, row);
        const std::size_t place = RowPeak(cells);
        const float most = cells.empty() ? 0.0F : cells[place];
        *peaks++ = {most,
                    static_cast<std::int32_t>(std::ranges::count(cells, most)),
                    cells.empty() ? -1 : row.offset + static_cast<std::int64_t>(place)};
      }
    },
    [](const WeightRows& rows) {
      double sum = 0.0;
      for (const RowPlace& row : rows.rows) {
        sum += RowEntropy(CellsOf(rows, row));
      }
      return sum;
    },
    [](const WeightRows& rows) {
      double sum = 0.0;
      for (const RowPlace& row : rows.rows) {
        sum += RowDistance(CellsOf(rows, row), row.query);
      }
      return sum;
    }};

#if defined(__x86_64__)
#define HEADSCOPE_WIDE __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")))
HEADSCOPE_WIDE void PeaksWide(const WeightRows& rows, Peak* peaks) {
  Peaks(rows, peaks);
}
HEADSCOPE_WIDE double EntropiesWide(const WeightRows& rows) {
  return Entropies(rows);
}
HEADSCOPE_WIDE double DistancesWide(const WeightRows& rows) {
  return Distances(rows);
}
#endif

const RowKernels& Chosen() {
#if defined(__x86_64__)
  static const RowKernels kChosen =
      UsableAvx512() ? RowKernels{PeaksWide, EntropiesWide, DistancesWide} : kPlain;
  return kChosen;
#else
  return kPlain;
#endif
}

}  // namespace

void FindPeaks(const WeightRows& rows, std::span<Peak> peaks) {
  Chosen().peaks(rows, peaks.data());
}

double SumOfEntropies(const WeightRows& rows) {
  return Chosen().entropies(rows);
}

double SumOfDistances(const WeightRows& rows) {
  return Chosen().distances(rows);
}

}  // namespace headscope

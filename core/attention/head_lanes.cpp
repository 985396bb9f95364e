#include "core/attention/head_lanes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/attention/lanes.h"
#include "core/attention/wide_log.h"
#include "core/attention/worth_threads.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

static_assert(kLanes == kLanesOfGroup);

constexpr std::int64_t kMostCells = 1 << 15;  // per group at a time: 128 KB

// Transposes a row of each head, [8][keys], to cells of eight heads, [keys][8]. A missing head's
// row is eight zeros with `step` 0.
struct EightRows {
  const float* from[kLanes];
  std::int64_t step[kLanes];
};

HEADSCOPE_BODY void TurnEight(const EightRows& rows, std::int64_t key, float* to) {
  Lanes a[kLanes];
  for (std::int64_t head = 0; head < kLanes; ++head) {
    a[head] = LoadLanes(rows.from[head] + key * rows.step[head]);
  }
  // Pairs, then fours, then eights.
  Lanes pairs[kLanes];
  for (std::int64_t i = 0; i < kLanes; i += 2) {
    pairs[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  Lanes fours[kLanes];
  for (std::int64_t i = 0; i < kLanes; i += 4) {
    for (std::int64_t j = 0; j < 2; ++j) {
      const Lanes low = pairs[i + j];
      const Lanes high = pairs[i + j + 2];
      fours[i + 2 * j] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * j + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (std::int64_t i = 0; i < 4; ++i) {
    const Lanes low = fours[i];
    const Lanes high = fours[i + 4];
    StoreLanes(__builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11), to + i * kLanes);
    StoreLanes(__builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15),
               to + (i + 4) * kLanes);
  }
}

// Transposes the first `count` of `keys` keys, and perhaps some more.
HEADSCOPE_BODY void Turn(const EightRows& rows, std::int64_t count, std::int64_t keys, float* to) {
  if (keys < kLanes) {
    for (std::int64_t key = 0; key < count; ++key) {
      for (std::int64_t head = 0; head < kLanes; ++head) {
        to[key * kLanes + head] = rows.from[head][key * rows.step[head]];
      }
    }
    return;
  }
  // The last step overlaps the previous one.
  for (std::int64_t begin = 0; begin < count; begin += kLanes) {
    const std::int64_t key = std::min(begin, keys - kLanes);
    TurnEight(rows, key, to + key * kLanes);
  }
}

HEADSCOPE_BODY void Peaks(std::span<const LaneRow> rows, LanePeaks* peaks) {
  for (const LaneRow& row : rows) {
    Lanes most = Lanes{} - 1.0F;
    LaneCounts cell = LaneCounts{} - 1;
    LaneCounts equals = {};
    for (std::int32_t key = 0; key < row.count; ++key) {
      const Lanes own = LoadLanes(row.cells + key * kLanes);
      const LaneCounts is_more = own > most;
      const LaneCounts is_equal = own == most;
      cell = is_more ? LaneCounts{} + key : cell;
      most = is_more ? own : most;
      equals = is_more ? LaneCounts{} + 1 : equals - is_equal;
    }
    StoreLanes(row.count > 0 ? most : Lanes{}, peaks->most);
    StoreLanes(cell, peaks->cell);
    StoreLanes(equals, peaks->equals);
    ++peaks;
  }
}

HEADSCOPE_BODY void Entropies(std::span<const LaneRow> rows, double* sums) {
  constexpr float kTiny = 1e-30F;       // a cell this small gives 0
  constexpr std::int32_t kAtOnce = 16;  // added in float32 before it could lose digits
  Doubles total;
  for (const LaneRow& row : rows) {
    for (std::int32_t begin = 0; begin < row.count; begin += kAtOnce) {
      const std::int32_t end = std::min(row.count, begin + kAtOnce);
      Lanes sum = {};
      for (std::int32_t key = begin; key < end; ++key) {
        const Lanes own = LoadLanes(row.cells + key * kLanes);
        sum += own * LogOfLanes(own > kTiny ? own : Lanes{} + 1.0F);
      }
      float part[kLanes];
      StoreLanes(sum, part);
      AddTo(InDouble(part), &total);
    }
  }
  StoreDoubles({-total.low, -total.high}, sums);
}

HEADSCOPE_BODY void AddTimes(const float* cells, double times, Doubles* sum) {
  const Doubles own = InDouble(cells);
  sum->low += own.low * times;
  sum->high += own.high * times;
}

HEADSCOPE_BODY void Distances(std::span<const LaneRow> rows, double* sums) {
  Doubles even;  // two sums, so that neither waits for itself
  Doubles odd;
  for (const LaneRow& row : rows) {
    auto away = static_cast<double>(row.query);
    std::int32_t key = 0;
    for (; key + 2 <= row.count; key += 2) {
      AddTimes(row.cells + key * kLanes, std::fabs(away), &even);
      AddTimes(row.cells + (key + 1) * kLanes, std::fabs(away - 1.0), &odd);
      away -= 2.0;
    }
    if (key < row.count) {
      AddTimes(row.cells + key * kLanes, std::fabs(away), &even);
    }
  }
  AddTo(odd, &even);
  StoreDoubles(even, sums);
}

HEADSCOPE_BODY void AddCell(std::span<const LaneRow> rows,
                            std::int64_t first_query,
                            const LanePeaks* peaks,
                            const LaneCell& cell,
                            Doubles* sum,
                            LaneCounts* on_peaks) {
  const auto place = static_cast<std::size_t>(cell.query - first_query);
  const LaneRow& row = rows[place];
  const std::int32_t key = cell.key - row.first;
  AddTo(InDouble(row.cells + key * kLanes), sum);
  *on_peaks -= LoadAs<LaneCounts>(peaks[place].cell) == key;
}

HEADSCOPE_BODY void Cells(std::span<const LaneRow> rows,
                          std::int64_t first_query,
                          const LanePeaks* peaks,
                          std::span<const LaneCell> cells,
                          LaneFound* found) {
  Doubles even;
  Doubles odd;
  LaneCounts on_peaks = {};
  std::size_t i = 0;
  for (; i + 2 <= cells.size(); i += 2) {
    AddCell(rows, first_query, peaks, cells[i], &even, &on_peaks);
    AddCell(rows, first_query, peaks, cells[i + 1], &odd, &on_peaks);
  }
  if (i < cells.size()) {
    AddCell(rows, first_query, peaks, cells[i], &even, &on_peaks);
  }
  AddTo(odd, &even);
  StoreDoubles(even, found->sums);
  StoreLanes(on_peaks, found->peaks);
}

void EntropiesPlain(std::span<const LaneRow> rows, double* sums) {
  Entropies(rows, sums);
}

#if defined(__x86_64__)
HEADSCOPE_AVX2 void EntropiesAvx2(std::span<const LaneRow> rows, double* sums) {
  Entropies(rows, sums);
}

// Handles two keys at once.
HEADSCOPE_AVX512 void EntropiesWide(std::span<const LaneRow> rows, double* sums) {
  const __m512 tiny = _mm512_set1_ps(1e-30F);
  constexpr std::int64_t kTwo = 2 * kLanes;
  constexpr std::int64_t kAtOnce = 16 * kTwo;  // added in float32 before it could lose digits
  __m512d total = _mm512_setzero_pd();
  for (const LaneRow& row : rows) {
    const std::int64_t count = row.count * kLanes;
    for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
      const std::int64_t end = std::min(count, begin + kAtOnce);
      __m512 sum = _mm512_setzero_ps();
      std::int64_t i = begin;
      for (; i + kTwo <= end; i += kTwo) {
        const __m512 cells = _mm512_loadu_ps(row.cells + i);
        sum = _mm512_fmadd_ps(cells, WideLog(_mm512_max_ps(cells, tiny)), sum);
      }
      if (i < end) {
        const __m512 cells = _mm512_maskz_loadu_ps(0xFF, row.cells + i);
        sum = _mm512_fmadd_ps(cells, WideLog(_mm512_max_ps(cells, tiny)), sum);
      }
      total = _mm512_add_pd(total, _mm512_cvtps_pd(_mm512_castps512_ps256(sum)));
      total = _mm512_add_pd(total, _mm512_cvtps_pd(_mm512_extractf32x8_ps(sum, 1)));
    }
  }
  _mm512_storeu_pd(sums, _mm512_sub_pd(_mm512_setzero_pd(), total));
}
#endif

struct LaneKernels {
  void (*turn)(const EightRows& rows, std::int64_t count, std::int64_t keys, float* to);
  void (*peaks)(std::span<const LaneRow> rows, LanePeaks* peaks);
  void (*entropies)(std::span<const LaneRow> rows, double* sums);
  void (*distances)(std::span<const LaneRow> rows, double* sums);
  void (*cells)(std::span<const LaneRow> rows,
                std::int64_t first_query,
                const LanePeaks* peaks,
                std::span<const LaneCell> cells,
                LaneFound* found);
};

// Makes one of each function for an instruction set.
// NOLINTBEGIN(bugprone-macro-parentheses): they are an attribute and parts of names
#define HEADSCOPE_LANE_KERNELS(name, target, entropies)                          \
  target void Turn##name(                                                        \
      const EightRows& rows, std::int64_t count, std::int64_t keys, float* to) { \
    Turn(rows, count, keys, to);                                                 \
  }                                                                              \
  target void Peaks##name(std::span<const LaneRow> rows, LanePeaks* peaks) {     \
    Peaks(rows, peaks);                                                          \
  }                                                                              \
  target void Distances##name(std::span<const LaneRow> rows, double* sums) {     \
    Distances(rows, sums);                                                       \
  }                                                                              \
  target void Cells##name(std::span<const LaneRow> rows,                         \
                          std::int64_t first_query,                              \
                          const LanePeaks* peaks,                                \
                          std::span<const LaneCell> cells,                       \
                          LaneFound* found) {                                    \
    Cells(rows, first_query, peaks, cells, found);                               \
  }                                                                              \
  constexpr LaneKernels k##name = {                                              \
      Turn##name, Peaks##name, entropies, Distances##name, Cells##name};
// NOLINTEND(bugprone-macro-parentheses)

HEADSCOPE_LANE_KERNELS(Plain, , EntropiesPlain)
#if defined(__x86_64__)
HEADSCOPE_LANE_KERNELS(Avx2, HEADSCOPE_AVX2, EntropiesAvx2)
HEADSCOPE_LANE_KERNELS(Avx512, HEADSCOPE_AVX512, EntropiesWide)
#endif

const LaneKernels& Chosen() {
#if defined(__x86_64__)
  static const LaneKernels kChosen = UsableAvx512() ? kAvx512 : (UsableAvx2() ? kAvx2 : kPlain);
  return kChosen;
#else
  return kPlain;
#endif
}

}  // namespace

void HeadLanes::Fill(const AttentionBlock& block,
                     const AttentionRule& rule,
                     std::int64_t group,
                     std::int64_t query_begin) {
  static constexpr float kZeros[kLanes] = {};
  group_ = group;
  lane_begin_ = std::max(block.head_begin - group, std::int64_t{0});
  lane_end_ = std::min(block.head_end - group, kLanes);
  query_begin_ = query_begin;
  // Makes room for everything that steps of eight keys write.
  const auto room_of = [&](std::int64_t last) {
    return std::min((last + kLanes - 1) / kLanes * kLanes, std::max(block.keys, last)) * kLanes;
  };
  rows_.clear();
  std::int64_t cells = 0;
  for (std::int64_t query = query_begin; query < block.query_end; ++query) {
    const std::int64_t first = rule.FirstVisible(query);
    const std::int64_t last = std::max(rule.LastVisible(query, block.keys), first);
    if (query > query_begin && cells + room_of(last) > kMostCells) {
      break;
    }
    rows_.push_back({nullptr,
                     static_cast<std::int32_t>(first),
                     static_cast<std::int32_t>(last - first),
                     static_cast<std::int32_t>(query - first)});
    cells += room_of(last);
  }
  if (cells_.size() < static_cast<std::size_t>(cells)) {
    cells_.resize(static_cast<std::size_t>(cells));
  }
  const std::int64_t map = (block.query_end - block.query_begin) * block.keys;
  const LaneKernels& kernels = Chosen();
  float* to = cells_.data();
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    LaneRow& row = rows_[place];
    const std::int64_t query = query_begin + static_cast<std::int64_t>(place);
    EightRows eight = {};
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const bool is_there = lane >= lane_begin_ && lane < lane_end_;
      eight.from[lane] = is_there ? block.weights.data() + (group + lane - block.head_begin) * map +
                                        (query - block.query_begin) * block.keys
                                  : kZeros;
      eight.step[lane] = is_there ? 1 : 0;
    }
    const std::int64_t last = row.first + row.count;
    kernels.turn(eight, std::min(last, block.keys), block.keys, to);
    row.cells = to + row.first * kLanes;
    to += room_of(last);
  }
}

void ReadInLanes(const AttentionBlock& block,
                 const AttentionRule& rule,
                 std::span<LaneReader* const> readers,
                 std::vector<HeadLanes>* room) {
  const std::int64_t first = block.head_begin / kLanes;
  const std::int64_t groups = (block.head_end + kLanes - 1) / kLanes - first;
  if (std::ssize(*room) < groups) {
    room->resize(static_cast<std::size_t>(groups));
  }
  const bool is_worth_threads = groups > 1 && IsWorthThreads(std::ssize(block.weights));
#pragma omp parallel for schedule(static) if (is_worth_threads)
  for (std::int64_t i = 0; i < groups; ++i) {
    HeadLanes& lanes = (*room)[static_cast<std::size_t>(i)];
    for (std::int64_t query = block.query_begin; query < block.query_end;
         query = lanes.query_end()) {
      lanes.Fill(block, rule, (first + i) * kLanes, query);
      for (LaneReader* reader : readers) {
        reader->OnLanes(lanes);
      }
    }
  }
}

void FindPeaks(std::span<const LaneRow> rows, std::span<LanePeaks> peaks) {
  Chosen().peaks(rows, peaks.data());
}

void SumEntropies(std::span<const LaneRow> rows, LaneSums& sums) {
  Chosen().entropies(rows, sums);
}

void SumDistances(std::span<const LaneRow> rows, LaneSums& sums) {
  Chosen().distances(rows, sums);
}

void FindCells(const HeadLanes& lanes,
               std::span<const LanePeaks> peaks,
               std::span<const LaneCell> cells,
               LaneFound* found) {
  Chosen().cells(lanes.rows(), lanes.query_begin(), peaks.data(), cells, found);
}

}  // namespace headscope

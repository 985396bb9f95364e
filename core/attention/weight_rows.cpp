#include "core/attention/weight_rows.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/attention/row_entropy.h"
#include "core/attention/row_shape.h"
#include "core/attention/wide_log.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

#if defined(__x86_64__)
// Written in vectors: as plain loops over lanes they stay scalar. Narrower processors lose by it, and
// go row by row.
constexpr std::int64_t kLanes = 16;

HEADSCOPE_AVX512_BODY __m512 CellsFrom(const float* row, std::int64_t first, __mmask16 lanes) {
  return _mm512_maskz_loadu_ps(lanes, row + first);
}

HEADSCOPE_AVX512 void PeaksWide(const WeightRows& rows, Peak* peaks) {
  for (const RowPlace& row : rows.rows) {
    const float* const from = rows.cells.data() + row.offset;
    __m512 most = _mm512_setzero_ps();
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      most = _mm512_max_ps(CellsFrom(from, first, LanesLeft(row.count, first)), most);
    }
    const float largest = _mm512_reduce_max_ps(most);
    const __m512 all_largest = _mm512_set1_ps(largest);
    std::int64_t place = -1;
    std::int32_t equals = 0;
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      const __mmask16 lanes = LanesLeft(row.count, first);
      const std::uint32_t is_most =
          _mm512_mask_cmp_ps_mask(lanes, CellsFrom(from, first, lanes), all_largest, _CMP_EQ_OQ);
      if (place < 0 && is_most != 0) {
        place = first + std::countr_zero(is_most);
      }
      equals += std::popcount(is_most);
    }
    // None is as large where cells are no numbers.
    const std::int64_t cell = row.offset + (place > 0 ? place : 0);
    *peaks++ = {largest, equals, row.count > 0 ? cell : -1};
  }
}

HEADSCOPE_AVX512_BODY void AddInDouble(__m512 parts, __m512d* low, __m512d* high) {
  *low = _mm512_add_pd(*low, _mm512_cvtps_pd(_mm512_castps512_ps256(parts)));
  *high = _mm512_add_pd(*high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(parts, 1)));
}

HEADSCOPE_AVX512 double EntropiesWide(const WeightRows& rows) {
  const __m512 tiny = _mm512_set1_ps(1e-30F);    // a cell as dark as this gives 0
  constexpr std::int64_t kAtOnce = 16 * kLanes;  // added in float32 before it could lose digits
  __m512d low = _mm512_setzero_pd();
  __m512d high = low;
  for (const RowPlace& row : rows.rows) {
    const float* const from = rows.cells.data() + row.offset;
    for (std::int64_t begin = 0; begin < row.count; begin += kAtOnce) {
      __m512 sum = _mm512_setzero_ps();
      for (std::int64_t first = begin; first < row.count && first < begin + kAtOnce;
           first += kLanes) {
        const __m512 cells = CellsFrom(from, first, LanesLeft(row.count, first));
        const __mmask16 is_lit = _mm512_cmp_ps_mask(cells, tiny, _CMP_GT_OQ);
        const __m512 log = WideLog(_mm512_mask_blend_ps(is_lit, _mm512_set1_ps(1.0F), cells));
        sum = _mm512_fmadd_ps(cells, log, sum);
      }
      AddInDouble(sum, &low, &high);
    }
  }
  return -_mm512_reduce_add_pd(_mm512_add_pd(low, high));
}

HEADSCOPE_AVX512 double DistancesWide(const WeightRows& rows) {
  const __m512d lane = _mm512_setr_pd(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0);
  __m512d low = _mm512_setzero_pd();
  __m512d high = low;
  for (const RowPlace& row : rows.rows) {
    const float* const from = rows.cells.data() + row.offset;
    for (std::int64_t first = 0; first < row.count; first += kLanes) {
      const __m512 cells = CellsFrom(from, first, LanesLeft(row.count, first));
      const __m512d away =
          _mm512_sub_pd(_mm512_set1_pd(static_cast<double>(row.query - first)), lane);
      low =
          _mm512_fmadd_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(cells)), _mm512_abs_pd(away), low);
      high = _mm512_fmadd_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(cells, 1)),
                             _mm512_abs_pd(_mm512_sub_pd(away, _mm512_set1_pd(8.0))),
                             high);
    }
  }
  return _mm512_reduce_add_pd(_mm512_add_pd(low, high));
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

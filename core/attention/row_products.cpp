#include "core/attention/row_products.h"

#include <algorithm>
#include <cstddef>

#include "core/attention/lanes.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

HEADSCOPE_BODY HalfDoubles FourCells(const float* from) {
  return __builtin_convertvector(LoadAs<HalfLanes>(from), HalfDoubles);
}

// Adds the products of kSide heads with kSide others, so that a cell is read once for several
// products. Missing heads are replaced by the last one, and their products are dropped.
template <std::size_t kSide>
HEADSCOPE_BODY void AddSquare(const RowsOfHeads& heads,
                              std::int64_t one,
                              std::int64_t two,
                              std::int64_t one_end,
                              double* sums) {
  constexpr auto kHeads = static_cast<std::int64_t>(kSide);
  const float* ones[kSide];
  const float* twos[kSide];
  for (std::int64_t i = 0; i < kHeads; ++i) {
    ones[i] = heads.rows + std::min(one + i, heads.heads - 1) * heads.stride;
    twos[i] = heads.rows + std::min(two + i, heads.heads - 1) * heads.stride;
  }
  HalfDoubles products[kSide][kSide] = {};
  for (std::int64_t cell = 0; cell < heads.count; cell += kCellsOfProduct) {
    HalfDoubles of_twos[kSide];
    for (std::int64_t i = 0; i < kHeads; ++i) {
      of_twos[i] = FourCells(twos[i] + cell);
    }
    for (std::int64_t i = 0; i < kHeads; ++i) {
      const HalfDoubles own = FourCells(ones[i] + cell);
      for (std::int64_t j = 0; j < kHeads; ++j) {
        products[i][j] += own * of_twos[j];
      }
    }
  }
  for (std::int64_t i = 0; i < kHeads && one + i < one_end; ++i) {
    for (std::int64_t j = 0; j < kHeads && two + j <= one + i; ++j) {
      const HalfDoubles& product = products[i][j];
      sums[(one + i) * (one + i + 1) / 2 + two + j] +=
          product[0] + product[1] + product[2] + product[3];
    }
  }
}

template <std::size_t kSide>
HEADSCOPE_BODY void AddRows(const RowsOfHeads& heads, std::int64_t first, double* sums) {
  const std::int64_t end = std::min(first + kRowsOfProduct, heads.heads);
  for (std::int64_t one = first; one < end; one += static_cast<std::int64_t>(kSide)) {
    for (std::int64_t two = 0; two <= one; two += static_cast<std::int64_t>(kSide)) {
      AddSquare<kSide>(heads, one, two, end, sums);
    }
  }
}

using AddRowsOf = void (*)(const RowsOfHeads& heads, std::int64_t first, double* sums);

void AddRowsPlain(const RowsOfHeads& heads, std::int64_t first, double* sums) {
  AddRows<2>(heads, first, sums);
}

#if defined(__x86_64__)
HEADSCOPE_AVX2 void AddRowsAvx2(const RowsOfHeads& heads, std::int64_t first, double* sums) {
  AddRows<2>(heads, first, sums);
}
// Uses twice as many registers.
HEADSCOPE_AVX512 void AddRowsAvx512(const RowsOfHeads& heads, std::int64_t first, double* sums) {
  AddRows<4>(heads, first, sums);
}
#endif

AddRowsOf ChooseAddRows() {
#if defined(__x86_64__)
  if (UsableAvx512()) {
    return AddRowsAvx512;
  }
  if (UsableAvx2()) {
    return AddRowsAvx2;
  }
#endif
  return AddRowsPlain;
}

}  // namespace

void AddProducts(const RowsOfHeads& heads, std::int64_t one, std::span<double> sums) {
  static const AddRowsOf kAddRows = ChooseAddRows();
  kAddRows(heads, one, sums.data());
}

}  // namespace headscope

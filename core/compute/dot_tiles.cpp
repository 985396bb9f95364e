#include "core/compute/dot_tiles.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/compute/instruction_set.h"
#include "core/compute/vector_code.h"

namespace headscope {
namespace {

// Adds the right half to the left one until one number is left. By shuffles: lanes whose address is
// taken leave their registers.
template <std::size_t kLanes>
HEADSCOPE_BODY float SumOf(const typename Register<float, kLanes>::Type& lanes) {
  if constexpr (kLanes == 16) {
    return SumOf<8>(__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15));
  } else if constexpr (kLanes == 8) {
    return SumOf<4>(__builtin_shufflevector(lanes, lanes, 0, 1, 2, 3) +
                    __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7));
  } else {
    const auto pair = lanes + __builtin_shufflevector(lanes, lanes, 2, 3, 2, 3);
    return pair[0] + pair[1];
  }
}

// Where a tile fetches what is read next, step by step: two rows of it, one in each half of a width.
struct Fetching {
  const std::byte* rows[2] = {};
  std::int64_t half = 0;
};

HEADSCOPE_BODY Fetching FetchingOf(const TileBlock& block, std::int64_t row) {
  const std::byte* first = block.next.from + row * block.next.stride;
  return {.rows = {first, row + 1 < block.next.rows ? first + block.next.stride : first},
          .half = block.width / 2};
}

HEADSCOPE_BODY void Fetch(const Fetching& fetching, std::int64_t at) {
  const bool second = at >= fetching.half;
  const std::int64_t in_row = second ? at - fetching.half : at;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(float));
  __builtin_prefetch(fetching.rows[second ? 1 : 0] + in_row * kBytes, 0, 2);
}

// Adds a tile of kRows by kCols products to `out`; of its columns only those that exist.
template <std::size_t kLanes, std::size_t kRows, std::size_t kCols, bool kFetches>
HEADSCOPE_BODY void AddTile(const TileBlock& block,
                            std::int64_t row,
                            std::int64_t col,
                            const Fetching& fetching) {
  using Lanes = typename Register<float, kLanes>::Type;
  // The shorter side stays in registers while the other passes by.
  constexpr bool kHoldsRows = kRows <= kCols;
  constexpr std::size_t kHeld = kHoldsRows ? kRows : kCols;
  constexpr std::size_t kPassing = kHoldsRows ? kCols : kRows;
  const auto cols = std::min(static_cast<std::size_t>(block.outputs - col), std::size_t{kCols});
  const float* in[kRows];
  for (std::size_t i = 0; i < kRows; ++i) {
    in[i] = block.in + (row + static_cast<std::int64_t>(i)) * block.in_stride;
  }
  const float* weights[kCols];
  for (std::size_t j = 0; j < kCols; ++j) {
    const auto at = static_cast<std::int64_t>(std::min(j, cols - 1));
    weights[j] = block.weights + (col + at) * block.weight_stride;
  }
  Lanes sums[kPassing][kHeld] = {};
  constexpr auto kStep = static_cast<std::int64_t>(kLanes);
  std::int64_t k = 0;
  for (; k + kStep <= block.width; k += kStep) {
    if constexpr (kFetches) {
      Fetch(fetching, k);
    }
    Lanes held[kHeld];
#pragma GCC unroll 8
    for (std::size_t h = 0; h < kHeld; ++h) {
      Load((kHoldsRows ? in[h] : weights[h]) + k, &held[h]);
    }
#pragma GCC unroll 12
    for (std::size_t p = 0; p < kPassing; ++p) {
      Lanes passing;
      Load((kHoldsRows ? weights[p] : in[p]) + k, &passing);
#pragma GCC unroll 8
      for (std::size_t h = 0; h < kHeld; ++h) {
        sums[p][h] += held[h] * passing;
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i) {
    float* out = block.out + (row + static_cast<std::int64_t>(i)) * block.stride + col;
#pragma GCC unroll 12
    for (std::size_t j = 0; j < kCols; ++j) {
      const float sum = SumOf<kLanes>(kHoldsRows ? sums[j][i] : sums[i][j]);
      if (j < cols) {
        out[j] += sum;
      }
    }
  }
  for (std::size_t i = 0; i < kRows && k < block.width; ++i) {
    float* out = block.out + (row + static_cast<std::int64_t>(i)) * block.stride + col;
    for (std::size_t j = 0; j < cols; ++j) {
      for (std::int64_t rest = k; rest < block.width; ++rest) {
        out[j] += in[i][rest] * weights[j][rest];
      }
    }
  }
}

template <std::size_t kLanes, std::size_t kRows, std::size_t kCols>
HEADSCOPE_BODY void AddRows(const TileBlock& block, std::int64_t row) {
  constexpr auto kStep = static_cast<std::int64_t>(kCols);
  std::int64_t tile =
      row / static_cast<std::int64_t>(kRows) * ((block.outputs + kStep - 1) / kStep);
  for (std::int64_t col = 0; col < block.outputs; col += kStep, ++tile) {
    if (2 * tile < block.next.rows) {
      AddTile<kLanes, kRows, kCols, true>(block, row, col, FetchingOf(block, 2 * tile));
    } else {
      AddTile<kLanes, kRows, kCols, false>(block, row, col, {});
    }
  }
}

// So many rows at once, then the rest as one tile of fewer rows and more columns.
template <std::size_t kLanes, std::size_t kRows, std::size_t kCols>
HEADSCOPE_BODY void AddBlock(const TileBlock& block) {
  static_assert(kRows == 4, "up to three rows are left over");
  constexpr auto kStep = static_cast<std::int64_t>(kRows);
  std::int64_t row = 0;
  for (; row + kStep <= block.rows; row += kStep) {
    AddRows<kLanes, kRows, kCols>(block, row);
  }
  constexpr std::size_t kSums = kRows * kCols;
  switch (block.rows - row) {
    case 3:
      return AddRows<kLanes, 3, kSums / 3>(block, row);
    case 2:
      return AddRows<kLanes, 2, kSums / 2>(block, row);
    case 1:
      return AddRows<kLanes, 1, kSums / 2>(block, row);
    default:
      return;
  }
}

void AddPlain(const TileBlock& block) {
  AddBlock<4, 4, 3>(block);
}
#if defined(__x86_64__)
HEADSCOPE_AVX2 void AddAvx2(const TileBlock& block) {
  AddBlock<8, 4, 3>(block);
}
HEADSCOPE_AVX512 void AddAvx512(const TileBlock& block) {
  AddBlock<16, 4, 6>(block);
}
constexpr std::array<AddTileBlock, 3> kForms = {AddPlain, AddAvx2, AddAvx512};
#else
constexpr std::array<AddTileBlock, 1> kForms = {AddPlain};
#endif

}  // namespace

std::span<const AddTileBlock> UsableDots() {
  static const std::size_t kCount = CountUsableForms();
  return std::span(kForms).first(kCount);
}

void AddDots(const TileBlock& block) {
  UsableDots().back()(block);
}

}  // namespace headscope

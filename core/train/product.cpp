#include "core/train/product.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "core/base/stop.h"
#include "core/compute/instruction_set.h"
#include "core/compute/vector_code.h"

namespace headscope {
namespace {

constexpr std::int64_t kInnerBlock = 256;  // steps of `right` that are packed at a time
// Rows and registers of columns of a tile: twelve sums, as many as the registers hold beside their
// factors.
constexpr std::size_t kTileSums = 12;
constexpr std::size_t kTileVectors = 2;
constexpr std::size_t kFewLanes = 4;  // of a register for the last few columns

// Where a tile stands, and which steps it adds up.
struct TilePlace {
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t cols = 0;  // that exist
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;   // one past it
  std::int64_t block_step = 0;  // the packed block's first
};

// Whether sums go on from what `out` holds.
template <typename T>
HEADSCOPE_BODY bool GoesOn(const SmallProduct<T>& product, const TilePlace& at) {
  return at.block_step > 0 || product.adds;
}

template <typename T>
HEADSCOPE_BODY const T* BiasOf(const SmallProduct<T>& product, const TilePlace& at) {
  return at.block_step == 0 && product.bias != nullptr ? product.bias + at.col : nullptr;
}

// Adds a row of sums to the first `count` columns.
template <typename T>
HEADSCOPE_BODY void AddRow(const T* sums, const T* bias, bool goes_on, std::int64_t count, T* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T sum = goes_on ? sums[i] + out[i] : sums[i];
    out[i] = bias != nullptr ? sum + bias[i] : sum;
  }
}

// The same for a whole tile, from the registers.
template <typename T, std::size_t kLanes, std::size_t kRows, std::size_t kVectors>
HEADSCOPE_BODY void StoreTile(typename Register<T, kLanes>::Type (&sums)[kRows][kVectors],
                              const T* bias,
                              bool goes_on,
                              T* out,
                              std::int64_t out_row) {
  using Lanes = typename Register<T, kLanes>::Type;
  if (goes_on) {
    const T* from = out;
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kVectors; ++j) {
        Lanes before;
        std::memcpy(&before, from + j * kLanes, sizeof(Lanes));
        sums[i][j] += before;
      }
      from += out_row;
    }
  }
  if (bias != nullptr) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kVectors; ++j) {
      Lanes added;
      std::memcpy(&added, bias + j * kLanes, sizeof(Lanes));
#pragma GCC unroll 12
      for (std::size_t i = 0; i < kRows; ++i) {
        sums[i][j] += added;
      }
    }
  }
#pragma GCC unroll 12
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kVectors; ++j) {
      std::memcpy(out + j * kLanes, &sums[i][j], sizeof(Lanes));
    }
    out += out_row;
  }
}

template <typename T, std::size_t kLanes, std::size_t kRows, std::size_t kVectors>
HEADSCOPE_BODY void MultiplyTile(const SmallProduct<T>& product,
                                 const TilePlace& at,
                                 const T* packed) {
  using Lanes = typename Register<T, kLanes>::Type;
  constexpr auto kWidth = static_cast<std::int64_t>(kLanes * kVectors);
  // Three rows to a pointer: as many as registers hold addresses for.
  constexpr std::size_t kThree = 3;
  constexpr std::size_t kPointers = (kRows + kThree - 1) / kThree;
  const std::int64_t left_row = product.left_row;
  const T* left[kPointers];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < kPointers; ++i) {
    left[i] = product.left + (at.row + static_cast<std::int64_t>(kThree * i)) * left_row +
              at.first_step * product.left_step;
  }
  const T* right = packed + (at.first_step - at.block_step) * kWidth;
  Lanes sums[kRows][kVectors];
#pragma GCC unroll 12
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kVectors; ++j) {
      sums[i][j] = Lanes{};
    }
  }
  const std::int64_t left_step = product.left_step;
  for (std::int64_t step = at.first_step; step < at.last_step; ++step) {
    Lanes columns[kVectors];
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kVectors; ++j) {
      std::memcpy(&columns[j], right + j * kLanes, sizeof(Lanes));
    }
    right += kWidth;
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kRows; ++i) {
      const T one = left[i / kThree][static_cast<std::int64_t>(i % kThree) * left_row];
#pragma GCC unroll 4
      for (std::size_t j = 0; j < kVectors; ++j) {
        sums[i][j] += one * columns[j];
      }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kPointers; ++i) {
      left[i] += left_step;
    }
  }
  const bool goes_on = GoesOn(product, at);
  const T* bias = BiasOf(product, at);
  T* out = product.out + at.row * product.out_row + at.col;
  if (at.cols == kWidth) {
    StoreTile<T, kLanes, kRows, kVectors>(sums, bias, goes_on, out, product.out_row);
    return;
  }
  // By way of memory: one loop over rows compiles in a tenth of the time of twelve written out.
  T tile[kRows * kVectors * kLanes];
#pragma GCC unroll 12
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (std::size_t j = 0; j < kVectors; ++j) {
      std::memcpy(tile + (i * kVectors + j) * kLanes, &sums[i][j], sizeof(Lanes));
    }
  }
#pragma GCC unroll 1
  for (std::size_t i = 0; i < kRows; ++i) {
    AddRow<T>(tile + i * kVectors * kLanes, bias, goes_on, at.cols, out);
    out += product.out_row;
  }
}

// Rows of the next smaller tile: 12, 8, 4, 2, 1 or 6, 4, 2, 1. So 64 and 80 rows leave no single one.
constexpr std::size_t SmallerTile(std::size_t rows) {
  return rows > 8 ? 8 : rows > 4 ? 4 : rows / 2;
}

template <typename T, std::size_t kLanes, std::size_t kRows, std::size_t kVectors>
HEADSCOPE_BODY void MultiplySomeRows(const SmallProduct<T>& product,
                                     std::int64_t rows,
                                     const TilePlace& at,
                                     const T* packed) {
  if (rows >= static_cast<std::int64_t>(kRows)) {
    MultiplyTile<T, kLanes, kRows, kVectors>(product, at, packed);
  } else if constexpr (kRows > 1) {
    MultiplySomeRows<T, kLanes, SmallerTile(kRows), kVectors>(product, rows, at, packed);
  }
}

template <std::size_t kVectors, std::size_t kLanes, typename T>
HEADSCOPE_BODY void PackColumns(const SmallProduct<T>& product,
                                const TilePlace& at,
                                std::int64_t steps,
                                T* packed) {
  constexpr auto kWidth = static_cast<std::int64_t>(kLanes * kVectors);
  const T* from = product.right + at.block_step * product.right_step + at.col * product.right_col;
  for (std::int64_t step = 0; step < steps; ++step) {
    T* to = packed + step * kWidth;
    if (product.right_col == 1 && at.cols >= kWidth) {
      std::memcpy(to, from, static_cast<std::size_t>(kWidth) * sizeof(T));
    } else {
      for (std::int64_t col = 0; col < kWidth; ++col) {
        to[col] = col < at.cols ? from[col * product.right_col] : T(0);
      }
    }
    from += product.right_step;
  }
}

// One pack of columns, for one block of steps: all rows.
template <typename T, std::size_t kLanes, std::size_t kVectors>
HEADSCOPE_BODY void MultiplyColumns(const SmallProduct<T>& product,
                                    TilePlace at,
                                    std::int64_t steps) {
  constexpr auto kWidth = static_cast<std::int64_t>(kLanes * kVectors);
  constexpr std::size_t kTileRows = kTileSums / kVectors;
  constexpr auto kStep = static_cast<std::int64_t>(kTileRows);
  alignas(64) T packed[static_cast<std::size_t>(kInnerBlock * kWidth)];
  at.cols = std::min(kWidth, product.cols - at.col);
  PackColumns<kVectors, kLanes>(product, at, steps, packed);
  const std::int64_t begin =
      product.triangle == Triangle::kOutLower ? at.col / kStep * kStep : std::int64_t{0};
  for (at.row = begin; at.row < product.rows;) {
    std::int64_t rows = std::min(kStep, product.rows - at.row);
    for (std::size_t tile = kTileRows; rows < kStep;) {
      tile = SmallerTile(tile);
      if (static_cast<std::int64_t>(tile) <= rows) {
        rows = static_cast<std::int64_t>(tile);
        break;
      }
    }
    at.first_step = at.block_step;
    at.last_step = at.block_step + steps;
    if (product.triangle == Triangle::kLeftLower) {
      at.last_step = std::min(at.last_step, at.row + rows);
    } else if (product.triangle == Triangle::kLeftUpper) {
      at.first_step = std::max(at.first_step, at.row);
    }
    at.last_step = std::max(at.first_step, at.last_step);
    MultiplySomeRows<T, kLanes, kTileRows, kVectors>(product, rows, at, packed);
    at.row += rows;
  }
}

template <typename T, std::size_t kLanes>
HEADSCOPE_BODY Status MultiplyAll(const SmallProduct<T>& given, const std::stop_token& stop) {
  const SmallProduct<T> product = given;  // a copy, which no store can change
  constexpr auto kNarrow = static_cast<std::int64_t>(kLanes);
  std::int64_t step = 0;
  do {
    const std::int64_t steps = std::min(kInnerBlock, product.inner - step);
    for (std::int64_t col = 0; col < product.cols;) {
      HEADSCOPE_TRY(CheckStop(stop));
      TilePlace at{.col = col, .block_step = step};
      if (kLanes > kFewLanes && product.cols - col <= static_cast<std::int64_t>(kFewLanes)) {
        MultiplyColumns<T, kFewLanes, 1>(product, at, steps);
        col += kNarrow;
      } else if (product.cols - col <= kNarrow) {
        MultiplyColumns<T, kLanes, 1>(product, at, steps);
        col += kNarrow;
      } else {
        MultiplyColumns<T, kLanes, kTileVectors>(product, at, steps);
        col += kNarrow * static_cast<std::int64_t>(kTileVectors);
      }
    }
    step += steps;
  } while (step < product.inner);
  return {};
}

template <typename T>
Status MultiplyPlain(const SmallProduct<T>& product, const std::stop_token& stop) {
  return MultiplyAll<T, 16 / sizeof(T)>(product, stop);
}
#if defined(__x86_64__)
template <typename T>
HEADSCOPE_AVX2 Status MultiplyAvx2(const SmallProduct<T>& product, const std::stop_token& stop) {
  return MultiplyAll<T, 32 / sizeof(T)>(product, stop);
}
template <typename T>
HEADSCOPE_AVX512 Status MultiplyAvx512(const SmallProduct<T>& product,
                                       const std::stop_token& stop) {
  return MultiplyAll<T, 64 / sizeof(T)>(product, stop);
}
template <typename T>
constexpr std::array<MultiplyForm<T>, 3> kMultiplyForms = {
    MultiplyPlain<T>, MultiplyAvx2<T>, MultiplyAvx512<T>};
#else
template <typename T>
constexpr std::array<MultiplyForm<T>, 1> kMultiplyForms = {MultiplyPlain<T>};
#endif

}  // namespace

template <typename T>
std::span<const MultiplyForm<T>> UsableMultiplyForms() {
  static const std::size_t kCount = CountUsableForms();
  return std::span(kMultiplyForms<T>).first(kCount);
}

template <typename T>
Status Multiply(const SmallProduct<T>& product, const std::stop_token& stop) {
  return UsableMultiplyForms<T>().back()(product, stop);
}

template std::span<const MultiplyForm<float>> UsableMultiplyForms<float>();
template std::span<const MultiplyForm<double>> UsableMultiplyForms<double>();
template Status Multiply(const SmallProduct<float>& product, const std::stop_token& stop);
template Status Multiply(const SmallProduct<double>& product, const std::stop_token& stop);

}  // namespace headscope

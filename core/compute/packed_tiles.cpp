#include "core/compute/packed_tiles.h"

#include <algorithm>
#include <array>

#include "core/compute/instruction_set.h"
#include "core/compute/vector_code.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace headscope {
namespace {

using Four = Register<float, 4>::Type;
using Eight = Register<float, 8>::Type;

// Writes four columns of eight rows one under the other: each argument has four numbers of one row
// in its left half and four of the row that is four further in its right one.
template <std::size_t kOutputs>
HEADSCOPE_BODY void StoreTurned(
    const Eight& a, const Eight& b, const Eight& c, const Eight& d, float* out) {
  const Eight ab_low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Eight cd_low = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  Store(__builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13), out);
  Store(__builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15), out + kOutputs);
  Store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13), out + 2 * kOutputs);
  Store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15), out + 3 * kOutputs);
}

template <std::size_t kOutputs>
HEADSCOPE_BODY void Pack(const float* rows, std::int64_t stride, std::int64_t width, float* out) {
  static_assert(kOutputs % kPackedRows == 0);
  constexpr auto kStep = static_cast<std::int64_t>(kOutputs);
  std::int64_t k = 0;
  for (; k + 4 <= width; k += 4) {
    Eight pairs[4];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < 4; ++i) {
      Four low;
      Four high;
      Load(rows + i * stride + k, &low);
      Load(rows + (i + 4) * stride + k, &high);
      pairs[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    StoreTurned<kOutputs>(pairs[0], pairs[1], pairs[2], pairs[3], out + k * kStep);
  }
  for (; k < width; ++k) {
    for (std::int64_t row = 0; row < kPackedRows; ++row) {
      out[k * kStep + row] = rows[row * stride + k];
    }
  }
}

#if defined(__x86_64__)
// As Pack, from float16, which is converted in the registers.
template <std::size_t kOutputs>
__attribute__((target("avx2,f16c"))) void PackHalves(const std::byte* rows,
                                                     std::int64_t stride,
                                                     std::int64_t width,
                                                     float* out) {
  constexpr std::int64_t kColumns = 8;
  for (std::int64_t k = 0; k + kColumns <= width; k += kColumns) {
    Eight low[4];
    Eight high[4];
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < 4; ++i) {
      const auto* at = reinterpret_cast<const __m128i*>(rows + i * stride + 2 * k);
      const auto* below = reinterpret_cast<const __m128i*>(rows + (i + 4) * stride + 2 * k);
      const auto upper = static_cast<Eight>(_mm256_cvtph_ps(_mm_loadu_si128(at)));
      const auto lower = static_cast<Eight>(_mm256_cvtph_ps(_mm_loadu_si128(below)));
      low[i] = __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 8, 9, 10, 11);
      high[i] = __builtin_shufflevector(upper, lower, 4, 5, 6, 7, 12, 13, 14, 15);
    }
    float* to = out + k * static_cast<std::int64_t>(kOutputs);
    StoreTurned<kOutputs>(low[0], low[1], low[2], low[3], to);
    StoreTurned<kOutputs>(high[0], high[1], high[2], high[3], to + 4 * kOutputs);
  }
}
#endif

constexpr std::int64_t kFetchEvery = 16;  // columns of a tile

// Fetches lines of what is read next, a few at a time.
class Fetching {
 public:
  HEADSCOPE_BODY Fetching(const NextRead& next, std::int64_t times)
      : from_(next.from),
        stride_(next.stride),
        in_row_((next.bytes + kLine - 1) / kLine),
        left_(in_row_ * next.rows),
        each_((left_ + times - 1) / std::max<std::int64_t>(times, 1)) {}

  HEADSCOPE_BODY void FetchSome() {
    const std::int64_t end = std::max<std::int64_t>(left_ - each_, 0);
    for (; left_ > end; --left_) {
      __builtin_prefetch(from_ + at_ * kLine, 0, 2);
      if (++at_ == in_row_) {
        at_ = 0;
        from_ += stride_;
      }
    }
  }

 private:
  static constexpr std::int64_t kLine = 64;
  const std::byte* from_;
  std::int64_t stride_;
  std::int64_t in_row_;
  std::int64_t left_;  // lines
  std::int64_t each_;
  std::int64_t at_ = 0;
};

// Adds kRows rows times all outputs of columns [begin, end).
template <std::size_t kLanes, std::size_t kRegisters, std::size_t kRows>
HEADSCOPE_BODY void AddTile(const TileBlock& block,
                            std::int64_t row,
                            std::int64_t begin,
                            std::int64_t end,
                            Fetching* fetching) {
  using Lanes = typename Register<float, kLanes>::Type;
  constexpr std::size_t kOutputs = kLanes * kRegisters;
  const float* in[kRows];
  for (std::size_t i = 0; i < kRows; ++i) {
    in[i] = block.in + (row + static_cast<std::int64_t>(i)) * block.in_stride;
  }
  Lanes sums[kRows][kRegisters] = {};
  const float* weights = block.weights + begin * static_cast<std::int64_t>(kOutputs);
  for (std::int64_t k = begin; k < end; ++k, weights += kOutputs) {
    if (k % kFetchEvery == 0) {
      fetching->FetchSome();
    }
    Lanes held[kRegisters];
#pragma GCC unroll 3
    for (std::size_t j = 0; j < kRegisters; ++j) {
      Load(weights + j * kLanes, &held[j]);
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kRows; ++i) {
      const Lanes same = in[i][k] - Lanes{};
#pragma GCC unroll 3
      for (std::size_t j = 0; j < kRegisters; ++j) {
        sums[i][j] += same * held[j];
      }
    }
  }
  const bool is_whole = block.outputs == static_cast<std::int64_t>(kOutputs);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kRows; ++i) {
    float* out = block.out + (row + static_cast<std::int64_t>(i)) * block.stride;
    float part[kOutputs];
#pragma GCC unroll 3
    for (std::size_t j = 0; j < kRegisters; ++j) {
      if (is_whole) {
        Lanes before;
        Load(out + j * kLanes, &before);
        Store(before + sums[i][j], out + j * kLanes);
      } else {
        Store(sums[i][j], part + j * kLanes);
      }
    }
    for (std::int64_t output = 0; !is_whole && output < block.outputs; ++output) {
      out[output] += part[output];
    }
  }
}

// So many rows at once, then the rest.
template <std::size_t kLanes, std::size_t kRegisters, std::size_t kRows>
HEADSCOPE_BODY void AddBlock(const TileBlock& block) {
  constexpr std::int64_t kColumns = 256;  // with all outputs they stay in the first cache
  constexpr auto kStep = static_cast<std::int64_t>(kRows);
  Fetching fetching(
      block.next,
      (block.width + kFetchEvery - 1) / kFetchEvery * ((block.rows + kStep - 1) / kStep));
  for (std::int64_t begin = 0; begin < block.width; begin += kColumns) {
    const std::int64_t end = std::min(begin + kColumns, block.width);
    std::int64_t row = 0;
    for (; row + kStep <= block.rows; row += kStep) {
      AddTile<kLanes, kRegisters, kRows>(block, row, begin, end, &fetching);
    }
    if constexpr (kRows > 4) {
      if (row + 4 <= block.rows) {
        AddTile<kLanes, kRegisters, 4>(block, row, begin, end, &fetching);
        row += 4;
      }
    }
    switch (block.rows - row) {
      case 3:
        AddTile<kLanes, kRegisters, 3>(block, row, begin, end, &fetching);
        break;
      case 2:
        AddTile<kLanes, kRegisters, 2>(block, row, begin, end, &fetching);
        break;
      case 1:
        AddTile<kLanes, kRegisters, 1>(block, row, begin, end, &fetching);
        break;
      default:
        break;
    }
  }
}

void PackPlain(const float* rows, std::int64_t stride, std::int64_t width, float* out) {
  Pack<8>(rows, stride, width, out);
}
void AddPlain(const TileBlock& block) {
  AddBlock<4, 2, 4>(block);
}
constexpr PackedForm kPlain = {8, PackPlain, nullptr, AddPlain};
#if defined(__x86_64__)
HEADSCOPE_AVX2 void PackAvx2(const float* rows,
                             std::int64_t stride,
                             std::int64_t width,
                             float* out) {
  Pack<24>(rows, stride, width, out);
}
HEADSCOPE_AVX2 void AddAvx2(const TileBlock& block) {
  AddBlock<8, 3, 4>(block);
}
HEADSCOPE_AVX512 void PackAvx512(const float* rows,
                                 std::int64_t stride,
                                 std::int64_t width,
                                 float* out) {
  Pack<48>(rows, stride, width, out);
}
HEADSCOPE_AVX512 void AddAvx512(const TileBlock& block) {
  AddBlock<16, 3, 8>(block);
}
constexpr std::array kForms = {kPlain,
                               PackedForm{24, PackAvx2, PackHalves<24>, AddAvx2},
                               PackedForm{48, PackAvx512, PackHalves<48>, AddAvx512}};
#else
constexpr std::array kForms = {kPlain};
#endif

}  // namespace

std::span<const PackedForm> PackedForms() {
  static const std::size_t kCount = CountUsableForms();
  return std::span(kForms).first(kCount);
}

}  // namespace headscope

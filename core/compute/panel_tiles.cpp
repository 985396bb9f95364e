#include "core/compute/panel_tiles.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/compute/instruction_set.h"
#include "core/compute/vector_code.h"

namespace headscope {
namespace {

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

// Adds a panel times kOutputs outputs, of which only those are kept that exist, of columns
// [begin, end).
template <std::size_t kLanes, std::size_t kRegisters, std::size_t kOutputs>
HEADSCOPE_BODY void AddTile(const PanelBlock& block,
                            std::int64_t output,
                            std::int64_t begin,
                            std::int64_t end,
                            Fetching* fetching) {
  using Lanes = typename Register<float, kLanes>::Type;
  constexpr auto kRows = static_cast<std::int64_t>(kLanes * kRegisters);
  const auto outputs = std::min(static_cast<std::size_t>(block.outputs - output), kOutputs);
  const float* weights[kOutputs];
  for (std::size_t j = 0; j < kOutputs; ++j) {
    const auto at = static_cast<std::int64_t>(std::min(j, outputs - 1));
    weights[j] = block.weights + (output + at) * block.weight_stride;
  }
  Lanes sums[kOutputs][kRegisters] = {};
  const float* panel = block.panel + begin * kRows;
  for (std::int64_t k = begin; k < end;) {
    fetching->FetchSome();
#pragma GCC unroll 1
    for (const std::int64_t next = std::min(k + kFetchEvery, end); k < next; ++k, panel += kRows) {
      Lanes held[kRegisters];
#pragma GCC unroll 3
      for (std::size_t i = 0; i < kRegisters; ++i) {
        Load(panel + i * kLanes, &held[i]);
      }
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kOutputs; ++j) {
        const Lanes same = weights[j][k] - Lanes{};
#pragma GCC unroll 3
        for (std::size_t i = 0; i < kRegisters; ++i) {
          sums[j][i] += same * held[i];
        }
      }
    }
  }
#pragma GCC unroll 8
  for (std::size_t j = 0; j < kOutputs; ++j) {
    float* to = block.sums + (output + static_cast<std::int64_t>(j)) * block.sums_stride;
#pragma GCC unroll 3
    for (std::size_t i = 0; j < outputs && i < kRegisters; ++i) {
      Lanes before;
      Load(to + i * kLanes, &before);
      Store(before + sums[j][i], to + i * kLanes);
    }
  }
}

// As many outputs at once as their sums find registers and they themselves addresses.
template <std::size_t kLanes, std::size_t kRegisters, std::size_t kSums>
HEADSCOPE_BODY void AddPanel(const PanelBlock& block) {
  constexpr std::int64_t kColumns = 256;  // of a panel, in the first cache
  constexpr std::size_t kOutputs = std::min<std::size_t>(kSums / kRegisters, 8);
  constexpr auto kStep = static_cast<std::int64_t>(kOutputs);
  Fetching fetching(
      block.next,
      (block.width + kFetchEvery - 1) / kFetchEvery * ((block.outputs + kStep - 1) / kStep));
  for (std::int64_t begin = 0; begin < block.width; begin += kColumns) {
    const std::int64_t end = std::min(begin + kColumns, block.width);
    for (std::int64_t output = 0; output < block.outputs; output += kStep) {
      AddTile<kLanes, kRegisters, kOutputs>(block, output, begin, end, &fetching);
    }
  }
}

template <std::size_t kLanes, std::size_t kSums>
HEADSCOPE_BODY void AddBlock(const PanelBlock& block) {
  switch (block.registers) {
    case 3:
      return AddPanel<kLanes, 3, kSums>(block);
    case 2:
      return AddPanel<kLanes, 2, kSums>(block);
    case 1:
      return AddPanel<kLanes, 1, kSums>(block);
    default:
      return;
  }
}

void AddPlain(const PanelBlock& block) {
  AddBlock<4, 12>(block);
}
#if defined(__x86_64__)
HEADSCOPE_AVX2 void AddAvx2(const PanelBlock& block) {
  AddBlock<8, 12>(block);
}
HEADSCOPE_AVX512 void AddAvx512(const PanelBlock& block) {
  AddBlock<16, 24>(block);
}
constexpr std::array kForms = {
    PanelForm{4, AddPlain}, PanelForm{8, AddAvx2}, PanelForm{16, AddAvx512}};
#else
constexpr std::array kForms = {PanelForm{4, AddPlain}};
#endif

}  // namespace

std::span<const PanelForm> PanelForms() {
  static const std::size_t kCount = CountUsableForms();
  return std::span(kForms).first(kCount);
}

}  // namespace headscope

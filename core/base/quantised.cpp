#include "core/base/quantised.h"

#include <iterator>

#include "core/base/check.h"
#include "core/base/quantised_blocks.h"

namespace headscope {
namespace {

HEADSCOPE_DECODERS(Plain, )

}  // namespace

void DequantiseBlocks(DataType type, const std::byte* blocks, std::size_t count, float* out) {
  HEADSCOPE_CHECK(IsQuantised(type), "the caller has checked that the type is quantised");
  constexpr auto kFirst = static_cast<std::size_t>(DataType::kQ40);
  static_assert(std::size(kPlainDecoders) ==
                static_cast<std::size_t>(DataType::kMxfp4) - kFirst + 1);
  kPlainDecoders[static_cast<std::size_t>(type) - kFirst](blocks, count, out);
}

void DequantisePairs(const std::byte* codes,
                     const std::byte* scales,
                     std::size_t count,
                     float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    blocks::BlockMx4Pairs(codes + i * kPairBytes, scales[i], out + i * 2 * kPairBytes);
  }
}

}  // namespace headscope

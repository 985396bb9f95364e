#include "core/compute/quantised_kernels.h"

#include <array>
#include <iterator>

#include "core/base/check.h"
#include "core/base/quantised_blocks.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

HEADSCOPE_DECODERS(Plain, )
#if defined(__x86_64__)
HEADSCOPE_DECODERS(Avx2, __attribute__((target("avx2"))))
// Wider vectors decode no faster: the numbers' way to the cache takes longer.
constexpr std::size_t kSets = 2;
#else
constexpr std::size_t kSets = 1;
#endif

constexpr auto kFirst = static_cast<std::size_t>(DataType::kQ40);
constexpr std::size_t kTypes = std::size(kPlainDecoders);

using DecodersOfTypes = std::array<std::array<DecodeBlocks, kSets>, kTypes>;

DecodersOfTypes ByType() {
  DecodersOfTypes all;
  for (std::size_t i = 0; i < kTypes; ++i) {
#if defined(__x86_64__)
    all[i] = {kPlainDecoders[i], kAvx2Decoders[i]};
#else
    all[i] = {kPlainDecoders[i]};
#endif
  }
  return all;
}

std::size_t CountUsable() {
#if defined(__x86_64__)
  return UsableAvx2() ? 2 : 1;
#else
  return 1;
#endif
}

}  // namespace

std::span<const DecodeBlocks> UsableDecodersOf(DataType type) {
  static const DecodersOfTypes kDecoders = ByType();
  static const std::size_t kCount = CountUsable();
  HEADSCOPE_CHECK(IsQuantised(type), "the caller has checked that the type is quantised");
  return std::span(kDecoders[static_cast<std::size_t>(type) - kFirst]).first(kCount);
}

DecodeBlocks DecoderOf(DataType type) {
  return UsableDecodersOf(type).back();
}

}  // namespace headscope

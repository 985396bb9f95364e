#include "core/compute/quantised_kernels.h"

#include <array>
#include <cstring>
#include <iterator>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/base/check.h"
#include "core/base/quantised_blocks.h"
#include "core/compute/instruction_set.h"

namespace headscope {
namespace {

HEADSCOPE_DECODERS(Plain, )
#if defined(__x86_64__)
HEADSCOPE_DECODERS(Avx2, __attribute__((target("avx2"))))
// As blocks::Block4K, eight codes of two sub-blocks at a time: compilers widen bytes in more steps.
__attribute__((target("avx2"))) void Decode4KByEight(const std::byte* stored,
                                                     std::size_t count,
                                                     float* out) {
  constexpr std::size_t kBytes = 144;
  constexpr std::size_t kLanes = 8;
  const __m256i four_bits = _mm256_set1_epi32(0xF);
  for (std::size_t block = 0; block < count; ++block, stored += kBytes) {
    const blocks::SubScales scales = blocks::SubScalesOf(stored);
    const std::byte* from = stored + 4 + blocks::kScales;
    for (std::size_t sub = 0; sub < scales.scale.size(); sub += 2, out += 2 * blocks::kShort) {
      const __m256 low = _mm256_set1_ps(scales.scale[sub]);
      const __m256 low_least = _mm256_set1_ps(scales.least[sub]);
      const __m256 high = _mm256_set1_ps(scales.scale[sub + 1]);
      const __m256 high_least = _mm256_set1_ps(scales.least[sub + 1]);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < blocks::kShort; i += kLanes, from += kLanes) {
        const __m256i codes =
            _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
        const __m256 first = _mm256_cvtepi32_ps(_mm256_and_si256(codes, four_bits));
        const __m256 second = _mm256_cvtepi32_ps(_mm256_srli_epi32(codes, 4));
        _mm256_storeu_ps(out + i, _mm256_sub_ps(_mm256_mul_ps(first, low), low_least));
        _mm256_storeu_ps(out + blocks::kShort + i,
                         _mm256_sub_ps(_mm256_mul_ps(second, high), high_least));
      }
    }
  }
}
// As blocks::Block4K: a register holds what each code of a sub-block stands for. What compilers make
// of the plain loops is no faster with wider vectors.
__attribute__((target("avx512f"))) void Decode4KAvx512(const std::byte* stored,
                                                       std::size_t count,
                                                       float* out) {
  constexpr std::size_t kBytes = 144;
  constexpr std::size_t kLanes = 16;
  const __m512 codes = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const auto table_of = [&](float scale, float least) __attribute__((target("avx512f"))) {
    return _mm512_sub_ps(_mm512_mul_ps(_mm512_set1_ps(scale), codes), _mm512_set1_ps(least));
  };
  for (std::size_t block = 0; block < count; ++block, stored += kBytes) {
    const blocks::SubScales scales = blocks::SubScalesOf(stored);
    const std::byte* from = stored + 4 + blocks::kScales;
    for (std::size_t sub = 0; sub < scales.scale.size(); sub += 2, out += 2 * blocks::kShort) {
      const __m512 low = table_of(scales.scale[sub], scales.least[sub]);
      const __m512 high = table_of(scales.scale[sub + 1], scales.least[sub + 1]);
      for (std::size_t i = 0; i < blocks::kShort; i += kLanes, from += kLanes) {
        __m128i bytes;
        std::memcpy(&bytes, from, sizeof(bytes));
        // Of an index only the low four bits count.
        const __m512i index = _mm512_cvtepu8_epi32(bytes);
        _mm512_storeu_ps(out + i, _mm512_permutexvar_ps(index, low));
        _mm512_storeu_ps(out + blocks::kShort + i,
                         _mm512_permutexvar_ps(_mm512_srli_epi32(index, 4), high));
      }
    }
  }
}
constexpr std::size_t kSets = 3;
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
    all[i] = {kPlainDecoders[i], kAvx2Decoders[i], kAvx2Decoders[i]};
#else
    all[i] = {kPlainDecoders[i]};
#endif
  }
#if defined(__x86_64__)
  auto& of_4k = all[static_cast<std::size_t>(DataType::kQ4K) - kFirst];
  of_4k = {of_4k.front(), Decode4KByEight, Decode4KAvx512};
#endif
  return all;
}

}  // namespace

std::span<const DecodeBlocks> UsableDecodersOf(DataType type) {
  static const DecodersOfTypes kDecoders = ByType();
  static const std::size_t kCount = CountUsableForms();
  HEADSCOPE_CHECK(IsQuantised(type), "the caller has checked that the type is quantised");
  return std::span(kDecoders[static_cast<std::size_t>(type) - kFirst]).first(kCount);
}

DecodeBlocks DecoderOf(DataType type) {
  return UsableDecodersOf(type).back();
}

}  // namespace headscope

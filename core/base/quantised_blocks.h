// Decodes one block of each quantised type. The bodies are inlined, so that a file can compile them
// for several instruction sets; core/base/quantised.h is what others call.
//
// Every product and sum is rounded once: a file that includes this is compiled without fused
// arithmetic (-ffp-contract=off), and every instruction set then gives the same bits.
//
// Shapes   a block is BlockOf(type).bytes long and becomes BlockOf(type).elements numbers.
// Errors   none.
// Source   the GGUF quantisation types.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#define HEADSCOPE_BLOCK_BODY [[gnu::always_inline]] inline

namespace headscope::blocks {

constexpr std::size_t kShort = 32;   // elements in a plain block
constexpr std::size_t kLong = 256;   // elements in a block of the K types
constexpr std::size_t kScales = 12;  // bytes that hold the small scales of a K type

HEADSCOPE_BLOCK_BODY std::uint32_t Byte(const std::byte* bytes, std::size_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}

HEADSCOPE_BLOCK_BODY float Half(const std::byte* bytes) {
  std::uint16_t stored = 0;
  std::memcpy(&stored, bytes, sizeof(stored));
  const std::uint32_t bits = stored;
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = bits >> 10U & 0x1FU;
  const std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0) {
    return std::bit_cast<float>(
        sign | std::bit_cast<std::uint32_t>(static_cast<float>(mantissa) * 0x1p-24F));
  }
  const std::uint32_t wide = exponent == 0x1FU ? 0xFFU : exponent + 112U;
  return std::bit_cast<float>(sign | wide << 23U | mantissa << 13U);
}

HEADSCOPE_BLOCK_BODY float Signed(const std::byte* bytes, std::size_t at) {
  return static_cast<float>(static_cast<std::int8_t>(Byte(bytes, at)));
}

HEADSCOPE_BLOCK_BODY float Number(std::uint32_t code) {
  return static_cast<float>(static_cast<std::int32_t>(code));
}

// out = scale * (code - middle) for a plain block: the first half is in the low four bits of the
// bytes, the second half in the high ones. `high` has a fifth bit for each element, or is null.
HEADSCOPE_BLOCK_BODY void Centred(
    const std::byte* codes, const std::byte* high, float scale, float middle, float* out) {
  constexpr std::size_t kHalf = kShort / 2;
  std::uint32_t bits = 0;
  if (high != nullptr) {
    std::memcpy(&bits, high, sizeof(bits));
  }
#pragma omp simd
  for (std::size_t i = 0; i < kHalf; ++i) {
    const std::uint32_t code = Byte(codes, i);
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint32_t first = (code & 0xFU) | (bits >> at & 1U) << 4U;
    const std::uint32_t second = code >> 4U | (bits >> (at + kHalf) & 1U) << 4U;
    out[i] = scale * (Number(first) - middle);
    out[i + kHalf] = scale * (Number(second) - middle);
  }
}

// out = scale * code + least.
HEADSCOPE_BLOCK_BODY void FromLeast(
    const std::byte* codes, const std::byte* high, float scale, float least, float* out) {
  constexpr std::size_t kHalf = kShort / 2;
  std::uint32_t bits = 0;
  if (high != nullptr) {
    std::memcpy(&bits, high, sizeof(bits));
  }
#pragma omp simd
  for (std::size_t i = 0; i < kHalf; ++i) {
    const std::uint32_t code = Byte(codes, i);
    const auto at = static_cast<std::uint32_t>(i);
    const std::uint32_t first = (code & 0xFU) | (bits >> at & 1U) << 4U;
    const std::uint32_t second = code >> 4U | (bits >> (at + kHalf) & 1U) << 4U;
    out[i] = scale * Number(first) + least;
    out[i + kHalf] = scale * Number(second) + least;
  }
}

HEADSCOPE_BLOCK_BODY void Block40(const std::byte* block, float* out) {
  Centred(block + 2, nullptr, Half(block), 8.0F, out);
}

HEADSCOPE_BLOCK_BODY void Block41(const std::byte* block, float* out) {
  FromLeast(block + 4, nullptr, Half(block), Half(block + 2), out);
}

HEADSCOPE_BLOCK_BODY void Block50(const std::byte* block, float* out) {
  Centred(block + 6, block + 2, Half(block), 16.0F, out);
}

HEADSCOPE_BLOCK_BODY void Block51(const std::byte* block, float* out) {
  FromLeast(block + 8, block + 4, Half(block), Half(block + 2), out);
}

HEADSCOPE_BLOCK_BODY void Block80(const std::byte* block, float* out) {
  const float scale = Half(block);
#pragma omp simd
  for (std::size_t i = 0; i < kShort; ++i) {
    out[i] = scale * Signed(block + 2, i);
  }
}

// Sixteen sub-blocks of 16: each has a scale in the low and a minimum in the high four bits of a
// byte. Bits 2s and 2s + 1 of a byte of a half's codes belong to its row s of 32.
HEADSCOPE_BLOCK_BODY void Block2K(const std::byte* block, float* out) {
  const std::byte* scales = block;
  const std::byte* codes = scales + kLong / 16;
  const float scale = Half(codes + kLong / 4);
  const float least = Half(codes + kLong / 4 + 2);
  for (std::size_t sub = 0; sub < kLong / 16; ++sub) {
    const std::uint32_t packed = Byte(scales, sub);
    const float sub_scale = scale * Number(packed & 0xFU);
    const float sub_least = least * Number(packed >> 4U);
    const std::byte* own = codes + sub / 8 * 32 + sub % 2 * 16;
    const auto shift = static_cast<std::uint32_t>(sub % 8 / 2 * 2);
#pragma omp simd
    for (std::size_t i = 0; i < 16; ++i) {
      out[sub * 16 + i] = sub_scale * Number(Byte(own, i) >> shift & 3U) - sub_least;
    }
  }
}

// As Block2K, with a third bit, which takes 4 away where it is 0, and scales of six bits.
HEADSCOPE_BLOCK_BODY void Block3K(const std::byte* block, float* out) {
  const std::byte* high = block;
  const std::byte* codes = high + kLong / 8;
  const std::byte* scales = codes + kLong / 4;
  const float scale = Half(scales + kScales);
  for (std::size_t sub = 0; sub < kLong / 16; ++sub) {
    const std::uint32_t low = Byte(scales, sub % 8) >> (sub / 8 * 4) & 0xFU;
    const std::uint32_t top = Byte(scales, 8 + sub % 4) >> (sub / 4 * 2) & 3U;
    const float sub_scale = scale * (Number(low | top << 4U) - 32.0F);
    const std::byte* own = codes + sub / 8 * 32 + sub % 2 * 16;
    const std::byte* own_high = high + sub % 2 * 16;
    const auto shift = static_cast<std::uint32_t>(sub % 8 / 2 * 2);
    const auto bit = static_cast<std::uint32_t>(sub / 2);
#pragma omp simd
    for (std::size_t i = 0; i < 16; ++i) {
      const std::uint32_t code = (Byte(own, i) >> shift & 3U) | (Byte(own_high, i) >> bit & 1U)
                                                                    << 2U;
      out[sub * 16 + i] = sub_scale * (Number(code) - 4.0F);
    }
  }
}

struct SubScales {
  std::array<float, 8> scale{};
  std::array<float, 8> least{};
};

// The scale and minimum of each of eight sub-blocks of 32: the first four have six bits in bytes 0
// to 3 and 4 to 7; the last four have their low four bits in bytes 8 to 11 and their high two on
// top of the first four's. Four bytes are taken apart at once, as a word of any byte order.
HEADSCOPE_BLOCK_BODY SubScales SubScalesOf(const std::byte* block) {
  std::array<std::uint32_t, 3> words{};
  std::memcpy(words.data(), block + 4, sizeof(words));
  const auto [scales, leasts, low] = words;
  constexpr std::uint32_t kSix = 0x3F3F3F3FU;
  constexpr std::uint32_t kFour = 0x0F0F0F0FU;
  constexpr std::uint32_t kTop = 0x30303030U;
  const std::array<std::uint32_t, 4> codes = {scales & kSix,
                                              (low & kFour) | (scales >> 2U & kTop),
                                              leasts & kSix,
                                              (low >> 4U & kFour) | (leasts >> 2U & kTop)};
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), codes.data(), sizeof(bytes));
  const float scale = Half(block);
  const float least = Half(block + 2);
  SubScales all;
#pragma omp simd
  for (std::size_t i = 0; i < 8; ++i) {
    all.scale[i] = scale * Number(bytes[i]);
    all.least[i] = least * Number(bytes[i + 8]);
  }
  return all;
}

// Two sub-blocks share 32 bytes of codes: the first has their low four bits.
HEADSCOPE_BLOCK_BODY void Block4K(const std::byte* block, float* out) {
  const SubScales scales = SubScalesOf(block);
  const std::byte* codes = block + 4 + kScales;
  for (std::size_t sub = 0; sub < scales.scale.size();
       sub += 2, codes += kShort, out += 2 * kShort) {
    const auto [scale, next_scale] = std::pair(scales.scale[sub], scales.scale[sub + 1]);
    const auto [least, next_least] = std::pair(scales.least[sub], scales.least[sub + 1]);
#pragma omp simd
    for (std::size_t i = 0; i < kShort; ++i) {
      const std::uint32_t code = Byte(codes, i);
      out[i] = scale * Number(code & 0xFU) - least;
      out[i + kShort] = next_scale * Number(code >> 4U) - next_least;
    }
  }
}

// As Block4K; bit s of byte i of `high` is the fifth of element i of sub-block s.
HEADSCOPE_BLOCK_BODY void Block5K(const std::byte* block, float* out) {
  const SubScales scales = SubScalesOf(block);
  const std::byte* high = block + 4 + kScales;
  const std::byte* codes = high + kLong / 8;
  for (std::size_t sub = 0; sub < scales.scale.size();
       sub += 2, codes += kShort, out += 2 * kShort) {
    const auto [scale, next_scale] = std::pair(scales.scale[sub], scales.scale[sub + 1]);
    const auto [least, next_least] = std::pair(scales.least[sub], scales.least[sub + 1]);
    const auto bit = static_cast<std::uint32_t>(sub);
#pragma omp simd
    for (std::size_t i = 0; i < kShort; ++i) {
      const std::uint32_t code = Byte(codes, i);
      const std::uint32_t top = Byte(high, i) >> bit;
      out[i] = scale * Number((code & 0xFU) | (top & 1U) << 4U) - least;
      out[i + kShort] = next_scale * Number(code >> 4U | (top & 2U) << 3U) - next_least;
    }
  }
}

// Two halves of 128, each of four rows of 32: low bits of rows 0, 2 and 1, 3 share bytes, high bits
// of all four share one; a scale for every 16.
HEADSCOPE_BLOCK_BODY void Block6K(const std::byte* block, float* out) {
  const std::byte* low = block;
  const std::byte* high = low + kLong / 2;
  const std::byte* scales = high + kLong / 4;
  const float scale = Half(scales + kLong / 16);
  for (std::size_t half = 0; half < 2; ++half, low += kLong / 4, high += kLong / 8) {
    std::array<std::uint8_t, kLong / 2> codes{};
#pragma omp simd
    for (std::size_t i = 0; i < kShort; ++i) {
      const auto even = static_cast<std::uint8_t>(low[i]);
      const auto odd = static_cast<std::uint8_t>(low[i + kShort]);
      const auto top = static_cast<std::uint8_t>(high[i]);
      codes[i] = static_cast<std::uint8_t>((even & 0xFU) | (top & 3U) << 4U);
      codes[i + kShort] = static_cast<std::uint8_t>((odd & 0xFU) | (top & 0xCU) << 2U);
      codes[i + 2 * kShort] = static_cast<std::uint8_t>(even >> 4U | (top & 0x30U));
      codes[i + 3 * kShort] = static_cast<std::uint8_t>(odd >> 4U | (top & 0xC0U) >> 2U);
    }
    for (std::size_t sub = 0; sub < kLong / 32; ++sub, out += 16) {
      const float sub_scale = scale * Signed(scales, half * 8 + sub);
#pragma omp simd
      for (std::size_t i = 0; i < 16; ++i) {
        out[i] = sub_scale * (Number(codes[sub * 16 + i]) - 32.0F);
      }
    }
  }
}

// A plain block whose codes are places in a table.
HEADSCOPE_BLOCK_BODY void FromTable(const std::byte* codes,
                                    float scale,
                                    const std::array<float, 16>& table,
                                    float* out) {
  for (std::size_t i = 0; i < kShort / 2; ++i) {
    const std::uint32_t code = Byte(codes, i);
    out[i] = scale * table[code & 0xFU];
    out[i + kShort / 2] = scale * table[code >> 4U];
  }
}

inline constexpr std::array<float, 16> kUneven = {-127.0F,
                                                  -104.0F,
                                                  -83.0F,
                                                  -65.0F,
                                                  -49.0F,
                                                  -35.0F,
                                                  -22.0F,
                                                  -10.0F,
                                                  1.0F,
                                                  13.0F,
                                                  25.0F,
                                                  38.0F,
                                                  53.0F,
                                                  69.0F,
                                                  89.0F,
                                                  113.0F};

HEADSCOPE_BLOCK_BODY void Block4Nl(const std::byte* block, float* out) {
  FromTable(block + 2, Half(block), kUneven, out);
}

// Eight plain blocks with a scale of six bits each: the low four bits in bytes 4 to 7, the high two
// in bytes 2 and 3.
HEADSCOPE_BLOCK_BODY void Block4Xs(const std::byte* block, float* out) {
  const float scale = Half(block);
  const std::uint32_t high = Byte(block, 2) | Byte(block, 3) << 8U;
  for (std::size_t sub = 0; sub < kLong / kShort; ++sub) {
    const std::uint32_t low = Byte(block, 4 + sub / 2) >> (sub % 2 * 4) & 0xFU;
    const std::uint32_t top = high >> (2 * sub) & 3U;
    const float sub_scale = scale * (Number(low | top << 4U) - 32.0F);
    FromTable(block + 8 + sub * kShort / 2, sub_scale, kUneven, out + sub * kShort);
  }
}

// Twice the numbers of four bits: a sign, two bits of exponent, one of mantissa.
inline constexpr std::array<float, 16> kFourBits = {0.0F,
                                                    1.0F,
                                                    2.0F,
                                                    3.0F,
                                                    4.0F,
                                                    6.0F,
                                                    8.0F,
                                                    12.0F,
                                                    0.0F,
                                                    -1.0F,
                                                    -2.0F,
                                                    -3.0F,
                                                    -4.0F,
                                                    -6.0F,
                                                    -8.0F,
                                                    -12.0F};

// The scale is a power of two: half of 2^(e - 127), since the table has twice the numbers.
HEADSCOPE_BLOCK_BODY float ScaleMx4(std::uint32_t exponent) {
  return std::bit_cast<float>(exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23U);
}
HEADSCOPE_BLOCK_BODY void BlockMx4(const std::byte* block, float* out) {
  FromTable(block + 1, ScaleMx4(Byte(block, 0)), kFourBits, out);
}

// The low half of a byte comes before its high half, not half a block earlier.
HEADSCOPE_BLOCK_BODY void BlockMx4Pairs(const std::byte* codes, std::byte exponent, float* out) {
  std::array<float, kShort> halves{};
  FromTable(codes, ScaleMx4(std::to_integer<std::uint32_t>(exponent)), kFourBits, halves.data());
  for (std::size_t i = 0; i < kShort / 2; ++i) {
    out[2 * i] = halves[i];
    out[2 * i + 1] = halves[kShort / 2 + i];
  }
}

using Decode = void (*)(const std::byte* blocks, std::size_t count, float* out);

}  // namespace headscope::blocks

// One decoder of `count` blocks for each type, in the order of DataType from kQ40 on, compiled with
// `target` and named by `suffix`.
// NOLINTBEGIN(bugprone-macro-parentheses): they are an attribute and parts of names
#define HEADSCOPE_DECODER(name, suffix, target, bytes, elements)                             \
  target void Decode##name##suffix(const std::byte* blocks, std::size_t count, float* out) { \
    for (std::size_t i = 0; i < count; ++i) {                                                \
      blocks::Block##name(blocks + i * (bytes), out + i * (elements));                       \
    }                                                                                        \
  }
#define HEADSCOPE_DECODERS(suffix, target)                             \
  HEADSCOPE_DECODER(40, suffix, target, 18, 32)                        \
  HEADSCOPE_DECODER(41, suffix, target, 20, 32)                        \
  HEADSCOPE_DECODER(50, suffix, target, 22, 32)                        \
  HEADSCOPE_DECODER(51, suffix, target, 24, 32)                        \
  HEADSCOPE_DECODER(80, suffix, target, 34, 32)                        \
  HEADSCOPE_DECODER(2K, suffix, target, 84, 256)                       \
  HEADSCOPE_DECODER(3K, suffix, target, 110, 256)                      \
  HEADSCOPE_DECODER(4K, suffix, target, 144, 256)                      \
  HEADSCOPE_DECODER(5K, suffix, target, 176, 256)                      \
  HEADSCOPE_DECODER(6K, suffix, target, 210, 256)                      \
  HEADSCOPE_DECODER(4Nl, suffix, target, 18, 32)                       \
  HEADSCOPE_DECODER(4Xs, suffix, target, 136, 256)                     \
  HEADSCOPE_DECODER(Mx4, suffix, target, 17, 32)                       \
  constexpr blocks::Decode k##suffix##Decoders[] = {Decode40##suffix,  \
                                                    Decode41##suffix,  \
                                                    Decode50##suffix,  \
                                                    Decode51##suffix,  \
                                                    Decode80##suffix,  \
                                                    Decode2K##suffix,  \
                                                    Decode3K##suffix,  \
                                                    Decode4K##suffix,  \
                                                    Decode5K##suffix,  \
                                                    Decode6K##suffix,  \
                                                    Decode4Nl##suffix, \
                                                    Decode4Xs##suffix, \
                                                    DecodeMx4##suffix};
// NOLINTEND(bugprone-macro-parentheses)

#include "core/base/quantised.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "core/base/check.h"
#include "core/base/half.h"

namespace headscope {
namespace {

constexpr std::size_t kShort = 32;   // elements in a plain block
constexpr std::size_t kLong = 256;   // elements in a block of the K types
constexpr std::size_t kScales = 12;  // bytes of eight scales and eight minima of six bits each

std::uint32_t Byte(const std::byte* bytes, std::size_t at) {
  return std::to_integer<std::uint32_t>(bytes[at]);
}

float Half(const std::byte* bytes) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, bytes, sizeof(bits));
  return HalfToFloat(bits);
}

float Signed(const std::byte* bytes, std::size_t at) {
  return static_cast<float>(static_cast<std::int8_t>(Byte(bytes, at)));
}

// Returns element i of a plain block: the first half is in the low four bits of the bytes, the
// second half in the high ones.
std::uint32_t Nibble(const std::byte* codes, std::size_t i) {
  constexpr std::size_t kHalf = kShort / 2;
  return i < kHalf ? Byte(codes, i) & 0xFU : Byte(codes, i - kHalf) >> 4U;
}

// Returns the fifth bit of element i.
std::uint32_t HighBit(const std::byte* bits, std::size_t i) {
  return (Byte(bits, i / 8) >> (i % 8) & 1U) << 4U;
}

void Block40(const std::byte* block, float* out) {
  const float scale = Half(block);
  for (std::size_t i = 0; i < kShort; ++i) {
    out[i] = scale * (static_cast<float>(Nibble(block + 2, i)) - 8.0F);
  }
}

void Block41(const std::byte* block, float* out) {
  const float scale = Half(block);
  const float least = Half(block + 2);
  for (std::size_t i = 0; i < kShort; ++i) {
    const float product = scale * static_cast<float>(Nibble(block + 4, i));
    out[i] = product + least;
  }
}

void Block50(const std::byte* block, float* out) {
  const float scale = Half(block);
  for (std::size_t i = 0; i < kShort; ++i) {
    const std::uint32_t code = Nibble(block + 6, i) | HighBit(block + 2, i);
    out[i] = scale * (static_cast<float>(code) - 16.0F);
  }
}

void Block51(const std::byte* block, float* out) {
  const float scale = Half(block);
  const float least = Half(block + 2);
  for (std::size_t i = 0; i < kShort; ++i) {
    const std::uint32_t code = Nibble(block + 8, i) | HighBit(block + 4, i);
    const float product = scale * static_cast<float>(code);
    out[i] = product + least;
  }
}

void Block80(const std::byte* block, float* out) {
  const float scale = Half(block);
  for (std::size_t i = 0; i < kShort; ++i) {
    out[i] = scale * Signed(block + 2, i);
  }
}

struct ScaleAndLeast {
  float scale = 0.0F;
  float least = 0.0F;
};

// The scale and minimum of each of eight sub-blocks of 32: the first four have six bits in bytes 0
// to 3 and 4 to 7; the last four have their low four bits in bytes 8 to 11 and their high two on
// top of the first four's.
std::array<ScaleAndLeast, 8> SubScales(const std::byte* block) {
  const float scale = Half(block);
  const float least = Half(block + 2);
  const std::byte* packed = block + 4;
  std::array<ScaleAndLeast, 8> all;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t a = Byte(packed, i);
    const std::uint32_t b = Byte(packed, i + 4);
    const std::uint32_t c = Byte(packed, i + 8);
    all[i] = {scale * static_cast<float>(a & 0x3FU), least * static_cast<float>(b & 0x3FU)};
    all[i + 4] = {scale * static_cast<float>((c & 0xFU) | (a >> 2U & 0x30U)),
                  least * static_cast<float>((c >> 4U) | (b >> 2U & 0x30U))};
  }
  return all;
}

// `high` is 32 bytes: bit s of byte i belongs to element i of sub-block s. It is null where four
// bits are all.
void Block45K(const std::byte* block, const std::byte* high, const std::byte* low, float* out) {
  const std::array<ScaleAndLeast, 8> scales = SubScales(block);
  for (std::size_t sub = 0; sub < scales.size(); ++sub) {
    const std::byte* codes = low + sub / 2 * kShort;
    for (std::size_t i = 0; i < kShort; ++i) {
      std::uint32_t code = sub % 2 == 0 ? Byte(codes, i) & 0xFU : Byte(codes, i) >> 4U;
      if (high != nullptr) {
        code |= (Byte(high, i) >> sub & 1U) << 4U;
      }
      const float product = scales[sub].scale * static_cast<float>(code);
      out[sub * kShort + i] = product - scales[sub].least;
    }
  }
}

void Block4K(const std::byte* block, float* out) {
  Block45K(block, nullptr, block + 4 + kScales, out);
}

void Block5K(const std::byte* block, float* out) {
  const std::byte* high = block + 4 + kScales;
  Block45K(block, high, high + kLong / 8, out);
}

// Two halves of 128, each of four rows of 32: low bits of rows 0, 2 and 1, 3 share bytes, high bits
// of all four share one; a scale for every 16.
void Block6K(const std::byte* block, float* out) {
  constexpr std::size_t kRows = 4;
  const std::byte* low = block;
  const std::byte* high = low + kLong / 2;
  const std::byte* scales = high + kLong / 4;
  const float scale = Half(scales + kLong / 16);
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const std::byte* codes = low + half * 64 + row % 2 * kShort;
      for (std::size_t i = 0; i < kShort; ++i) {
        const std::uint32_t nibble = row < 2 ? Byte(codes, i) & 0xFU : Byte(codes, i) >> 4U;
        const std::uint32_t top = Byte(high + half * kShort, i) >> (2 * row) & 3U;
        const std::size_t at = half * kLong / 2 + row * kShort + i;
        const float sub_scale = scale * Signed(scales, at / 16);
        out[at] = sub_scale * (static_cast<float>(nibble | top << 4U) - 32.0F);
      }
    }
  }
}

using Decode = void (*)(const std::byte* block, float* out);

// In the order of DataType, from kQ40 on.
constexpr std::array<Decode, 8> kDecoders = {
    Block40, Block41, Block50, Block51, Block80, Block4K, Block5K, Block6K};

}  // namespace

void DequantiseBlocks(DataType type, const std::byte* blocks, std::size_t count, float* out) {
  HEADSCOPE_CHECK(IsQuantised(type), "the caller has checked that the type is quantised");
  const StorageBlock size = BlockOf(type);
  const Decode decode =
      kDecoders[static_cast<std::size_t>(type) - static_cast<std::size_t>(DataType::kQ40)];
  for (std::size_t block = 0; block < count; ++block) {
    decode(blocks + block * size.bytes, out + block * size.elements);
  }
}

}  // namespace headscope

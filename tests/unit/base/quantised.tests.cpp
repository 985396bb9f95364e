// The formulas of the formats, an element at a time in double.
#include "core/base/quantised.h"

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "core/base/half.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

using Bytes = std::vector<std::byte>;

int At(const Bytes& block, std::size_t at) {
  return std::to_integer<int>(block[at]);
}

double HalfAt(const Bytes& block, std::size_t at) {
  return static_cast<double>(HalfToFloat(static_cast<std::uint16_t>(
      static_cast<unsigned>(At(block, at)) | static_cast<unsigned>(At(block, at + 1)) << 8U)));
}

// Bits [first, first + count) of a byte.
int Bits(int byte, std::size_t first, int count) {
  return (byte >> static_cast<int>(first)) & ((1 << count) - 1);
}

// Element i has two bits of byte i mod 32 in a half of 128.
int TwoBits(const Bytes& block, std::size_t codes, std::size_t i) {
  return Bits(At(block, codes + i / 128 * 32 + i % 32), i % 128 / 32 * 2, 2);
}

double Element2K(const Bytes& block, std::size_t i) {
  const int both = At(block, i / 16);
  return HalfAt(block, 80) * Bits(both, 0, 4) * TwoBits(block, 16, i) -
         HalfAt(block, 82) * Bits(both, 4, 4);
}

double Element3K(const Bytes& block, std::size_t i) {
  const std::size_t sub = i / 16;
  const int scale = Bits(At(block, 96 + sub % 8), sub / 8 * 4, 4) +
                    16 * Bits(At(block, 104 + sub % 4), sub / 4 * 2, 2) - 32;
  const int high = Bits(At(block, i % 32), i / 32, 1);
  return HalfAt(block, 108) * scale * (TwoBits(block, 32, i) + 4 * high - 4);
}

// Element i of 32 codes of four bits.
int FourBits(const Bytes& block, std::size_t codes, std::size_t i) {
  return Bits(At(block, codes + i % 16), i / 16 * 4, 4);
}

double Uneven(int code) {
  constexpr std::array<int, 16> kValues = {
      -127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  return kValues[static_cast<std::size_t>(code)];
}

double Element4Nl(const Bytes& block, std::size_t i) {
  return HalfAt(block, 0) * Uneven(FourBits(block, 2, i));
}

double Element4Xs(const Bytes& block, std::size_t i) {
  const std::size_t sub = i / 32;
  const int scale = Bits(At(block, 4 + sub / 2), sub % 2 * 4, 4) +
                    16 * Bits(At(block, 2 + sub / 4), sub % 4 * 2, 2) - 32;
  return HalfAt(block, 0) * scale * Uneven(FourBits(block, 8 + sub * 16, i % 32));
}

// One sign, two bits of exponent, one of mantissa, times a power of two.
double ElementMx4(const Bytes& block, std::size_t i) {
  const int code = FourBits(block, 1, i);
  const int exponent = Bits(code, 1, 2);
  const double size = exponent == 0 ? 0.5 * Bits(code, 0, 1)
                                    : std::ldexp(1.0 + 0.5 * Bits(code, 0, 1), exponent - 1);
  return std::ldexp(Bits(code, 3, 1) == 1 ? -size : size, At(block, 0) - 127);
}

struct Formula {
  DataType type;
  std::vector<std::size_t> halves;  // where a block keeps its scales in 16 bits
  std::function<double(const Bytes&, std::size_t)> element;
};

TEST_CASE("an element of a quantised block is what the format's formula gives",
          "[base][quantised]") {
  const std::vector<Formula> formulas = {{DataType::kQ2K, {80, 82}, Element2K},
                                         {DataType::kQ3K, {108}, Element3K},
                                         {DataType::kIq4Nl, {0}, Element4Nl},
                                         {DataType::kIq4Xs, {0}, Element4Xs},
                                         {DataType::kMxfp4, {}, ElementMx4}};
  for (const Formula& formula : formulas) {
    INFO(Name(formula.type));
    const StorageBlock size = BlockOf(formula.type);
    RandomStream random(3);
    std::size_t wrong = 0;
    for (int round = 0; round < 50; ++round) {
      Bytes block(size.bytes);
      for (std::byte& byte : block) {
        byte = static_cast<std::byte>(random.Below(256));
      }
      for (const std::size_t at : formula.halves) {
        block[at + 1] &= std::byte{0xBF};  // no NaN, no infinity
      }
      std::vector<float> got(size.elements);
      DequantiseBlocks(formula.type, block.data(), 1, got.data());
      for (std::size_t i = 0; i < got.size(); ++i) {
        const double expected = formula.element(block, i);
        // Each product and difference is rounded once, the latter of terms of this size; MXFP4 has
        // numbers past float32's.
        const double terms = formula.type == DataType::kQ2K ? std::abs(HalfAt(block, 80)) * 45 +
                                                                  std::abs(HalfAt(block, 82)) * 15
                                                            : std::abs(expected);
        wrong += std::abs(static_cast<double>(got[i]) - expected) <= 3 * 0x1p-24 * terms ? 0U : 1U;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("codes apart from their scales stand for the same numbers, two in a byte in order",
          "[base][quantised]") {
  RandomStream random(4);
  Bytes codes(3 * kPairBytes);
  for (std::byte& byte : codes) {
    byte = static_cast<std::byte>(random.Below(256));
  }
  const Bytes scales = {std::byte{0}, std::byte{127}, std::byte{200}};
  const TensorView apart{
      .name = "t", .type = DataType::kMxfp4, .shape = {3, 32}, .bytes = codes, .scales = scales};
  std::vector<float> got(96 - 5);
  ConvertToFloat(apart, 5, got);
  std::size_t wrong = 0;
  for (std::size_t i = 5; i < 96; ++i) {
    const int byte = At(codes, i / 2);
    // The same code in a block of the joined form: the low half of its first byte.
    Bytes block(17);
    block[0] = scales[i / 32];
    block[1] = static_cast<std::byte>(i % 2 == 0 ? byte & 15 : byte >> 4);
    wrong += static_cast<double>(got[i - 5]) == ElementMx4(block, 0) ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace headscope

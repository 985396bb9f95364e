#include "core/base/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

// The value that IEEE 754 gives a number of 1 sign, `exponent_bits` and `mantissa_bits` bits.
double ValueByFormula(unsigned bits, int exponent_bits, int mantissa_bits) {
  const unsigned mantissa = bits & ((1U << mantissa_bits) - 1U);
  const auto exponent = static_cast<int>((bits >> mantissa_bits) & ((1U << exponent_bits) - 1U));
  const double sign = (bits >> (exponent_bits + mantissa_bits)) != 0U ? -1.0 : 1.0;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) {
    return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  }
  return sign * std::ldexp(mantissa + (1U << mantissa_bits), exponent - bias - mantissa_bits);
}

bool SameNumber(float got, double expected) {
  if (std::isnan(expected)) {
    return std::isnan(got);
  }
  return static_cast<double>(got) == expected && std::signbit(got) == std::signbit(expected);
}

template <typename T>
TensorView ViewOf(const std::vector<T>& values, DataType type) {
  return {"t", type, {static_cast<std::int64_t>(values.size())}, std::as_bytes(std::span(values))};
}

TEST_CASE("every half becomes the float that the formula gives", "[base][half]") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 65536U; ++bits) {
    if (!SameNumber(HalfToFloat(static_cast<std::uint16_t>(bits)), ValueByFormula(bits, 5, 10))) {
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("every bfloat16 becomes the float that the formula gives", "[base][half]") {
  int wrong = 0;
  for (unsigned bits = 0; bits < 65536U; ++bits) {
    if (!SameNumber(Bfloat16ToFloat(static_cast<std::uint16_t>(bits)),
                    ValueByFormula(bits, 8, 7))) {
      ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("ConvertToFloat agrees with the single conversions from any start", "[base][half]") {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<std::uint16_t>(i);
  }
  const std::size_t first = GENERATE(0U, 1U, 7U, 65535U);
  std::vector<float> out(bits.size() - first);

  ConvertToFloat(ViewOf(bits, DataType::kF16), static_cast<std::int64_t>(first), out);
  int wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    wrong += SameNumber(out[i], ValueByFormula(bits[first + i], 5, 10)) ? 0 : 1;
  }
  CHECK(wrong == 0);

  ConvertToFloat(ViewOf(bits, DataType::kBf16), static_cast<std::int64_t>(first), out);
  wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    wrong += SameNumber(out[i], ValueByFormula(bits[first + i], 8, 7)) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("ConvertToFloat rounds doubles to the nearest float", "[base][half]") {
  const std::vector<double> values = {0.1, -1.0 / 3.0, 1e300, 1.0 + 0x1p-24, 1.0 + 0x1.8p-24};
  std::vector<float> out(4);
  ConvertToFloat(ViewOf(values, DataType::kF64), 1, out);
  CHECK(out[0] == -0x1.555556p-2F);
  CHECK(out[1] == std::numeric_limits<float>::infinity());
  CHECK(out[2] == 1.0F);  // a tie goes to the even neighbour
  CHECK(out[3] == 1.0F + 0x1p-23F);
}

TEST_CASE("ConvertToFloat reads a tensor that starts at an odd byte", "[base][half]") {
  const std::array<float, 2> values = {3.5F, -0.25F};
  std::array<std::byte, 9> storage = {};
  std::memcpy(storage.data() + 1, values.data(), sizeof(values));
  const TensorView tensor{"t", DataType::kF32, {2}, std::span(storage).subspan(1)};
  std::array<float, 2> out = {};
  ConvertToFloat(tensor, 0, out);
  CHECK(out == values);
}

TEST_CASE("any stretch of a quantised tensor is that stretch of the whole", "[base][half]") {
  // Scale 1.0 in each block of 34 bytes; the codes count from -96 up.
  std::vector<std::byte> bytes;
  for (int i = 0; i < 6 * 32; ++i) {
    if (i % 32 == 0) {
      bytes.push_back(std::byte{0x00});
      bytes.push_back(std::byte{0x3C});
    }
    bytes.push_back(static_cast<std::byte>(i - 96));
  }
  const TensorView tensor{"t", DataType::kQ80, {6, 32}, bytes};
  CHECK(ElementCount(tensor) == 192);
  for (const std::size_t first : {0U, 1U, 31U, 32U, 40U}) {
    for (const std::size_t count : {0U, 1U, 31U, 32U, 33U, 64U, 100U, 152U}) {
      INFO(first << " and " << count);
      std::vector<float> out(count);
      ConvertToFloat(tensor, static_cast<std::int64_t>(first), out);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        wrong += out[i] == static_cast<float>(first + i) - 96.0F ? 0U : 1U;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("interleaved rows come in the order of their halves", "[base][half]") {
  // Two heads of four rows of two: row r of a head holds 10 r and 10 r + 1, in the stored order.
  const std::vector<float> stored = {0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61, 70, 71};
  const std::vector<float> logical = {0, 1, 20, 21, 10, 11, 30, 31, 40, 41, 60, 61, 50, 51, 70, 71};
  TensorView tensor{"t", DataType::kF32, {8, 2}, std::as_bytes(std::span(stored))};
  tensor.interleaved_rows = 4;
  for (std::size_t first = 0; first < stored.size(); ++first) {
    for (std::size_t count = 0; count <= stored.size() - first; ++count) {
      std::vector<float> out(count);
      ConvertToFloat(tensor, static_cast<std::int64_t>(first), out);
      REQUIRE(std::equal(out.begin(), out.end(), logical.begin() + static_cast<long>(first)));
    }
  }
  // A bias is a row of one for each output.
  tensor.shape = {16};
  std::vector<float> out(4);
  ConvertToFloat(tensor, 4, out);
  CHECK(out == std::vector<float>{20, 30, 21, 31});
}

// Element by element, and in runs that begin anywhere.
void CheckReads(const TensorView& tensor, const std::vector<float>& expected) {
  for (std::size_t first = 0; first < expected.size(); ++first) {
    for (std::size_t count = 1; first + count <= expected.size(); ++count) {
      std::vector<float> read(count);
      ConvertToFloat(tensor, static_cast<std::int64_t>(first), read);
      CHECK(std::equal(
          read.begin(), read.end(), expected.begin() + static_cast<std::ptrdiff_t>(first)));
    }
  }
}

TEST_CASE("a turned matrix is read by its rows, and so is a part of it", "[base][half]") {
  const std::vector<float> stored = {1, 2, 3, 4, 5, 6};  // [2, 3] as it lies
  const TensorView turned{.name = "t",
                          .type = DataType::kF32,
                          .shape = {3, 2},
                          .bytes = std::as_bytes(std::span(stored)),
                          .is_turned = true};
  CHECK_FALSE(turned.is_plain());
  CheckReads(turned, {1, 4, 2, 5, 3, 6});
  const TensorView last = RowsOf(turned, 1, 2);
  CHECK(ElementCount(last) == 4);
  CheckReads(last, {2, 5, 3, 6});
  CheckReads(RowsOf(last, 1, 1), {3, 6});
}

TEST_CASE("a narrow product is added while a matrix is read", "[base][half]") {
  const std::vector<float> stored = {1, 2, 3, 4, 5, 6};
  auto product = std::make_shared<NarrowProduct>();
  product->rank = 2;
  product->cols = 3;
  product->left = {10, 0, 0, 100};  // [2, 2]
  product->right = {1, 2, 3, 4, 5, 6};
  const TensorView whole{.name = "t",
                         .type = DataType::kF32,
                         .shape = {2, 3},
                         .bytes = std::as_bytes(std::span(stored)),
                         .added = product};
  CHECK_FALSE(whole.is_plain());
  CheckReads(whole, {11, 22, 33, 404, 505, 606});
  CheckReads(RowsOf(whole, 1, 1), {404, 505, 606});
}

TEST_CASE("only F64, F32, F16, BF16 and quantised types are floating point", "[base][half]") {
  for (const DataType type : {DataType::kF64,
                              DataType::kF32,
                              DataType::kF16,
                              DataType::kBf16,
                              DataType::kQ40,
                              DataType::kQ41,
                              DataType::kQ50,
                              DataType::kQ51,
                              DataType::kQ80,
                              DataType::kQ4K,
                              DataType::kQ5K,
                              DataType::kQ6K}) {
    CHECK(IsFloatingPoint(type));
  }
  for (const DataType type : {DataType::kI64,
                              DataType::kI32,
                              DataType::kI16,
                              DataType::kI8,
                              DataType::kU64,
                              DataType::kU32,
                              DataType::kU16,
                              DataType::kU8,
                              DataType::kBool}) {
    CHECK_FALSE(IsFloatingPoint(type));
  }
}

}  // namespace
}  // namespace headscope

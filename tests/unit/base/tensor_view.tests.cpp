#include "core/base/tensor_view.h"

#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

#include "core/base/half.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("every data type has the size and the name of the safetensors format",
          "[base][tensor_view]") {
  const std::array<std::pair<DataType, std::pair<std::size_t, std::string>>, 13> types = {{
      {DataType::kF64, {8, "F64"}},
      {DataType::kF32, {4, "F32"}},
      {DataType::kF16, {2, "F16"}},
      {DataType::kBf16, {2, "BF16"}},
      {DataType::kI64, {8, "I64"}},
      {DataType::kI32, {4, "I32"}},
      {DataType::kI16, {2, "I16"}},
      {DataType::kI8, {1, "I8"}},
      {DataType::kU64, {8, "U64"}},
      {DataType::kU32, {4, "U32"}},
      {DataType::kU16, {2, "U16"}},
      {DataType::kU8, {1, "U8"}},
      {DataType::kBool, {1, "BOOL"}},
  }};
  for (const auto& [type, expected] : types) {
    CHECK(ByteSize(type) == expected.first);
    CHECK(Name(type) == expected.second);
  }
}

TEST_CASE("shapes read as lists", "[base][tensor_view]") {
  CHECK(ShapeText({768, 2304}) == "[768,2304]");
  CHECK(ShapeText({5}) == "[5]");
  CHECK(ShapeText({}) == "[]");
}

TEST_CASE("the bytes of an unchecked shape are known or refused", "[base][tensor_view]") {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  CHECK(CheckedByteCount({}, DataType::kF64) == 8U);
  CHECK(CheckedByteCount({2, 3}, DataType::kF16) == 12U);
  CHECK(CheckedByteCount({2, 0, 3}, DataType::kF32) == 0U);
  CHECK(CheckedByteCount({kHuge}, DataType::kU8) == static_cast<std::uint64_t>(kHuge));
  CHECK_FALSE(CheckedByteCount({kHuge}, DataType::kF16));
  CHECK_FALSE(CheckedByteCount({1LL << 32, 1LL << 31}, DataType::kU8));
  CHECK_FALSE(CheckedByteCount({1LL << 32, 1LL << 32, 2}, DataType::kU8));
  CHECK_FALSE(CheckedByteCount({0, kHuge, kHuge}, DataType::kU8));
  CHECK_FALSE(CheckedByteCount({-1}, DataType::kU8));
}

TEST_CASE("quantised rows are whole blocks", "[base][tensor_view]") {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  CHECK(CheckedByteCount({32}, DataType::kQ40) == 18U);
  CHECK(CheckedByteCount({3, 64}, DataType::kQ80) == 6U * 34U);
  CHECK(CheckedByteCount({2, 256}, DataType::kQ6K) == 420U);
  CHECK(CheckedByteCount({0, 256}, DataType::kQ6K) == 0U);
  CHECK(CheckedByteCount({5, 0}, DataType::kQ6K) == 0U);
  CHECK_FALSE(CheckedByteCount({32}, DataType::kQ4K));
  CHECK_FALSE(CheckedByteCount({32, 8}, DataType::kQ4K));
  CHECK_FALSE(CheckedByteCount({}, DataType::kQ80));
  CHECK_FALSE(CheckedByteCount({-32}, DataType::kQ80));
  CHECK_FALSE(CheckedByteCount({kHuge / 32, 32}, DataType::kQ80));
  CHECK_FALSE(CheckedByteCount({kHuge / 16, 32}, DataType::kQ40));
  const std::array<std::byte, 68> bytes = {};
  CHECK(ElementCount({"t", DataType::kQ80, {2, 32}, bytes}) == 64);
}

TEST_CASE("rows that take turns are read as two matrices", "[base][tensor_view]") {
  const std::array<float, 12> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const TensorView whole{"t", DataType::kF32, {6, 2}, std::as_bytes(std::span(values))};
  for (const std::int64_t first : {0, 1}) {
    const TensorView part = RowsOf(whole, 2 + first, 2, 2);
    CHECK_FALSE(part.is_plain());
    REQUIRE(ElementCount(part) == 4);
    std::array<float, 3> read = {};
    ConvertToFloat(part, 1, read);  // from the second number of the first row
    const auto start = static_cast<float>(4 + 2 * first);
    CHECK(read == std::array<float, 3>{start + 1, start + 4, start + 5});
  }
}

TEST_CASE("the number of elements follows from the bytes", "[base][tensor_view]") {
  const std::array<std::byte, 24> bytes = {};
  CHECK(ElementCount({"t", DataType::kF64, {3}, bytes}) == 3);
  CHECK(ElementCount({"t", DataType::kF16, {3, 4}, bytes}) == 12);
  CHECK(ElementCount({"t", DataType::kF32, {0, 9}, {}}) == 0);
}

}  // namespace
}  // namespace headscope

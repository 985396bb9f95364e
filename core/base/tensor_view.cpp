#include "core/base/tensor_view.h"

#include <limits>

#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {

StorageBlock BlockOf(DataType type) {
  switch (type) {
    case DataType::kF64:
    case DataType::kI64:
    case DataType::kU64:
      return {1, 8};
    case DataType::kF32:
    case DataType::kI32:
    case DataType::kU32:
      return {1, 4};
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kI16:
    case DataType::kU16:
      return {1, 2};
    case DataType::kI8:
    case DataType::kU8:
    case DataType::kBool:
      return {1, 1};
    case DataType::kQ40:
      return {32, 18};
    case DataType::kQ41:
      return {32, 20};
    case DataType::kQ50:
      return {32, 22};
    case DataType::kQ51:
      return {32, 24};
    case DataType::kQ80:
      return {32, 34};
    case DataType::kQ4K:
      return {256, 144};
    case DataType::kQ5K:
      return {256, 176};
    case DataType::kQ6K:
      return {256, 210};
  }
  HEADSCOPE_CHECK(false, "every data type has a size");
}

bool IsQuantised(DataType type) {
  return BlockOf(type).elements > 1;
}

std::size_t ByteSize(DataType type) {
  const StorageBlock block = BlockOf(type);
  HEADSCOPE_CHECK(block.elements == 1, "an element of a quantised type has no size of its own");
  return block.bytes;
}

const char* Name(DataType type) {
  switch (type) {
    case DataType::kF64:
      return "F64";
    case DataType::kF32:
      return "F32";
    case DataType::kF16:
      return "F16";
    case DataType::kBf16:
      return "BF16";
    case DataType::kI64:
      return "I64";
    case DataType::kI32:
      return "I32";
    case DataType::kI16:
      return "I16";
    case DataType::kI8:
      return "I8";
    case DataType::kU64:
      return "U64";
    case DataType::kU32:
      return "U32";
    case DataType::kU16:
      return "U16";
    case DataType::kU8:
      return "U8";
    case DataType::kBool:
      return "BOOL";
    case DataType::kQ40:
      return "Q4_0";
    case DataType::kQ41:
      return "Q4_1";
    case DataType::kQ50:
      return "Q5_0";
    case DataType::kQ51:
      return "Q5_1";
    case DataType::kQ80:
      return "Q8_0";
    case DataType::kQ4K:
      return "Q4_K";
    case DataType::kQ5K:
      return "Q5_K";
    case DataType::kQ6K:
      return "Q6_K";
  }
  HEADSCOPE_CHECK(false, "every data type has a name");
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

std::optional<std::uint64_t> CheckedByteCount(const std::vector<std::int64_t>& shape,
                                              DataType type) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const StorageBlock block = BlockOf(type);
  const std::int64_t row = shape.empty() ? 1 : shape.back();
  if (row < 0 || static_cast<std::uint64_t>(row) % block.elements != 0) {
    return std::nullopt;
  }
  std::uint64_t elements = 1;
  bool is_empty = false;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) {
      return std::nullopt;
    }
    if (dimension == 0) {
      is_empty = true;
      continue;
    }
    const auto size = static_cast<std::uint64_t>(dimension);
    if (elements > kMost / size) {
      return std::nullopt;
    }
    elements *= size;
  }
  // If the last dimension is 0, the others need not make whole blocks.
  const std::uint64_t blocks = (elements + block.elements - 1) / block.elements;
  if (blocks > kMost / block.bytes) {
    return std::nullopt;
  }
  return is_empty ? 0 : blocks * block.bytes;
}

std::int64_t ElementCount(const TensorView& tensor) {
  const StorageBlock block = BlockOf(tensor.type);
  return static_cast<std::int64_t>(tensor.bytes.size() / block.bytes * block.elements);
}

}  // namespace headscope

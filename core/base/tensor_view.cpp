#include "core/base/tensor_view.h"

#include <limits>

#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {

std::size_t ByteSize(DataType type) {
  switch (type) {
    case DataType::kF64:
    case DataType::kI64:
    case DataType::kU64:
      return 8;
    case DataType::kF32:
    case DataType::kI32:
    case DataType::kU32:
      return 4;
    case DataType::kF16:
    case DataType::kBf16:
    case DataType::kI16:
    case DataType::kU16:
      return 2;
    case DataType::kI8:
    case DataType::kU8:
    case DataType::kBool:
      return 1;
  }
  HEADSCOPE_CHECK(false, "every data type has a size");
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
  }
  HEADSCOPE_CHECK(false, "every data type has a name");
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

std::optional<std::uint64_t> CheckedByteCount(const std::vector<std::int64_t>& shape,
                                              DataType type) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t product = ByteSize(type);
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
    if (product > kMost / size) {
      return std::nullopt;
    }
    product *= size;
  }
  return is_empty ? 0 : product;
}

std::int64_t ElementCount(const TensorView& tensor) {
  return static_cast<std::int64_t>(tensor.bytes.size() / ByteSize(tensor.type));
}

}  // namespace headscope

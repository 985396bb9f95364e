// A named tensor that lies in memory somebody else keeps (a mapped file).
//
// Shapes   any; bytes.size() == product(shape) * ByteSize(type), held by whoever makes one.
// Threads  plain value; the bytes are never written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

enum class DataType {
  kF64,
  kF32,
  kF16,
  kBf16,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool
};

// Bytes of one element.
[[nodiscard]] std::size_t ByteSize(DataType type);

// As safetensors spells it: "F32".
[[nodiscard]] const char* Name(DataType type);

struct TensorView {
  std::string name;
  DataType type = DataType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

// "[768,2304]", for messages.
[[nodiscard]] std::string ShapeText(const std::vector<std::int64_t>& shape);

// product(shape) * ByteSize(type) of a shape that nobody has checked: nothing if a dimension is
// negative or the product is past 2^63 - 1. A zero does not excuse other dimensions whose product
// nobody could hold.
[[nodiscard]] std::optional<std::uint64_t> CheckedByteCount(const std::vector<std::int64_t>& shape,
                                                            DataType type);

// Number of elements; shapes in a TensorView are already checked, so this cannot overflow.
[[nodiscard]] std::int64_t ElementCount(const TensorView& tensor);

}  // namespace headscope

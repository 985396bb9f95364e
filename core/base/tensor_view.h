// A named tensor that lies in memory somebody else keeps (a mapped file).
//
// Shapes   any; bytes.size() == *CheckedByteCount(shape, type), held by whoever makes one. Read
//          elements with ConvertToFloat (core/base/half.h): it knows blocks and the order of rows.
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
  kBool,
  // Quantised, as GGUF stores it: blocks of numbers that share a scale.
  kQ40,
  kQ41,
  kQ50,
  kQ51,
  kQ80,
  kQ4K,
  kQ5K,
  kQ6K
};

// What lies together: one element of a plain type, a block of a quantised one. Blocks do not reach
// over the end of a row.
struct StorageBlock {
  std::size_t elements = 1;
  std::size_t bytes = 1;
};
[[nodiscard]] StorageBlock BlockOf(DataType type);
[[nodiscard]] bool IsQuantised(DataType type);

// Bytes of one element of a plain type.
[[nodiscard]] std::size_t ByteSize(DataType type);

// As safetensors and GGUF spell it: "F32", "Q4_K".
[[nodiscard]] const char* Name(DataType type);

struct TensorView {
  std::string name;
  DataType type = DataType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  // 0: rows lie in order. Else a head has this many rows, and row i of its first half lies at 2i,
  // of its second half at 2i + 1: how GGUF keeps the queries and keys of a llama.
  std::int64_t interleaved_rows = 0;
};

// "[768,2304]", for messages.
[[nodiscard]] std::string ShapeText(const std::vector<std::int64_t>& shape);

// Bytes of a shape that nobody has checked: nothing if a dimension is negative, if rows are no
// whole number of blocks, or if elements or bytes are past 2^63 - 1. A zero does not excuse other
// dimensions whose product nobody could hold.
[[nodiscard]] std::optional<std::uint64_t> CheckedByteCount(const std::vector<std::int64_t>& shape,
                                                            DataType type);

// Number of elements; shapes in a TensorView are already checked, so this cannot overflow.
[[nodiscard]] std::int64_t ElementCount(const TensorView& tensor);

}  // namespace headscope

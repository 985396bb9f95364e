// A named tensor in memory that somebody else owns (a mapped file).
//
// Shapes   any. Whoever makes one ensures that bytes.size() == *CheckedByteCount(shape, type). Read
//          elements with ConvertToFloat (core/base/half.h): it knows about blocks, row order and what
//          is added while reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  // Quantised as in GGUF: blocks of numbers that share a scale.
  kQ40,
  kQ41,
  kQ50,
  kQ51,
  kQ80,
  kQ2K,
  kQ3K,
  kQ4K,
  kQ5K,
  kQ6K,
  kIq4Nl,
  kIq4Xs,
  kMxfp4
};

// The smallest unit of storage: one element of a plain type, or one block of a quantised one.
// Blocks do not cross the end of a row.
struct StorageBlock {
  std::size_t elements = 1;
  std::size_t bytes = 1;
};
[[nodiscard]] StorageBlock BlockOf(DataType type);
[[nodiscard]] bool IsQuantised(DataType type);

// Bytes per element of a plain type.
[[nodiscard]] std::size_t ByteSize(DataType type);

// The name used by safetensors and GGUF: "F32", "Q4_K".
[[nodiscard]] const char* Name(DataType type);
[[nodiscard]] std::optional<DataType> DataTypeNamed(std::string_view name);

// A product of two narrow matrices, left [rows, rank] and right [rank, cols], that is added to a
// tensor while it is read: an adapter.
struct NarrowProduct {
  std::int64_t rank = 0;
  std::int64_t cols = 0;
  std::vector<float> left;
  std::vector<float> right;
};

struct TensorView {
  std::string name;
  DataType type = DataType::kF32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
  // 0: rows are in order. Otherwise each head has this many rows, and row i of its first half is
  // stored at 2i, row i of its second half at 2i + 1: GGUF keeps the queries and keys of a llama
  // like this.
  std::int64_t interleaved_rows = 0;
  // The first row of every so many: rows of two matrices take turns.
  std::int64_t row_step = 1;
  // Not empty: `bytes` are the blocks' codes alone, two in a byte, one after the other; these are
  // their scales, a byte each. MXFP4 as OpenAI stores it.
  std::span<const std::byte> scales = {};
  // The matrix is stored column by column; `shape` is what it is read as.
  bool is_turned = false;
  std::shared_ptr<const NarrowProduct> added = {};
  // The row of the whole matrix that is this one's first: for what is turned or added to. The bytes
  // of a turned matrix are always the whole one's.
  std::int64_t first_row = 0;

  // Whether the numbers are read from `bytes` as they lie there.
  [[nodiscard]] bool is_plain() const {
    return is_in_order() && !is_turned && added == nullptr && scales.empty();
  }
  [[nodiscard]] bool is_in_order() const { return interleaved_rows == 0 && row_step == 1; }
};

// Returns rows [first, first + count) of the first dimension, or with a step every so many of them,
// `count` in all; the tensor's own rows must be in order.
[[nodiscard]] TensorView RowsOf(const TensorView& tensor,
                                std::int64_t first,
                                std::int64_t count,
                                std::int64_t step = 1);

// Returns the same numbers in another shape with as many elements; the last dimension stays.
[[nodiscard]] TensorView Reshaped(TensorView tensor, std::vector<std::int64_t> shape);

// "[768,2304]", for messages.
[[nodiscard]] std::string ShapeText(const std::vector<std::int64_t>& shape);

// Bytes of an unchecked shape. Empty if a dimension is negative, if rows are not a whole number of
// blocks, or if elements or bytes exceed 2^63 - 1: also where a zero dimension would hide that the
// others are too large.
[[nodiscard]] std::optional<std::uint64_t> CheckedByteCount(const std::vector<std::int64_t>& shape,
                                                            DataType type);

// Number of elements; a TensorView's shape is already checked, so this cannot overflow.
[[nodiscard]] std::int64_t ElementCount(const TensorView& tensor);

}  // namespace headscope

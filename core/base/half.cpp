#include "core/base/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/base/check.h"
#include "core/base/quantised.h"

namespace headscope {
namespace {

template <typename Stored, typename Convert>
void ConvertEach(std::span<const std::byte> bytes,
                 std::int64_t first,
                 std::span<float> out,
                 Convert convert) {
  const std::byte* source = bytes.data() + static_cast<std::size_t>(first) * sizeof(Stored);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, source + i * sizeof(Stored), sizeof(Stored));
    out[i] = convert(stored);
  }
}

// Converts whole blocks in place, and partly wanted ones through a buffer.
void ConvertBlocks(const TensorView& tensor, std::size_t first, std::span<float> out) {
  constexpr std::size_t kMostElements = 256;
  const StorageBlock block = BlockOf(tensor.type);
  const auto decode = [&](std::size_t from, std::size_t blocks, float* to) {
    if (tensor.scales.empty()) {
      DequantiseBlocks(tensor.type, tensor.bytes.data() + from * block.bytes, blocks, to);
    } else {
      DequantisePairs(
          tensor.bytes.data() + from * kPairBytes, tensor.scales.data() + from, blocks, to);
    }
  };
  while (!out.empty()) {
    const std::size_t offset = first % block.elements;
    std::size_t count = out.size() / block.elements * block.elements;
    if (offset == 0 && count > 0) {
      decode(first / block.elements, count / block.elements, out.data());
    } else {
      std::array<float, kMostElements> whole{};
      decode(first / block.elements, 1, whole.data());
      count = std::min(out.size(), block.elements - offset);
      std::copy_n(whole.data() + offset, count, out.data());
    }
    first += count;
    out = out.subspan(count);
  }
}

// Converts elements in the order of their bytes.
void ConvertInOrder(const TensorView& tensor, std::int64_t first, std::span<float> out) {
  switch (tensor.type) {
    case DataType::kF64:
      ConvertEach<double>(tensor.bytes, first, out, [](double v) { return static_cast<float>(v); });
      return;
    case DataType::kF32:
      std::memcpy(out.data(),
                  tensor.bytes.data() + static_cast<std::size_t>(first) * sizeof(float),
                  out.size_bytes());
      return;
    case DataType::kF16:
      ConvertEach<std::uint16_t>(tensor.bytes, first, out, HalfToFloat);
      return;
    case DataType::kBf16:
      ConvertEach<std::uint16_t>(tensor.bytes, first, out, Bfloat16ToFloat);
      return;
    default:
      HEADSCOPE_CHECK(IsQuantised(tensor.type),
                      "the caller has checked that the tensor is floating point");
      ConvertBlocks(tensor, static_cast<std::size_t>(first), out);
  }
}

// Reads a matrix that is stored column by column.
void ConvertTurned(const TensorView& tensor, std::int64_t first, std::span<float> out) {
  HEADSCOPE_CHECK(!IsQuantised(tensor.type), "blocks of numbers cannot be turned");
  const std::int64_t cols = tensor.shape[1];
  const std::int64_t rows = static_cast<std::int64_t>(tensor.bytes.size() / ByteSize(tensor.type) /
                                                      static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t element = first + static_cast<std::int64_t>(i);
    const std::int64_t row = tensor.first_row + element / cols;
    ConvertInOrder(tensor, element % cols * rows + row, out.subspan(i, 1));
  }
}

// Adds a row's part of the product to `out`, which begins at column `col`.
void AddProductRow(const NarrowProduct& product,
                   std::int64_t row,
                   std::int64_t col,
                   std::span<float> out) {
  for (std::int64_t i = 0; i < product.rank; ++i) {
    const float factor = product.left[static_cast<std::size_t>(row * product.rank + i)];
    const float* from = product.right.data() + i * product.cols + col;
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] += factor * from[j];
    }
  }
}

// Calls `read` with each row that the elements from `first` on touch: row, column, piece of `out`.
template <typename Read>
void ForEachRow(std::int64_t first, std::int64_t cols, std::span<float> out, const Read& read) {
  while (!out.empty()) {
    const std::int64_t col = first % cols;
    const auto count = std::min(out.size(), static_cast<std::size_t>(cols - col));
    read(first / cols, col, out.first(count));
    first += static_cast<std::int64_t>(count);
    out = out.subspan(count);
  }
}

}  // namespace

float HalfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1FU;
  std::uint32_t mantissa = bits & 0x3FFU;
  if (exponent == 0x1FU) {
    return std::bit_cast<float>(sign | 0x7F800000U | (mantissa << 13U));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23U) | (mantissa << 13U));
  }
  // Zero and subnormal halves: mantissa * 2^-24.
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
}

float Bfloat16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

bool IsFloatingPoint(DataType type) {
  return type == DataType::kF64 || type == DataType::kF32 || type == DataType::kF16 ||
         type == DataType::kBf16 || IsQuantised(type);
}

std::int64_t StoredRow(std::int64_t row, const TensorView& tensor) {
  if (tensor.interleaved_rows == 0) {
    return row * tensor.row_step;
  }
  const std::int64_t half = tensor.interleaved_rows / 2;
  const std::int64_t in_head = row % tensor.interleaved_rows;
  return row - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
}

void ConvertToFloat(const TensorView& tensor, std::int64_t first, std::span<float> out) {
  if (out.empty()) {
    return;  // an empty tensor may have no address to copy from
  }
  if (tensor.is_turned) {
    ConvertTurned(tensor, first, out);
  } else if (tensor.is_in_order()) {
    ConvertInOrder(tensor, first, out);
  } else {
    const std::int64_t cols = ElementCount(tensor) / tensor.shape[0];
    ForEachRow(first, cols, out, [&](std::int64_t row, std::int64_t col, std::span<float> part) {
      ConvertInOrder(tensor, StoredRow(row, tensor) * cols + col, part);
    });
  }
  if (tensor.added != nullptr) {
    const NarrowProduct& added = *tensor.added;
    ForEachRow(
        first, added.cols, out, [&](std::int64_t row, std::int64_t col, std::span<float> part) {
          AddProductRow(added, tensor.first_row + row, col, part);
        });
  }
}

}  // namespace headscope

#include "core/base/tensor_view.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {

namespace {

struct TypeEntry {
  const char* name;
  StorageBlock block;
};

// In the order of DataType.
constexpr std::array kTypes = std::to_array<TypeEntry>({
    {"F64", {1, 8}},        {"F32", {1, 4}},      {"F16", {1, 2}},      {"BF16", {1, 2}},
    {"I64", {1, 8}},        {"I32", {1, 4}},      {"I16", {1, 2}},      {"I8", {1, 1}},
    {"U64", {1, 8}},        {"U32", {1, 4}},      {"U16", {1, 2}},      {"U8", {1, 1}},
    {"BOOL", {1, 1}},       {"Q4_0", {32, 18}},   {"Q4_1", {32, 20}},   {"Q5_0", {32, 22}},
    {"Q5_1", {32, 24}},     {"Q8_0", {32, 34}},   {"Q2_K", {256, 84}},  {"Q3_K", {256, 110}},
    {"Q4_K", {256, 144}},   {"Q5_K", {256, 176}}, {"Q6_K", {256, 210}}, {"IQ4_NL", {32, 18}},
    {"IQ4_XS", {256, 136}}, {"MXFP4", {32, 17}},
});
static_assert(kTypes.size() == static_cast<std::size_t>(DataType::kMxfp4) + 1);

}  // namespace

StorageBlock BlockOf(DataType type) {
  return kTypes[static_cast<std::size_t>(type)].block;
}

const char* Name(DataType type) {
  return kTypes[static_cast<std::size_t>(type)].name;
}

std::optional<DataType> DataTypeNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TypeEntry::name);
  return found == kTypes.end() ? std::nullopt
                               : std::optional(static_cast<DataType>(found - kTypes.begin()));
}

bool IsQuantised(DataType type) {
  return BlockOf(type).elements > 1;
}

std::size_t ByteSize(DataType type) {
  const StorageBlock block = BlockOf(type);
  HEADSCOPE_CHECK(block.elements == 1, "an element of a quantised type has no size of its own");
  return block.bytes;
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

TensorView RowsOf(const TensorView& tensor,
                  std::int64_t first,
                  std::int64_t count,
                  std::int64_t step) {
  HEADSCOPE_CHECK(tensor.is_in_order(), "rows to be put in order lie as they are");
  HEADSCOPE_CHECK(step == 1 || (!tensor.is_turned && tensor.added == nullptr),
                  "rows that take turns are read as they lie");
  TensorView part = tensor;
  part.first_row += first;
  const std::int64_t stored = count > 0 ? (count - 1) * step + 1 : 0;
  const auto cut = [&](std::span<const std::byte> bytes) {
    const std::size_t of_row = bytes.size() / static_cast<std::size_t>(tensor.shape.front());
    return bytes.subspan(static_cast<std::size_t>(first) * of_row,
                         static_cast<std::size_t>(stored) * of_row);
  };
  if (!tensor.is_turned) {
    part.bytes = cut(tensor.bytes);
    part.scales = cut(tensor.scales);
  }
  part.row_step = step;
  part.shape.front() = count;
  return part;
}

TensorView Reshaped(TensorView tensor, std::vector<std::int64_t> shape) {
  HEADSCOPE_CHECK(tensor.is_in_order() && !tensor.is_turned && tensor.added == nullptr,
                  "only a tensor that is read as it lies takes another shape");
  tensor.shape = std::move(shape);
  return tensor;
}

std::int64_t ElementCount(const TensorView& tensor) {
  if (!tensor.is_plain()) {
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.shape) {
      count *= size;
    }
    return count;
  }
  const StorageBlock block = BlockOf(tensor.type);
  return static_cast<std::int64_t>(tensor.bytes.size() / block.bytes * block.elements);
}

}  // namespace headscope

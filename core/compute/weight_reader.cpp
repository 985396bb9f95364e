#include "core/compute/weight_reader.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/compute/float_kernels.h"
#include "core/compute/input_checks.h"
#include "core/compute/quantised_kernels.h"

namespace headscope {
namespace {

// The part of a matrix to read, and where its rows go: row r to target + r * stride; null: nowhere,
// it is only checked.
struct Target {
  float* first = nullptr;
  std::int64_t stride = 0;
  std::int64_t first_column = 0;
  std::int64_t columns = 0;
};

bool IsUsableInPlace(const LinearSource& source) {
  const TensorView& weight = source.matrices.front().weight;
  return source.matrices.size() == 1 && weight.type == DataType::kF32 && weight.is_plain() &&
         reinterpret_cast<std::uintptr_t>(weight.bytes.data()) % alignof(float) == 0;
}

const float* InPlace(const TensorView& weight) {
  return reinterpret_cast<const float*>(weight.bytes.data());
}

// Reads rows [begin, end); returns the first row that holds NaN or infinity, or `end`.
std::int64_t ReadRows(const TensorView& weight,
                      const Target& target,
                      std::int64_t begin,
                      std::int64_t end) {
  const std::int64_t cols = weight.shape[1];
  const auto count = static_cast<std::size_t>(target.columns);
  std::atomic<std::int64_t> bad = end;
#pragma omp parallel for schedule(static) default(none) \
    shared(weight, target, begin, end, cols, count, bad)
  for (std::int64_t row = begin; row < end; ++row) {
    std::span<const float> values;
    const std::int64_t first = row * cols + target.first_column;
    if (target.first == nullptr) {
      values = {InPlace(weight) + first, count};
    } else {
      const std::span<float> to(target.first + row * target.stride, count);
      ConvertWeights(weight, first, to);
      values = to;
    }
    if (!AllFinite(values)) {
      std::int64_t known = bad;
      while (row < known && !bad.compare_exchange_weak(known, row)) {
      }
    }
  }
  return bad;
}

// Reads rows [begin, end) of the target.
Status ReadMatrix(const TensorView& weight,
                  const Target& target,
                  std::int64_t begin,
                  std::int64_t end,
                  const std::stop_token& stop) {
  constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 20;
  const std::int64_t step = std::max<std::int64_t>(kNumbersAtOnce / target.columns, 1);
  for (; begin < end; begin += step) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "reading the weights was stopped");
    }
    const std::int64_t step_end = std::min(begin + step, end);
    const std::int64_t bad = ReadRows(weight, target, begin, step_end);
    if (bad < step_end) {
      std::vector<float> row(static_cast<std::size_t>(weight.shape[1]));
      ConvertToFloat(weight, bad * weight.shape[1], row);
      return CheckFinite(weight, bad * weight.shape[1], row);
    }
  }
  return {};
}

}  // namespace

namespace {

// Converts elements of a tensor in the order of their bytes.
void ConvertStored(const TensorView& weight, std::int64_t first, std::span<float> to) {
  const auto count = static_cast<std::int64_t>(to.size());
  const StorageBlock block = BlockOf(weight.type);
  if (weight.type == DataType::kF16) {
    Kernels().from_half(weight.bytes.data() + 2 * first, to.data(), count);
  } else if (weight.type == DataType::kBf16) {
    Kernels().from_bfloat16(weight.bytes.data() + 2 * first, to.data(), count);
  } else if (const auto at = static_cast<std::size_t>(first);
             IsQuantised(weight.type) && weight.scales.empty() &&
             (at | to.size()) % block.elements == 0) {
    DecoderOf(weight.type)(weight.bytes.data() + at / block.elements * block.bytes,
                           to.size() / block.elements,
                           to.data());
  } else {
    TensorView in_order = weight;
    in_order.interleaved_rows = 0;
    in_order.row_step = 1;
    ConvertToFloat(in_order, first, to);
  }
}

}  // namespace

void ConvertWeights(const TensorView& weight, std::int64_t first, std::span<float> to) {
  if (weight.is_plain()) {
    ConvertStored(weight, first, to);
    return;
  }
  if (weight.is_turned || weight.added != nullptr) {
    ConvertToFloat(weight, first, to);
    return;
  }
  const std::int64_t cols = weight.shape[1];
  while (!to.empty()) {
    const std::int64_t column = first % cols;
    const auto count = std::min(to.size(), static_cast<std::size_t>(cols - column));
    ConvertStored(weight, StoredRow(first / cols, weight) * cols + column, to.first(count));
    first += static_cast<std::int64_t>(count);
    to = to.subspan(count);
  }
}

Result<ReadSource> ReadWeights(const LinearSource& source,
                               std::int64_t out,
                               FloatPool* pool,
                               const std::stop_token& stop) {
  const bool in_out = source.layout == WeightLayout::kInOut;
  try {
    ReadSource read;
    if (IsUsableInPlace(source)) {
      read.weights = InPlace(source.matrices.front().weight);
    } else {
      read.buffer = pool->Take(static_cast<std::size_t>(source.in * out));
      read.weights = read.buffer->data();
    }
    HEADSCOPE_TRY(ReadBias(source, out, &read.bias));
    std::int64_t column = 0;
    for (const LinearSource::Matrix& matrix : source.matrices) {
      const std::int64_t width = matrix.weight.shape[in_out ? 1 : 0];
      Target target{.columns = matrix.weight.shape[1]};
      if (read.buffer != nullptr) {
        target.first = read.buffer->data() + (in_out ? column : column * source.in);
        target.stride = in_out ? out : source.in;
      }
      HEADSCOPE_TRY(ReadMatrix(matrix.weight, target, 0, matrix.weight.shape[0], stop));
      column += width;
    }
    return read;
  } catch (const std::bad_alloc&) {
    return Fail(
        ErrorCode::kOutOfMemory,
        fmt::format("no memory for \"{}\" in float32", source.matrices.front().weight.name));
  }
}

Status ReadBias(const LinearSource& source, std::int64_t out, std::vector<float>* bias) {
  bias->assign(static_cast<std::size_t>(out), 0.0F);
  std::int64_t column = 0;
  for (const LinearSource::Matrix& matrix : source.matrices) {
    const std::int64_t width = matrix.weight.shape[source.layout == WeightLayout::kInOut ? 1 : 0];
    if (matrix.bias) {
      const std::span<float> to = std::span(*bias).subspan(static_cast<std::size_t>(column),
                                                           static_cast<std::size_t>(width));
      ConvertToFloat(*matrix.bias, 0, to);
      HEADSCOPE_TRY(CheckFinite(*matrix.bias, 0, to));
    }
    column += width;
  }
  return {};
}

Status ReadPanel(const TensorView& weight,
                 WeightLayout layout,
                 std::int64_t first,
                 std::int64_t last,
                 float* panel,
                 const std::stop_token& stop) {
  if (layout == WeightLayout::kInOut) {
    const Target target{
        .first = panel, .stride = last - first, .first_column = first, .columns = last - first};
    return ReadMatrix(weight, target, 0, weight.shape[0], stop);
  }
  const std::int64_t cols = weight.shape[1];
  return ReadMatrix(
      weight, {.first = panel - first * cols, .stride = cols, .columns = cols}, first, last, stop);
}

}  // namespace headscope

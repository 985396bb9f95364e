#include "core/compute/weight_reader.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

#include <fmt/format.h>

#include "core/base/half.h"
#include "core/compute/input_checks.h"

namespace headscope {
namespace {

// Where row r of a part goes: target + r * stride; null: nowhere, it is only checked.
struct Target {
  float* first = nullptr;
  std::int64_t stride = 0;
};

bool IsUsableInPlace(const LinearSource& source) {
  const TensorView& weight = source.parts.front().weight;
  return source.parts.size() == 1 && weight.type == DataType::kF32 &&
         weight.interleaved_rows == 0 &&
         reinterpret_cast<std::uintptr_t>(weight.bytes.data()) % alignof(float) == 0;
}

const float* InPlace(const TensorView& weight) {
  return reinterpret_cast<const float*>(weight.bytes.data());
}

// Rows [begin, end); gives the first row that holds NaN or infinity, or `end`.
std::int64_t ReadRows(const TensorView& weight,
                      const Target& target,
                      std::int64_t begin,
                      std::int64_t end) {
  const std::int64_t cols = weight.shape[1];
  std::atomic<std::int64_t> bad = end;
#pragma omp parallel for schedule(static) default(none) \
    shared(weight, target, begin, end, cols, bad)
  for (std::int64_t row = begin; row < end; ++row) {
    std::span<const float> values;
    if (target.first == nullptr) {
      values = {InPlace(weight) + row * cols, static_cast<std::size_t>(cols)};
    } else {
      const std::span<float> to(target.first + row * target.stride, static_cast<std::size_t>(cols));
      ConvertToFloat(weight, row * cols, to);
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

Status ReadPart(const TensorView& weight, const Target& target, const std::stop_token& stop) {
  constexpr std::int64_t kNumbersAtOnce = std::int64_t{1} << 20;
  const std::int64_t rows = weight.shape[0];
  const std::int64_t cols = weight.shape[1];
  const std::int64_t step = std::max<std::int64_t>(kNumbersAtOnce / cols, 1);
  for (std::int64_t begin = 0; begin < rows; begin += step) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "reading the weights was stopped");
    }
    const std::int64_t end = std::min(begin + step, rows);
    const std::int64_t bad = ReadRows(weight, target, begin, end);
    if (bad < end) {
      std::vector<float> row(static_cast<std::size_t>(cols));
      ConvertToFloat(weight, bad * cols, row);
      return CheckFinite(weight, bad * cols, row);
    }
  }
  return {};
}

}  // namespace

Result<ReadSource> ReadWeights(const LinearSource& source,
                               std::int64_t out,
                               FloatPool* pool,
                               const std::stop_token& stop) {
  const bool in_out = source.layout == WeightLayout::kInOut;
  try {
    ReadSource read;
    if (IsUsableInPlace(source)) {
      read.weights = InPlace(source.parts.front().weight);
    } else {
      read.buffer = pool->Take(static_cast<std::size_t>(source.in * out));
      read.weights = read.buffer->data();
    }
    read.bias.assign(static_cast<std::size_t>(out), 0.0F);
    std::int64_t column = 0;
    for (const LinearSource::Part& part : source.parts) {
      const std::int64_t width = part.weight.shape[in_out ? 1 : 0];
      Target target;
      if (read.buffer != nullptr) {
        target = {.first = read.buffer->data() + (in_out ? column : column * source.in),
                  .stride = in_out ? out : source.in};
      }
      HEADSCOPE_TRY(ReadPart(part.weight, target, stop));
      if (part.bias) {
        const std::span<float> to = std::span(read.bias).subspan(static_cast<std::size_t>(column),
                                                                 static_cast<std::size_t>(width));
        ConvertToFloat(*part.bias, 0, to);
        HEADSCOPE_TRY(CheckFinite(*part.bias, 0, to));
      }
      column += width;
    }
    return read;
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("no memory for \"{}\" in float32", source.parts.front().weight.name));
  }
}

}  // namespace headscope

#include "core/compute/few_rows.h"

#include <algorithm>
#include <new>
#include <omp.h>
#include <span>

#include "core/compute/dot_tiles.h"
#include "core/compute/float_kernels.h"
#include "core/compute/weight_reader.h"

namespace headscope {
namespace {

std::int64_t Divided(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

// Whole tiles of every form (dot_tiles.h).
constexpr std::int64_t kOutputsAtOnce = 24;

// The columns of a wide matrix in equal parts of whole blocks, of which the rows that meet in a tile
// stay in the first cache.
std::int64_t ColumnsAtOnce(std::int64_t width) {
  constexpr std::int64_t kMostColumns = 1024;
  constexpr std::int64_t kBlock = 256;
  const std::int64_t parts = Divided(width, kMostColumns);
  return Divided(Divided(width, parts), kBlock) * kBlock;
}

// What a thread will probably read after rows [first, first + kOutputsAtOnce) from column `end` on:
// their other columns, or the rows that are left when every thread has taken some.
struct NextRead {
  const std::byte* from = nullptr;
  std::int64_t rows = 0;
  std::int64_t stride = 0;
};

NextRead NextOf(const TensorView& weight, std::int64_t first, std::int64_t end) {
  const StorageBlock block = BlockOf(weight.type);
  const std::int64_t width = weight.shape[1];
  if (!weight.is_plain() || width % static_cast<std::int64_t>(block.elements) != 0) {
    return {};
  }
  if (end >= width) {
    first += omp_get_num_threads() * kOutputsAtOnce;
    end = 0;
  }
  const auto bytes_to = [&block](std::int64_t numbers) {
    return numbers / static_cast<std::int64_t>(block.elements) *
           static_cast<std::int64_t>(block.bytes);
  };
  return {.from = weight.bytes.data() + bytes_to(first * width + end),
          .rows = std::clamp<std::int64_t>(weight.shape[0] - first, 0, kOutputsAtOnce),
          .stride = bytes_to(width)};
}

// Weights [out, in]: each output is a dot product with one row of them. A thread converts a few
// rows, which stay in its own cache while all rows of the input meet them.
void AddOutputs(const TensorView& weight,
                const FewRows& few,
                FloatPool* pool,
                const std::stop_token& stop) {
  constexpr std::int64_t kMostMultiplies = 500'000'000;  // until it looks whether to stop
  const std::int64_t outputs = weight.shape[0];
  const std::int64_t tasks = Divided(outputs, kOutputsAtOnce);
  const std::int64_t columns = ColumnsAtOnce(few.width);
  const std::int64_t row_stride = WeightStride(columns);
  const std::int64_t step = std::max<std::int64_t>(kMostMultiplies / (columns * kOutputsAtOnce), 1);
  const auto block = static_cast<std::size_t>(row_stride * kOutputsAtOnce);
  auto converted = pool->Take(block * static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(weight, few, converted, block, tasks, outputs, columns, row_stride, step, stop)
  for (std::int64_t task = 0; task < tasks; ++task) {
    float* own = converted->data() + block * static_cast<std::size_t>(omp_get_thread_num());
    const std::int64_t first = task * kOutputsAtOnce;
    const std::int64_t count = std::min((task + 1) * kOutputsAtOnce, outputs) - first;
    for (std::int64_t begin = 0; begin < few.width && !stop.stop_requested(); begin += columns) {
      const std::int64_t width = std::min(begin + columns, few.width) - begin;
      for (std::int64_t i = 0; i < count; ++i) {
        ConvertWeights(weight,
                       (first + i) * few.width + begin,
                       {own + i * row_stride, static_cast<std::size_t>(width)});
      }
      const NextRead next = NextOf(weight, first, begin + columns);
      for (std::int64_t row = 0; row < few.rows && !stop.stop_requested(); row += step) {
        AddDots({.in = few.in + row * few.width + begin,
                 .in_stride = few.width,
                 .rows = std::min(step, few.rows - row),
                 .width = width,
                 .weights = own,
                 .weight_stride = row_stride,
                 .outputs = count,
                 .out = few.out + row * few.stride + first,
                 .stride = few.stride,
                 .next = next.from,
                 .next_rows = next.rows,
                 .next_stride = next.stride});
      }
    }
  }
  pool->Give(std::move(converted));
}

// Weights [in, out]: each row of weights, times one input, is added to all outputs. Groups of rows
// have their own sums, which are added at the end in order.
void AddOuter(const TensorView& weight,
              const FewRows& few,
              FloatPool* pool,
              const std::stop_token& stop) {
  constexpr std::int64_t kMostGroups = 32;
  constexpr std::int64_t kLeastRows = 64;
  const std::int64_t outputs = weight.shape[1];
  const std::int64_t group = std::max(kLeastRows, Divided(few.width, kMostGroups));
  const std::int64_t groups = Divided(few.width, group);
  const auto width = static_cast<std::size_t>(outputs);
  auto rows = pool->Take(width * static_cast<std::size_t>(omp_get_max_threads()));
  auto sums = pool->Take(width * static_cast<std::size_t>(groups * few.rows));
#pragma omp parallel for schedule(static) default(none) \
    shared(weight, few, rows, sums, width, group, groups, outputs, stop)
  for (std::int64_t task = 0; task < groups; ++task) {
    if (stop.stop_requested()) {
      continue;
    }
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::span<float> row(rows->data() + width * thread, width);
    float* own = sums->data() + task * few.rows * outputs;
    std::fill_n(own, few.rows * outputs, 0.0F);
    const std::int64_t end = std::min((task + 1) * group, few.width);
    for (std::int64_t input = task * group; input < end; ++input) {
      ConvertWeights(weight, input * outputs, row);
      for (std::int64_t i = 0; i < few.rows; ++i) {
        Kernels().add_scaled(few.in[i * few.width + input], row.data(), own + i * outputs, outputs);
      }
    }
  }
  for (std::int64_t task = 0; task < groups; ++task) {
    for (std::int64_t i = 0; i < few.rows; ++i) {
      Kernels().add(
          sums->data() + (task * few.rows + i) * outputs, few.out + i * few.stride, outputs);
    }
  }
  pool->Give(std::move(rows));
  pool->Give(std::move(sums));
}

}  // namespace

Status AddProduct(const TensorView& weight,
                  WeightLayout layout,
                  const FewRows& few,
                  FloatPool* pool,
                  const std::stop_token& stop) {
  try {
    if (layout == WeightLayout::kInOut) {
      AddOuter(weight, few, pool, stop);
    } else {
      AddOutputs(weight, few, pool, stop);
    }
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory, "no memory to convert weights");
  }
  if (stop.stop_requested()) {
    return Fail(ErrorCode::kCancelled, "the product was stopped");
  }
  return {};
}

}  // namespace headscope

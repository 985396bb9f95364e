#include "core/compute/few_rows.h"

#include <algorithm>
#include <new>
#include <omp.h>
#include <span>

#include "core/base/half.h"
#include "core/compute/dot_tiles.h"
#include "core/compute/float_kernels.h"
#include "core/compute/packed_tiles.h"
#include "core/compute/weight_reader.h"

namespace headscope {
namespace {

std::int64_t Divided(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

// The columns of a wide matrix in equal parts of whole blocks, of which the weights of some outputs
// stay in the second cache.
std::int64_t ColumnsAtOnce(std::int64_t width) {
  constexpr std::int64_t kMostColumns = 1024;
  constexpr std::int64_t kBlock = 256;
  const std::int64_t parts = Divided(width, kMostColumns);
  return Divided(Divided(width, parts), kBlock) * kBlock;
}

// Some outputs' weights of some columns.
struct Part {
  const TensorView& weight;
  std::int64_t first = 0;
  std::int64_t outputs = 0;
  std::int64_t begin = 0;
  std::int64_t width = 0;

  std::int64_t at(std::int64_t output, std::int64_t column) const {
    return (first + output) * weight.shape[1] + begin + column;
  }
};

// Rows of weights lie as they are stored (dot_tiles.h).
class DotTiles {
 public:
  explicit DotTiles(std::int64_t columns) : stride_(WeightStride(columns)) {}

  // Whole tiles of every form.
  static std::int64_t outputs() { return 24; }
  std::int64_t numbers() const { return stride_ * outputs(); }

  void Convert(const Part& part, float* to) const {
    for (std::int64_t i = 0; i < part.outputs; ++i) {
      ConvertWeights(
          part.weight, part.at(i, 0), {to + i * stride_, static_cast<std::size_t>(part.width)});
    }
  }
  void Add(TileBlock block) const {
    block.weight_stride = stride_;
    AddDots(block);
  }

 private:
  std::int64_t stride_;
};

// The weights of a column lie side by side (packed_tiles.h): faster for more rows than it takes to
// pay for packing.
class PackedTiles {
 public:
  explicit PackedTiles(std::int64_t columns) : columns_(columns) {}

  static bool Suits(const TensorView& weight, std::int64_t rows) {
    constexpr std::int64_t kFewestRows = 48;
    constexpr std::int64_t kFewestOfHalves = 8;
    return rows >= (TakesHalves(weight) ? kFewestOfHalves : kFewestRows);
  }

  std::int64_t outputs() const { return form_.outputs; }
  std::int64_t numbers() const { return columns_ * form_.outputs + kPackedRows * kRowStride; }

  void Convert(const Part& part, float* to) const {
    float* rows = to + columns_ * form_.outputs;
    for (std::int64_t output = 0; output < form_.outputs; output += kPackedRows) {
      if (output + kPackedRows <= part.outputs && PackHalves(part, output, to + output)) {
        continue;
      }
      for (std::int64_t column = 0; column < part.width; column += kChunk) {
        const std::int64_t width = std::min(kChunk, part.width - column);
        for (std::int64_t i = 0; i < kPackedRows; ++i) {
          const std::span<float> row(rows + i * kRowStride, static_cast<std::size_t>(width));
          if (output + i < part.outputs) {
            ConvertWeights(part.weight, part.at(output + i, column), row);
          } else {
            std::ranges::fill(row, 0.0F);
          }
        }
        form_.pack(rows, kRowStride, width, to + column * form_.outputs + output);
      }
    }
  }
  void Add(TileBlock block) const {
    block.weight_stride = form_.outputs;
    form_.add(block);
  }

 private:
  static constexpr std::int64_t kHalf = 2;     // bytes
  static constexpr std::int64_t kChunk = 256;  // of eight rows, in the first cache
  static constexpr std::int64_t kRowStride = WeightStride(kChunk);

  static bool TakesHalves(const TensorView& weight) {
    return PackedForms().back().pack_halves != nullptr && weight.type == DataType::kF16 &&
           !weight.is_turned && weight.added == nullptr && weight.shape[1] % kPackedRows == 0;
  }

  // Returns whether the rows are halves that lie equally far apart: those of half a head do.
  bool PackHalves(const Part& part, std::int64_t output, float* to) const {
    const TensorView& weight = part.weight;
    if (!TakesHalves(weight)) {
      return false;
    }
    const auto stored = [&](std::int64_t i) { return StoredRow(part.first + output + i, weight); };
    const std::int64_t step = stored(1) - stored(0);
    for (std::int64_t i = 2; i < kPackedRows; ++i) {
      if (stored(i) != stored(0) + i * step) {
        return false;
      }
    }
    const std::int64_t columns = weight.shape[1];
    form_.pack_halves(weight.bytes.data() + (stored(0) * columns + part.begin) * kHalf,
                      step * columns * kHalf,
                      part.width,
                      to);
    return true;
  }

  const PackedForm& form_ = PackedForms().back();
  std::int64_t columns_;
};

// What a thread will probably read after a part: other columns of the same outputs, or the outputs
// that are left when every thread has taken some.
NextRead NextOf(const Part& part, std::int64_t outputs, std::int64_t columns) {
  const TensorView& weight = part.weight;
  const StorageBlock block = BlockOf(weight.type);
  const std::int64_t width = weight.shape[1];
  // Rows that are stored in turns stand among those of their head, which are all read soon.
  if (weight.row_step != 1 || weight.is_turned || weight.added != nullptr ||
      !weight.scales.empty() || width % static_cast<std::int64_t>(block.elements) != 0) {
    return {};
  }
  const bool is_last = part.begin + part.width >= width;
  const std::int64_t first = part.first + (is_last ? omp_get_num_threads() * outputs : 0);
  const std::int64_t begin = is_last ? 0 : part.begin + part.width;
  const auto bytes_to = [&block](std::int64_t numbers) {
    return numbers / static_cast<std::int64_t>(block.elements) *
           static_cast<std::int64_t>(block.bytes);
  };
  return {.from = weight.bytes.data() + bytes_to(first * width + begin),
          .rows = std::clamp<std::int64_t>(weight.shape[0] - first, 0, outputs),
          .stride = bytes_to(width),
          .bytes = bytes_to(std::min(columns, width - begin))};
}

// Weights [out, in]: each output is a dot product with one row of them. A thread converts a few
// rows, which stay in its own cache while all rows of the input meet them.
template <typename Tiles>
void AddOutputs(const TensorView& weight,
                const FewRows& few,
                FloatPool* pool,
                const std::stop_token& stop) {
  constexpr std::int64_t kMostMultiplies = 500'000'000;  // until it looks whether to stop
  const std::int64_t columns = ColumnsAtOnce(few.width);
  const Tiles tiles(columns);
  const std::int64_t at_once = tiles.outputs();
  const std::int64_t tasks = Divided(weight.shape[0], at_once);
  const std::int64_t step = std::max<std::int64_t>(kMostMultiplies / (columns * at_once), 1);
  const std::int64_t numbers = tiles.numbers();
  auto converted = pool->Take(static_cast<std::size_t>(numbers * omp_get_max_threads()));
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(weight, few, converted, tiles, tasks, columns, at_once, numbers, step, stop)
  for (std::int64_t task = 0; task < tasks; ++task) {
    float* own = converted->data() + numbers * omp_get_thread_num();
    Part part{.weight = weight, .first = task * at_once};
    part.outputs = std::min(part.first + at_once, weight.shape[0]) - part.first;
    for (; part.begin < few.width && !stop.stop_requested(); part.begin += columns) {
      part.width = std::min(columns, few.width - part.begin);
      tiles.Convert(part, own);
      const NextRead next = NextOf(part, at_once, columns);
      for (std::int64_t row = 0; row < few.rows && !stop.stop_requested(); row += step) {
        tiles.Add({.in = few.in + row * few.width + part.begin,
                   .in_stride = few.width,
                   .rows = std::min(step, few.rows - row),
                   .width = part.width,
                   .weights = own,
                   .weight_stride = 0,
                   .outputs = part.outputs,
                   .out = few.out + row * few.stride + part.first,
                   .stride = few.stride,
                   .next = next});
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
    } else if (PackedTiles::Suits(weight, few.rows)) {
      AddOutputs<PackedTiles>(weight, few, pool, stop);
    } else {
      AddOutputs<DotTiles>(weight, few, pool, stop);
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

#include "core/compute/few_rows.h"

#include <algorithm>
#include <new>
#include <omp.h>
#include <span>
#include <utility>
#include <vector>

#include "core/base/half.h"
#include "core/compute/dot_tiles.h"
#include "core/compute/float_kernels.h"
#include "core/compute/panel_tiles.h"
#include "core/compute/weight_reader.h"

namespace headscope {
namespace {

std::int64_t Divided(std::int64_t count, std::int64_t by) {
  return (count + by - 1) / by;
}

// The columns of a wide matrix in equal parts of whole blocks, of which the weights of some outputs
// stay in the second cache.
std::int64_t ColumnsAtOnce(std::int64_t width) {
  constexpr std::int64_t kMostColumns = 2048;
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

// Rows of the input whose numbers lie side by side, column by column (panel_tiles.h).
struct Panel {
  std::int64_t row = 0;
  std::int64_t rows = 0;
};

// Whole registers of rows, in panels of nearly as many; too few rows for a register are in none.
std::vector<Panel> CutIntoPanels(std::int64_t rows) {
  const std::int64_t lanes = PanelForms().back().lanes;
  std::int64_t registers = rows / lanes;
  std::vector<Panel> panels;
  std::int64_t row = 0;
  for (std::int64_t left = Divided(registers, kMostPanelRegisters); left > 0; --left) {
    const std::int64_t own = Divided(registers, left);
    panels.push_back({.row = row, .rows = own * lanes});
    row += own * lanes;
    registers -= own;
  }
  return panels;
}

// Copies the panels' rows one panel after another, each [width, rows].
void Pack(const FewRows& few, std::span<const Panel> panels, float* to) {
  constexpr std::int64_t kColumns = 256;
  const std::int64_t parts = Divided(few.width, kColumns);
  const std::int64_t tasks = parts * std::ssize(panels);
#pragma omp parallel for schedule(static) default(none) shared(few, panels, to, parts, tasks)
  for (std::int64_t task = 0; task < tasks; ++task) {
    const Panel& panel = panels[static_cast<std::size_t>(task / parts)];
    const std::int64_t begin = task % parts * kColumns;
    const std::int64_t end = std::min(begin + kColumns, few.width);
    float* packed = to + panel.row * few.width;
    for (std::int64_t i = 0; i < panel.rows; ++i) {
      const float* row = few.in + (panel.row + i) * few.width;
      for (std::int64_t k = begin; k < end; ++k) {
        packed[k * panel.rows + i] = row[k];
      }
    }
  }
}

// Weights [out, in]: each output is a dot product with one row of them. A thread converts a few
// rows, which stay in its own cache while all rows of the input meet them: those in panels, and then
// those that are left.
void AddOutputs(const TensorView& weight,
                const FewRows& few,
                FloatPool* pool,
                const std::stop_token& stop) {
  constexpr std::int64_t kOutputs = 24;  // whole tiles of every form
  const PanelForm& form = PanelForms().back();
  const std::vector<Panel> panels = CutIntoPanels(few.rows);
  const std::int64_t in_panels = panels.empty() ? 0 : panels.back().row + panels.back().rows;
  const std::int64_t columns = ColumnsAtOnce(few.width);
  const std::int64_t stride = WeightStride(columns);
  const std::int64_t sums_stride = WeightStride(in_panels);
  const std::int64_t numbers = (stride + sums_stride) * kOutputs;
  const std::int64_t tasks = Divided(weight.shape[0], kOutputs);
  auto converted = pool->Take(static_cast<std::size_t>(numbers * omp_get_max_threads()));
  auto packed = pool->Take(static_cast<std::size_t>(in_panels * few.width));
  Pack(few, panels, packed->data());
#pragma omp parallel for schedule(dynamic) default(none)                       \
    shared(weight, few, form, panels, in_panels, columns, stride, sums_stride) \
        shared(numbers, tasks, converted, packed, stop)
  for (std::int64_t task = 0; task < tasks; ++task) {
    float* own = converted->data() + numbers * omp_get_thread_num();
    float* sums = own + stride * kOutputs;
    std::fill_n(sums, sums_stride * kOutputs, 0.0F);
    Part part{.weight = weight, .first = task * kOutputs};
    part.outputs = std::min(part.first + kOutputs, weight.shape[0]) - part.first;
    for (; part.begin < few.width && !stop.stop_requested(); part.begin += columns) {
      part.width = std::min(columns, few.width - part.begin);
      for (std::int64_t i = 0; i < part.outputs; ++i) {
        ConvertWeights(
            weight, part.at(i, 0), {own + i * stride, static_cast<std::size_t>(part.width)});
      }
      NextRead next = NextOf(part, kOutputs, columns);
      for (const Panel& panel : panels) {
        form.add({.panel = packed->data() + panel.row * few.width + part.begin * panel.rows,
                  .registers = panel.rows / form.lanes,
                  .width = part.width,
                  .weights = own,
                  .weight_stride = stride,
                  .outputs = part.outputs,
                  .sums = sums + panel.row,
                  .sums_stride = sums_stride,
                  .next = std::exchange(next, {})});
      }
      AddDots({.in = few.in + in_panels * few.width + part.begin,
               .in_stride = few.width,
               .rows = few.rows - in_panels,
               .width = part.width,
               .weights = own,
               .weight_stride = stride,
               .outputs = part.outputs,
               .out = few.out + in_panels * few.stride + part.first,
               .stride = few.stride,
               .next = next});
    }
    for (std::int64_t row = 0; row < in_panels; ++row) {
      float* out = few.out + row * few.stride + part.first;
      for (std::int64_t i = 0; i < part.outputs; ++i) {
        out[i] += sums[i * sums_stride + row];
      }
    }
  }
  pool->Give(std::move(converted));
  pool->Give(std::move(packed));
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
      constexpr std::int64_t kMostRows = 512;  // that lie packed beside the input
      for (std::int64_t row = 0; row < few.rows; row += kMostRows) {
        AddOutputs(weight, few.From(row, kMostRows), pool, stop);
      }
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

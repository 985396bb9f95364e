#include "core/model/read_weights.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/half.h"

namespace headscope {
namespace {

const TensorView& Find(const Model& model, const TensorNeed& need) {
  const TensorView* tensor = model.weights().Find(need.name);
  HEADSCOPE_CHECK(tensor != nullptr, "an open model holds every tensor it needs");
  return *tensor;
}

// Returns the columns of one matrix according to the description.
std::int64_t Width(const LinearNeed& need, const LinearNeed::Matrix& matrix) {
  if (need.layout == WeightLayout::kInOut) {
    return matrix.weight.columns ? matrix.weight.columns->count : matrix.weight.shape.back();
  }
  return matrix.weight.rows ? matrix.weight.rows->count : matrix.weight.shape.front();
}

// Returns where a column is stored in a matrix that holds queries, keys and values head by head.
std::int64_t StoredColumn(const LinearNeed& need, std::int64_t column) {
  if (need.fused_heads == 0) {
    return column;
  }
  constexpr std::int64_t kKinds = 3;
  const std::int64_t width = ColumnCount(need) / (kKinds * need.fused_heads);
  const std::int64_t kind = column / (need.fused_heads * width);
  const std::int64_t head = column / width % need.fused_heads;
  return (kKinds * head + kind) * width + column % width;
}

struct Place {
  const LinearNeed::Matrix* matrix = nullptr;
  std::int64_t column = 0;  // in the matrix
};

std::int64_t FirstRow(const TensorNeed& need) {
  return need.rows ? need.rows->first : 0;
}

Place PlaceOf(const LinearNeed& need, std::int64_t column) {
  std::int64_t stored = StoredColumn(need, column);
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    const std::int64_t width = Width(need, matrix);
    if (stored < width) {
      return {&matrix, stored};
    }
    stored -= width;
  }
  HEADSCOPE_CHECK(false, "the column is one of the product");
}

// Reads elements of one row of the tensor, or of a vector, from that column of the need on.
void ReadRun(const Model& model,
             const TensorNeed& need,
             std::int64_t row,
             std::int64_t column,
             std::span<float> out) {
  const TensorView& tensor = Find(model, need);
  const std::int64_t width = need.shape.size() == 1 ? 1 : need.shape.back();
  const ColumnPick columns = need.columns.value_or(ColumnPick{});
  const std::int64_t first = (FirstRow(need) + row) * width + columns.first;
  if (columns.step == 1) {
    ConvertToFloat(tensor, first + column, out);
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t own = column + static_cast<std::int64_t>(i);
    ConvertToFloat(tensor, first + own * columns.step, out.subspan(i, 1));
  }
}

// Reads the biases of columns from that place on.
void ReadBiases(const Model& model, const Place& place, std::span<float> out) {
  if (const auto& bias = place.matrix->bias) {
    ReadRun(model, *bias, 0, place.column, out);
  }
}

}  // namespace

std::int64_t ColumnCount(const LinearNeed& need) {
  std::int64_t count = 0;
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    count += Width(need, matrix);
  }
  return count;
}

ProjectionColumns ReadColumns(const Model& model,
                              const LinearNeed& need,
                              std::int64_t first,
                              std::int64_t count) {
  ProjectionColumns read{.in = need.in, .weight = {}, .bias = {}};
  read.weight.resize(static_cast<std::size_t>(count * need.in));
  read.bias.resize(static_cast<std::size_t>(count));
  const auto at = [&](std::int64_t column) { return static_cast<std::size_t>(column * need.in); };
  for (std::int64_t done = 0; done < count;) {
    const Place place = PlaceOf(need, first + done);
    const TensorNeed& weight = place.matrix->weight;
    std::int64_t run = 1;
    if (need.layout == WeightLayout::kOutIn) {
      ReadRun(model,
              weight,
              place.column,
              0,
              std::span(read.weight).subspan(at(done), static_cast<std::size_t>(need.in)));
    } else {
      HEADSCOPE_CHECK(need.fused_heads == 0, "only rows are kept head by head");
      run = std::min(count - done, Width(need, *place.matrix) - place.column);
      std::vector<float> piece(static_cast<std::size_t>(run));
      for (std::int64_t row = 0; row < need.in; ++row) {
        ReadRun(model, weight, row, place.column, piece);
        for (std::int64_t i = 0; i < run; ++i) {
          read.weight[at(done + i) + static_cast<std::size_t>(row)] =
              piece[static_cast<std::size_t>(i)];
        }
      }
    }
    ReadBiases(model,
               place,
               std::span(read.bias).subspan(static_cast<std::size_t>(done),
                                            static_cast<std::size_t>(run)));
    done += run;
  }
  return read;
}

std::vector<float> ReadBiases(const Model& model, const LinearNeed& need) {
  std::vector<float> read(static_cast<std::size_t>(ColumnCount(need)));
  const bool has_any = std::ranges::any_of(
      need.matrices, [](const auto& matrix) { return matrix.bias.has_value(); });
  for (std::int64_t column = 0; has_any && column < std::ssize(read);) {
    const Place place = PlaceOf(need, column);
    const std::int64_t run = need.fused_heads > 0 ? 1 : Width(need, *place.matrix);
    ReadBiases(
        model,
        place,
        std::span(read).subspan(static_cast<std::size_t>(column), static_cast<std::size_t>(run)));
    column += run;
  }
  return read;
}

NormWeights ReadNorm(const Model& model, const NormNeed& need) {
  const auto numbers = [&](const TensorNeed& tensor) {
    std::vector<float> values(static_cast<std::size_t>(ElementCount(Find(model, tensor))));
    ConvertToFloat(Find(model, tensor), 0, values);
    return values;
  };
  NormWeights norm{.kind = need.kind, .weight = {}, .bias = {}, .epsilon = need.epsilon};
  if (need.weight.name.empty()) {
    norm.weight.assign(static_cast<std::size_t>(need.weight.shape.front()), 1.0F);
  } else {
    norm.weight = numbers(need.weight);
  }
  for (float& value : norm.weight) {
    value += static_cast<float>(need.weight_offset);
  }
  if (need.bias) {
    norm.bias = numbers(*need.bias);
  }
  return norm;
}

}  // namespace headscope

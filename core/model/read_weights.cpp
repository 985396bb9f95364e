#include "core/model/read_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/base/half.h"

namespace headscope {
namespace {

const TensorView& Find(const Model& model, const TensorNeed& need) {
  const TensorView* tensor = model.weights().Find(need.name);
  HEADSCOPE_CHECK(tensor != nullptr, "an open model holds every tensor it needs");
  return *tensor;
}

// Returns the rows of a matrix, of which a need may ask for a part.
std::int64_t RowCount(const TensorNeed& need) {
  std::int64_t rows = 1;
  const std::size_t inner = need.tap ? 2 : 1;  // dimensions of what one row holds
  for (std::size_t i = 0; i + inner < need.shape.size(); ++i) {
    rows *= need.shape[i];
  }
  return need.rows ? need.rows->count : rows;
}

// Returns the columns of one matrix according to the description.
std::int64_t Width(const LinearNeed& need, const LinearNeed::Matrix& matrix) {
  if (need.layout == WeightLayout::kOutIn) {
    return RowCount(matrix.weight);
  }
  return matrix.weight.columns ? matrix.weight.columns->count : matrix.weight.shape.back();
}

// Returns the tensor, or a copy in float32 if its numbers are not kept one by one.
TensorView Plain(const TensorView& tensor, PickedBytes* picked) {
  if (tensor.is_plain() && !IsQuantised(tensor.type)) {
    return tensor;
  }
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  const auto bytes = std::as_bytes(std::span(values));
  TensorView copy;
  copy.name = tensor.name;
  copy.type = DataType::kF32;
  copy.shape = tensor.shape;
  copy.bytes = picked->emplace_back(bytes.begin(), bytes.end());
  return copy;
}

// Puts what each group of outputs reads in the places of its inputs, among zeros.
TensorView Spread(const TensorView& kept, std::int64_t groups, PickedBytes* picked) {
  const TensorView rows = Plain(kept, picked);
  const auto row_bytes = static_cast<std::size_t>(rows.shape.back()) * ByteSize(rows.type);
  const auto count = static_cast<std::size_t>(groups);
  const auto group_rows = static_cast<std::size_t>(rows.shape.front()) / count;
  std::vector<std::byte>& made = picked->emplace_back(rows.bytes.size() * count);
  for (std::size_t row = 0; row < group_rows * count; ++row) {
    std::memcpy(made.data() + (row * count + row / group_rows) * row_bytes,
                rows.bytes.data() + row * row_bytes,
                row_bytes);
  }
  TensorView whole = rows;
  whole.shape.back() *= groups;
  whole.bytes = made;
  return whole;
}

// Copies columns: the file has others between them.
TensorView Pick(const TensorView& kept, const ColumnPick& columns, PickedBytes* picked) {
  const TensorView rows = Plain(kept, picked);
  const std::size_t size = ByteSize(rows.type);
  const auto count = static_cast<std::size_t>(columns.count);
  const auto row_bytes = static_cast<std::size_t>(rows.shape.back()) * size;
  std::vector<std::byte>& made = picked->emplace_back(rows.bytes.size() / row_bytes * count * size);
  std::byte* to = made.data();
  for (std::size_t start = 0; start < rows.bytes.size(); start += row_bytes) {
    const std::byte* from =
        rows.bytes.data() + start + static_cast<std::size_t>(columns.first) * size;
    for (std::size_t i = 0; i < count; ++i, to += size) {
      std::memcpy(to, from + i * static_cast<std::size_t>(columns.step) * size, size);
    }
  }
  TensorView part = rows;
  part.shape.back() = columns.count;
  part.bytes = made;
  return part;
}

TensorView CutBias(const Model& model, const TensorNeed& need, PickedBytes* picked) {
  TensorView part = PartOf(model, need, picked);
  const std::int64_t count = ElementCount(part);
  return part.shape.size() == 1 ? part : Reshaped(std::move(part), {count});
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

// Reads the biases of columns from that place on.
void ReadBiases(const Model& model, const Place& place, std::span<float> out) {
  if (const auto& bias = place.matrix->bias) {
    PickedBytes picked;
    ConvertToFloat(CutBias(model, *bias, &picked), place.column, out);
  }
}

}  // namespace

TensorView PartOf(const Model& model, const TensorNeed& need, PickedBytes* picked) {
  TensorView part = Find(model, need);
  if (need.tap) {
    const std::int64_t cells = need.shape[0] * need.shape[1];
    part = Pick(Reshaped(part, {cells, need.shape[2]}), ColumnPick{*need.tap, 1}, picked);
    part.shape = {need.shape[0], need.shape[1]};
  }
  if (part.shape.size() > 2) {
    part = Reshaped(part, {ElementCount(part) / part.shape.back(), part.shape.back()});
  }
  if (need.rows) {
    part = RowsOf(part, need.rows->first, need.rows->count, need.rows->step);
  }
  if (need.columns) {
    part = Pick(part, *need.columns, picked);
  }
  return need.groups > 1 ? Spread(part, need.groups, picked) : part;
}

LinearSource SourceOf(const Model& model, const LinearNeed& need, PickedBytes* picked) {
  LinearSource source{.layout = need.layout, .in = need.in, .matrices = {}};
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    source.matrices.push_back(
        {PartOf(model, matrix.weight, picked),
         matrix.bias ? std::optional(CutBias(model, *matrix.bias, picked)) : std::nullopt});
  }
  return source;
}

const LinearNeed& OutputNeedOf(const ModelDescription& model, LayerId layer) {
  const LayerDescription& description =
      StackOf(model, layer.part).layer[static_cast<std::size_t>(layer.layer)];
  return layer.part == ModelPart::kCross ? description.cross->output : description.output;
}

std::int64_t ColumnCount(const LinearNeed& need) {
  std::int64_t count = 0;
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    count += Width(need, matrix);
  }
  return count;
}

ProjectionColumns ColumnReader::Read(std::int64_t first, std::int64_t count, InputRange inputs) {
  ProjectionColumns read{.in = inputs.count, .weight = {}, .bias = {}};
  read.weight.resize(static_cast<std::size_t>(count * inputs.count));
  read.bias.resize(static_cast<std::size_t>(count));
  const auto at = [&](std::int64_t column) {
    return static_cast<std::size_t>(column * inputs.count);
  };
  for (std::int64_t done = 0; done < count;) {
    const Place place = PlaceOf(need_, first + done);
    if (matrix_ != place.matrix) {
      matrix_ = place.matrix;
      picked_.clear();
      weight_ = PartOf(model_, matrix_->weight, &picked_);
    }
    std::int64_t run = 1;
    if (need_.layout == WeightLayout::kOutIn) {
      ConvertToFloat(
          weight_,
          place.column * need_.in + inputs.first,
          std::span(read.weight).subspan(at(done), static_cast<std::size_t>(inputs.count)));
    } else {
      HEADSCOPE_CHECK(need_.fused_heads == 0, "only rows are kept head by head");
      run = std::min(count - done, Width(need_, *place.matrix) - place.column);
      std::vector<float> piece(static_cast<std::size_t>(run));
      for (std::int64_t row = 0; row < inputs.count; ++row) {
        ConvertToFloat(weight_, (inputs.first + row) * weight_.shape[1] + place.column, piece);
        for (std::int64_t i = 0; i < run; ++i) {
          read.weight[at(done + i) + static_cast<std::size_t>(row)] =
              piece[static_cast<std::size_t>(i)];
        }
      }
    }
    ReadBiases(model_,
               place,
               std::span(read.bias).subspan(static_cast<std::size_t>(done),
                                            static_cast<std::size_t>(run)));
    done += run;
  }
  return read;
}

bool IsBiased(const LinearNeed& need, std::int64_t column) {
  return PlaceOf(need, column).matrix->bias.has_value();
}

ProjectionColumns ReadColumns(const Model& model,
                              const LinearNeed& need,
                              std::int64_t first,
                              std::int64_t count) {
  return ColumnReader(model, need).Read(first, count, {0, need.in});
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
  norm.heads = std::max<std::int64_t>(std::ssize(need.of_heads), 1);
  PickedBytes picked;
  for (const TensorNeed& own : need.of_heads) {
    const TensorView part = CutBias(model, own, &picked);
    std::vector<float> values(static_cast<std::size_t>(ElementCount(part)));
    ConvertToFloat(part, 0, values);
    norm.weight.insert(norm.weight.end(), values.begin(), values.end());
  }
  if (!need.weight.name.empty()) {
    norm.weight = numbers(need.weight);
  } else if (norm.weight.empty()) {
    norm.weight.assign(static_cast<std::size_t>(need.weight.shape.front()), 1.0F);
  }
  for (float& value : norm.weight) {
    value = (value + static_cast<float>(need.weight_offset)) * static_cast<float>(need.factor);
  }
  if (need.bias) {
    norm.bias = numbers(*need.bias);
  }
  return norm;
}

double StreamFactorOf(const Model& model, const LayerDescription& layer) {
  float factor = 1.0F;
  if (layer.stream_factor) {
    ConvertToFloat(Find(model, *layer.stream_factor), 0, {&factor, 1});
  }
  return static_cast<double>(factor);
}

Xielu ReadXielu(const Model& model, const XieluNeed& need) {
  const auto number = [&](const TensorNeed& one) {
    float value = 0.0F;
    ConvertToFloat(Find(model, one), 0, {&value, 1});
    return static_cast<double>(value);
  };
  const auto softplus = [](double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  };
  const double linear = number(need.linear);
  return {.positive = softplus(number(need.positive)),
          .negative = linear + softplus(number(need.negative)),
          .linear = linear,
          .most = number(need.most)};
}

NormWeights NormOfHead(NormWeights norm, std::int64_t head) {
  const std::ptrdiff_t width = std::ssize(norm.weight) / norm.heads;
  const std::ptrdiff_t first = head % norm.heads * width;
  for (std::vector<float>* values : {&norm.weight, &norm.bias}) {
    if (!values->empty()) {
      *values = std::vector<float>(values->begin() + first, values->begin() + first + width);
    }
  }
  norm.heads = 1;
  return norm;
}

}  // namespace headscope

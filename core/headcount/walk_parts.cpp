#include "core/headcount/walk_parts.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {
namespace {

constexpr std::int64_t kFewestRows = 16;

std::string Shape(std::int64_t rows, std::int64_t cols) {
  return fmt::format("[{},{}]", rows, cols);
}

}  // namespace

WalkRows WalkRowsOf(std::int64_t queries, std::int64_t keys, std::int64_t row) {
  const std::int64_t fit = kMostWalkCells / std::max<std::int64_t>(1, keys);
  const std::int64_t most = std::clamp(fit, kFewestRows, kMostWalkRows);
  if (queries <= most) {
    return {0, queries};
  }
  const std::int64_t step = most / 2;
  const std::int64_t first = std::max<std::int64_t>(0, row / step * step - step / 2);
  return {std::min(first, queries - most), most};
}

WalkNeeds WalkNeeds::Of(const LayerDescription& layer,
                        const StackDescription& stack,
                        ModelPart part) {
  const std::int64_t query_width = stack.heads * stack.WidthsOf(layer).key;
  const std::int64_t key_width = stack.kv_heads * stack.WidthsOf(layer).key;
  if (part == ModelPart::kCross) {
    const CrossDescription& cross = *layer.cross;
    return {.query = {&cross.query, 0},
            .key = {&cross.key_value, 0},
            .value = {&cross.key_value, key_width},
            .output = &cross.output};
  }
  if (layer.separate) {
    return {.query = {&layer.separate->query, 0},
            .key = {&layer.separate->key, 0},
            .value = {&layer.separate->value, 0},
            .output = &layer.output};
  }
  const LayerDescription& of_keys =
      layer.keys_of ? stack.layer[static_cast<std::size_t>(*layer.keys_of)] : layer;
  return {.query = {&layer.query_key_value, 0},
          .key = {&of_keys.query_key_value, query_width},
          .value = {&of_keys.query_key_value, query_width + key_width},
          .output = &layer.output};
}

bool HoldsBias(const LinearNeed& need) {
  return std::ranges::any_of(need.matrices,
                             [](const auto& matrix) { return matrix.bias.has_value(); });
}

void Measure(WalkMatrix* matrix) {
  matrix->largest = 0.0F;
  for (const float value : matrix->values) {
    const float size = std::abs(value);
    matrix->largest = std::isfinite(size) ? std::max(matrix->largest, size) : matrix->largest;
  }
}

WalkMatrix WholeMatrix(std::int64_t rows, std::int64_t cols, std::span<const float> values) {
  HEADSCOPE_CHECK(std::ssize(values) == rows * cols, "a matrix has a number for each cell");
  WalkMatrix matrix{.rows = rows, .cols = cols, .values = {values.begin(), values.end()}};
  Measure(&matrix);
  return matrix;
}

WalkMatrix EmptyMatrix(std::int64_t rows, std::int64_t cols, std::int64_t most) {
  WalkMatrix matrix{.rows = rows, .cols = cols};
  while (matrix.kept_rows() * matrix.kept_cols() > most) {
    ++matrix.step;
  }
  matrix.values.resize(static_cast<std::size_t>(matrix.kept_rows() * matrix.kept_cols()));
  return matrix;
}

void PutColumns(const ProjectionColumns& columns, std::int64_t first, WalkMatrix* matrix) {
  for (std::int64_t column = 0; column < columns.columns(); ++column) {
    const std::span<const float> from = columns.Column(column);
    float* to = matrix->values.data() + (first + column) / matrix->step;
    for (std::int64_t row = 0; row < columns.in; ++row) {
      const float value = from[static_cast<std::size_t>(row)];
      float& kept = to[row / matrix->step * matrix->kept_cols()];
      kept = std::abs(value) > std::abs(kept) ? value : kept;
      matrix->largest = std::max(matrix->largest, std::abs(value));
    }
  }
}

std::vector<float> Transposed(const ProjectionColumns& columns) {
  std::vector<float> values(columns.weight.size());
  const std::int64_t cols = columns.columns();
  for (std::int64_t column = 0; column < cols; ++column) {
    for (std::int64_t row = 0; row < columns.in; ++row) {
      values[static_cast<std::size_t>(row * cols + column)] =
          columns.weight[static_cast<std::size_t>(column * columns.in + row)];
    }
  }
  return values;
}

ProjectionColumns InputsOf(const ProjectionColumns& columns,
                           std::int64_t first,
                           std::int64_t count) {
  ProjectionColumns own{.in = count, .weight = {}, .bias = columns.bias};
  own.weight.reserve(static_cast<std::size_t>(columns.columns() * count));
  for (std::int64_t column = 0; column < columns.columns(); ++column) {
    const auto from = columns.Column(column).subspan(static_cast<std::size_t>(first),
                                                     static_cast<std::size_t>(count));
    own.weight.insert(own.weight.end(), from.begin(), from.end());
  }
  return own;
}

std::vector<float> HeadColumns(std::span<const float> values,
                               std::int64_t stride,
                               std::int64_t first,
                               std::int64_t width,
                               std::int64_t row,
                               std::int64_t rows) {
  std::vector<float> own(static_cast<std::size_t>(rows * width));
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(values.data() + (row + i) * stride + first, width, own.data() + i * width);
  }
  return own;
}

TensorView ViewOf(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return {.name = "weights of one head",
          .type = DataType::kF32,
          .shape = std::move(shape),
          .bytes = std::as_bytes(std::span<const float>(values))};
}

float Length(std::span<const float> values) {
  double square = 0.0;
  for (const float value : values) {
    square += static_cast<double>(value) * static_cast<double>(value);
  }
  return static_cast<float>(std::sqrt(square));
}

std::vector<float> RowLengths(const WalkMatrix& matrix) {
  std::vector<float> lengths;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    lengths.push_back(Length(std::span(matrix.values)
                                 .subspan(static_cast<std::size_t>(row * matrix.cols),
                                          static_cast<std::size_t>(matrix.cols))));
  }
  return lengths;
}

std::vector<float> ColumnSizes(std::span<const float> values, std::int64_t cols) {
  std::vector<double> squares(static_cast<std::size_t>(cols));
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares[i % squares.size()] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  std::vector<float> sizes;
  sizes.reserve(squares.size());
  const double rows = static_cast<double>(values.size()) / static_cast<double>(cols);
  for (const double square : squares) {
    sizes.push_back(static_cast<float>(std::sqrt(square / rows)));
  }
  return sizes;
}

float Cosine(std::span<const float> a, std::span<const float> b) {
  double product = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    product += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  const double lengths = static_cast<double>(Length(a)) * static_cast<double>(Length(b));
  return lengths > 0.0 ? static_cast<float>(std::clamp(product / lengths, -1.0, 1.0)) : 0.0F;
}

double LargestDifference(std::span<const float> a, std::span<const float> b) {
  HEADSCOPE_CHECK(a.size() == b.size(), "both ways give as many numbers");
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(apart <= largest)) {
      largest = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
    }
  }
  return largest;
}

std::shared_ptr<const RelativeBias> BiasOfHead(const AttentionRule& rule, std::int64_t head) {
  if (rule.bias == nullptr) {
    return nullptr;
  }
  RelativeBias own;
  own.span = rule.bias->span;
  if (const std::vector<float>& values = rule.bias->values; !values.empty()) {
    const std::int64_t width = 2 * own.span + 1;
    const float* from = values.data() + head * width;
    own.values.assign(from, from + width);
  }
  if (const std::vector<float>& slopes = rule.bias->slopes; !slopes.empty()) {
    own.slopes = {slopes[static_cast<std::size_t>(head)]};
  }
  return std::make_shared<const RelativeBias>(std::move(own));
}

std::shared_ptr<const std::vector<float>> SinkOfHead(const AttentionRule& rule, std::int64_t head) {
  if (rule.sinks == nullptr) {
    return nullptr;
  }
  return std::make_shared<const std::vector<float>>(1,
                                                    (*rule.sinks)[static_cast<std::size_t>(head)]);
}

std::vector<WalkLine> LinesOf(const LayerWalk& walk) {
  const AttentionShape& shape = walk.shape;
  const std::int64_t n = shape.queries;
  const std::int64_t m = shape.keys;
  const std::int64_t h = shape.heads;
  const std::int64_t d = walk.model_dim;
  const std::int64_t dk = shape.head_dim;
  const std::int64_t dv = shape.value_dim;
  const std::string read = Shape(n, d);
  std::vector<WalkLine> lines;
  lines.push_back({"read", "X " + read, fmt::format("{} × the same X {}", h, read)});
  lines.push_back({"project",
                   fmt::format("Q: {}×{}", read, Shape(d, h * dk)),
                   fmt::format("{} × {}×{}", h, read, Shape(d, dk))});
  if (shape.kv_heads != h || dk != dv || walk.has_own_keys) {
    lines.push_back(
        {"",
         fmt::format("K: {}, V: {}", Shape(m, shape.kv_heads * dk), Shape(m, shape.kv_heads * dv)),
         fmt::format("{} × {} and {}", shape.kv_heads, Shape(m, dk), Shape(m, dv))});
  }
  lines.push_back({"split", fmt::format("reshape [{},{},{}]", h, n, dk), "nothing"});
  lines.push_back({"attend",
                   fmt::format("[{},{},{}] batched", h, n, m),
                   fmt::format("{} × {}", h, Shape(n, m))});
  lines.push_back({"blend",
                   fmt::format("[{},{},{}] batched", h, n, dv),
                   fmt::format("{} × {}×{}", h, Shape(n, m), Shape(m, dv))});
  lines.push_back({"concatenate",
                   "reshape " + Shape(n, h * dv),
                   fmt::format("{} × {} side by side", h, Shape(n, dv))});
  lines.push_back({"mix",
                   fmt::format("{}×{}", Shape(n, h * dv), Shape(h * dv, d)),
                   fmt::format("sum of {} {}×{}", h, Shape(n, dv), Shape(dv, d))});
  return lines;
}

}  // namespace headscope

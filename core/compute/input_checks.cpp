#include "core/compute/input_checks.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/compute/float_kernels.h"

namespace headscope {
namespace {

Status CheckMatrix(const LinearSource::Matrix& matrix, const LinearSource& source) {
  const TensorView& weight = matrix.weight;
  const bool in_out = source.layout == WeightLayout::kInOut;
  if (!IsFloatingPoint(weight.type)) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("\"{}\" is {}, expected F32, F16, BF16 or F64; convert the weights",
                            weight.name,
                            Name(weight.type)));
  }
  if (weight.shape.size() != 2 || weight.shape[in_out ? 0 : 1] != source.in ||
      weight.shape[in_out ? 1 : 0] < 1) {
    return Fail(ErrorCode::kShape,
                fmt::format("\"{}\" is {}, expected {}",
                            weight.name,
                            ShapeText(weight.shape),
                            in_out ? fmt::format("[{},columns]", source.in)
                                   : fmt::format("[columns,{}]", source.in)));
  }
  if (!matrix.bias) {
    return {};
  }
  const std::int64_t out = weight.shape[in_out ? 1 : 0];
  if (!IsFloatingPoint(matrix.bias->type) || matrix.bias->shape != std::vector<std::int64_t>{out}) {
    return Fail(ErrorCode::kShape,
                fmt::format("\"{}\" is {} {}, expected floating-point numbers [{}]",
                            matrix.bias->name,
                            Name(matrix.bias->type),
                            ShapeText(matrix.bias->shape),
                            out));
  }
  return {};
}

}  // namespace

Result<std::int64_t> CheckSource(const LinearSource& source) {
  if (source.matrices.empty() || source.in < 1) {
    return Fail(
        ErrorCode::kShape,
        fmt::format("a product of {} matrices over {} columns, expected at least one of each",
                    source.matrices.size(),
                    source.in));
  }
  std::int64_t out = 0;
  for (const LinearSource::Matrix& matrix : source.matrices) {
    HEADSCOPE_TRY(CheckMatrix(matrix, source));
    out += matrix.weight.shape[source.layout == WeightLayout::kInOut ? 1 : 0];
  }
  HEADSCOPE_TRY(CheckSize(source.in, out));
  return out;
}

bool AllFinite(std::span<const float> values) {
  return Kernels().all_finite(values.data(), static_cast<std::int64_t>(values.size()));
}

Status CheckFinite(const TensorView& tensor, std::int64_t first, std::span<const float> values) {
  if (AllFinite(values)) {
    return {};
  }
  std::size_t index = 0;
  while (std::isfinite(values[index])) {
    ++index;
  }
  const std::int64_t element = first + static_cast<std::int64_t>(index);
  const std::int64_t cols = tensor.shape.size() == 2 ? tensor.shape[1] : 0;
  const std::string place = cols > 0
                                ? fmt::format("row {}, column {}", element / cols, element % cols)
                                : fmt::format("element {}", element);
  return Fail(ErrorCode::kNumeric,
              fmt::format("\"{}\" holds {} at {}, expected finite numbers; the file is damaged or "
                          "its training diverged",
                          tensor.name,
                          std::isnan(values[index]) ? "NaN" : "infinity",
                          place));
}

Status CheckSize(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kMostCells = std::numeric_limits<std::int64_t>::max() / 64;
  if (rows < 0 || cols < 0 || (cols > 0 && rows > kMostCells / cols)) {
    return Fail(ErrorCode::kShape, fmt::format("a matrix cannot be [{},{}]", rows, cols));
  }
  return {};
}

Status CheckApply(const Linear& linear, const Activations& in, const Activations& out) {
  if (in.cols() != linear.in() || out.cols() != linear.out() || in.rows() != out.rows()) {
    return Fail(ErrorCode::kShape,
                fmt::format("a product [{},{}] x [{},{}] cannot fill [{},{}]",
                            in.rows(),
                            in.cols(),
                            linear.in(),
                            linear.out(),
                            out.rows(),
                            out.cols()));
  }
  return {};
}

Status CheckNorm(const NormWeights& norm, const Activations& in, const Activations& out) {
  const auto weights = static_cast<std::int64_t>(norm.weight.size());
  const auto biases = static_cast<std::int64_t>(norm.bias.size());
  if (weights < 1 || norm.heads < 1 || weights % norm.heads != 0 || in.cols() % weights != 0 ||
      (biases != 0 && biases != weights) || in.cols() != out.cols() || in.rows() != out.rows()) {
    return Fail(ErrorCode::kShape,
                fmt::format("a norm of {} weights and {} biases cannot take [{},{}] to [{},{}]",
                            weights,
                            biases,
                            in.rows(),
                            in.cols(),
                            out.rows(),
                            out.cols()));
  }
  if (!AllFinite(norm.weight) || !AllFinite(norm.bias)) {
    return Fail(ErrorCode::kNumeric, "a norm's weights hold NaN or infinity");
  }
  return {};
}

void CheckRows(std::int64_t values, std::int64_t first, const Activations& out) {
  HEADSCOPE_CHECK(first >= 0 && out.cols() > 0 && values % out.cols() == 0 &&
                      first + values / out.cols() <= out.rows(),
                  "the rows lie within the activations");
}

Status CheckTable(const TensorView& table,
                  std::span<const std::int32_t> ids,
                  const Activations& out) {
  if (!IsFloatingPoint(table.type)) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("\"{}\" is {}, expected F32, F16, BF16 or F64; convert the weights",
                            table.name,
                            Name(table.type)));
  }
  if (table.shape.size() != 2 || table.shape[1] != out.cols() ||
      static_cast<std::int64_t>(ids.size()) != out.rows()) {
    return Fail(ErrorCode::kShape,
                fmt::format("\"{}\" is {}: {} of its rows cannot fill [{},{}]",
                            table.name,
                            ShapeText(table.shape),
                            ids.size(),
                            out.rows(),
                            out.cols()));
  }
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= table.shape[0]) {
      return Fail(ErrorCode::kInput,
                  fmt::format("\"{}\" has rows 0 to {}, but row {} was asked for",
                              table.name,
                              table.shape[0] - 1,
                              id));
    }
  }
  return {};
}

Status CheckAttention(const AttentionInput& input, const Activations* context) {
  const AttentionShape& shape = input.shape;
  if (shape.queries < 0 || shape.keys < 0 || shape.heads < 1 || shape.kv_heads < 1 ||
      shape.head_dim < 1 || shape.value_dim < 1 || shape.heads % shape.kv_heads != 0) {
    return Fail(ErrorCode::kShape,
                fmt::format("attention of {} heads over {} key heads, widths {} and {}, is not one",
                            shape.heads,
                            shape.kv_heads,
                            shape.head_dim,
                            shape.value_dim));
  }
  const auto fits = [](const Activations* given, std::int64_t rows, std::int64_t cols) {
    return given != nullptr && given->rows() == rows && given->cols() == cols;
  };
  const std::int64_t queries = input.texts * shape.queries;
  const std::int64_t keys = input.texts * shape.keys;
  if (input.text < 0 || input.text >= input.texts ||
      !fits(input.queries, queries, shape.heads * shape.head_dim) ||
      !fits(input.keys, keys, shape.kv_heads * shape.head_dim) ||
      !fits(input.values, keys, shape.kv_heads * shape.value_dim) ||
      (context != nullptr && !fits(context, queries, shape.heads * shape.value_dim))) {
    return Fail(
        ErrorCode::kShape,
        fmt::format("queries, keys, values or context do not fit an attention of {} queries, "
                    "{} keys, {} heads",
                    shape.queries,
                    shape.keys,
                    shape.heads));
  }
  return {};
}

}  // namespace headscope

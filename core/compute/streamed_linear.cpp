#include "core/compute/streamed_linear.h"

#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "core/compute/few_rows.h"
#include "core/compute/input_checks.h"
#include "core/compute/onednn_engine.h"
#include "core/compute/weight_reader.h"

namespace headscope {
namespace {

// Panels of this many numbers stay in the cache between conversion and product.
constexpr std::int64_t kPanelNumbers = std::int64_t{1} << 20;
// With weights [in, out], using each weight once while converting it is faster than making panels
// only up to this many rows.
constexpr std::int64_t kFewRows = 8;
// Keeps one product short enough to stop after it.
constexpr std::int64_t kMostMultiplies = 500'000'000;

}  // namespace

bool StreamedLinear::Wants(const LinearSource& source, std::int64_t out) {
  constexpr std::int64_t kFewNumbers = std::int64_t{1} << 19;
  return source.in * out > kFewNumbers &&
         std::all_of(source.matrices.begin(),
                     source.matrices.end(),
                     [](const LinearSource::Matrix& matrix) {
                       return matrix.weight.type != DataType::kF32 &&
                              matrix.weight.type != DataType::kF64;
                     });
}

Result<StreamedLinear> StreamedLinear::Make(LinearSource source, std::int64_t out) {
  StreamedLinear made;
  HEADSCOPE_TRY(ReadBias(source, out, &made.bias_));
  made.source_ = std::move(source);
  made.out_ = out;
  return made;
}

Status StreamedLinear::Apply(const float* in,
                             std::int64_t rows,
                             float* out,
                             FloatPool* pool,
                             const std::stop_token& stop) const {
  if (source_.layout == WeightLayout::kOutIn || rows <= kFewRows) {
    HEADSCOPE_TRY(ApplyAsConverted(in, rows, out, pool, stop));
    if (AllFinite({out, static_cast<std::size_t>(rows * out_)})) {
      return {};
    }
    // There is a damaged weight, which panels will name, or a sum is too large for float32.
  }
  return ApplyByPanels(in, rows, out, pool, stop);
}

void StreamedLinear::FillBias(std::int64_t rows, float* out) const {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::copy(bias_.begin(), bias_.end(), out + row * out_);
  }
}

Status StreamedLinear::ApplyAsConverted(const float* in,
                                        std::int64_t rows,
                                        float* out,
                                        FloatPool* pool,
                                        const std::stop_token& stop) const {
  FillBias(rows, out);
  std::int64_t column = 0;
  for (const LinearSource::Matrix& matrix : source_.matrices) {
    const FewRows few{
        .in = in, .rows = rows, .width = source_.in, .out = out + column, .stride = out_};
    HEADSCOPE_TRY(AddProduct(matrix.weight, source_.layout, few, pool, stop));
    column += matrix.weight.shape[source_.layout == WeightLayout::kInOut ? 1 : 0];
  }
  return {};
}

Status StreamedLinear::ApplyByPanels(const float* in,
                                     std::int64_t rows,
                                     float* out,
                                     FloatPool* pool,
                                     const std::stop_token& stop) const {
  const bool in_out = source_.layout == WeightLayout::kInOut;
  const std::int64_t width = std::max<std::int64_t>(kPanelNumbers / source_.in, 1);
  const std::int64_t step = std::max<std::int64_t>(kMostMultiplies / (source_.in * width), 1);
  std::unique_ptr<FloatBuffer> panel;
  try {
    panel = pool->Take(static_cast<std::size_t>(source_.in * width));
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory, "no memory to convert weights");
  }
  FillBias(rows, out);
  std::int64_t column = 0;
  for (const LinearSource::Matrix& matrix : source_.matrices) {
    const std::int64_t matrix_out = matrix.weight.shape[in_out ? 1 : 0];
    for (std::int64_t begin = 0; begin < matrix_out; begin += width) {
      const std::int64_t count = std::min(width, matrix_out - begin);
      HEADSCOPE_TRY(
          ReadPanel(matrix.weight, source_.layout, begin, begin + count, panel->data(), stop));
      for (std::int64_t row = 0; row < rows; row += step) {
        if (stop.stop_requested()) {
          return Fail(ErrorCode::kCancelled, "the product was stopped");
        }
        const SmallProduct product{.rows = std::min(step, rows - row),
                                   .cols = count,
                                   .in = source_.in,
                                   .a = in + row * source_.in,
                                   .a_stride = source_.in,
                                   .b = panel->data(),
                                   .b_stride = in_out ? count : source_.in,
                                   .b_transposed = !in_out,
                                   .c = out + row * out_ + column + begin,
                                   .c_stride = out_,
                                   .is_added = true};
        if (!Multiply(product)) {
          return Fail(ErrorCode::kOutOfMemory, "no memory for a product");
        }
      }
    }
    column += matrix_out;
  }
  pool->Give(std::move(panel));
  return {};
}

}  // namespace headscope

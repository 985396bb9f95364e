#include "core/compute/dot_tiles.h"

#include <cmath>
#include <vector>

#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

TEST_CASE("tiles of dot products are the sums, in every form", "[compute][dots]") {
  const std::int64_t rows = GENERATE(1, 3, 4, 11);
  const std::int64_t outputs = GENERATE(1, 5, 24, 25);
  const std::int64_t width = GENERATE(1, 15, 64, 301);
  const std::int64_t weight_stride = WeightStride(width);
  const std::int64_t stride = outputs + 3;
  const std::int64_t fetched = GENERATE(0, 7);
  CAPTURE(rows, outputs, width, fetched);
  CHECK(weight_stride >= width);
  const std::vector<float> in = RandomValues(rows * width, 1);
  const std::vector<float> weights = RandomValues(outputs * weight_stride, 2);
  const std::vector<std::byte> next(static_cast<std::size_t>(7 * width));
  for (const AddTileBlock form : UsableDots()) {
    std::vector<float> out(static_cast<std::size_t>(rows * stride), 0.5F);
    form({.in = in.data(),
          .in_stride = width,
          .rows = rows,
          .width = width,
          .weights = weights.data(),
          .weight_stride = weight_stride,
          .outputs = outputs,
          .out = out.data(),
          .stride = stride,
          .next = {.from = next.data(), .rows = fetched, .stride = width, .bytes = width}});
    std::size_t wrong = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t output = 0; output < stride; ++output) {
        double sum = 0.5;
        double size = 0.5;
        for (std::int64_t k = 0; output < outputs && k < width; ++k) {
          const double product =
              static_cast<double>(in[static_cast<std::size_t>(row * width + k)]) *
              static_cast<double>(weights[static_cast<std::size_t>(output * weight_stride + k)]);
          sum += product;
          size += std::abs(product);
        }
        const auto got = static_cast<double>(out[static_cast<std::size_t>(row * stride + output)]);
        wrong += std::abs(got - sum) <= test::RandomSumBound(size, width) ? 0U : 1U;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("an output is the same whatever rows and outputs stand beside it", "[compute][dots]") {
  constexpr std::int64_t kRows = 9;
  constexpr std::int64_t kOutputs = 13;
  constexpr std::int64_t kWidth = 77;
  constexpr std::int64_t kStride = WeightStride(kWidth);
  const std::vector<float> in = RandomValues(kRows * kWidth, 1);
  const std::vector<float> weights = RandomValues(kOutputs * kStride, 2);
  std::vector<float> whole(kRows * kOutputs);
  TileBlock block{.in = in.data(),
                  .in_stride = kWidth,
                  .rows = kRows,
                  .width = kWidth,
                  .weights = weights.data(),
                  .weight_stride = kStride,
                  .outputs = kOutputs,
                  .out = whole.data(),
                  .stride = kOutputs,
                  .next = {}};
  AddDots(block);
  std::vector<float> single(kRows * kOutputs);
  block.rows = 1;
  block.outputs = 1;
  for (std::int64_t i = 0; i < kRows * kOutputs; ++i) {
    block.in = in.data() + i / kOutputs * kWidth;
    block.weights = weights.data() + i % kOutputs * kStride;
    block.out = single.data() + i;
    AddDots(block);
  }
  CHECK(single == whole);
}

}  // namespace
}  // namespace headscope

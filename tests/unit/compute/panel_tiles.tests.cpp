#include "core/compute/panel_tiles.h"

#include <cmath>
#include <vector>

#include "core/compute/dot_tiles.h"
#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

TEST_CASE("panels times weights are the sums, in every form", "[compute][panel]") {
  const std::int64_t registers = GENERATE(1, 2, 3);
  const std::int64_t outputs = GENERATE(1, 4, 7, 24);
  const std::int64_t width = GENERATE(1, 15, 256, 301);
  const std::int64_t fetched = GENERATE(0, 7);
  const std::int64_t stride = WeightStride(width);
  const std::vector<float> weights = RandomValues(outputs * stride, 2);
  const std::vector<std::byte> next(static_cast<std::size_t>(7 * width));
  for (const PanelForm& form : PanelForms()) {
    const std::int64_t rows = registers * form.lanes;
    const std::int64_t sums_stride = rows + 3;
    CAPTURE(rows, outputs, width, fetched);
    const std::vector<float> panel = RandomValues(width * rows, 1);
    // One output more than there is, which stays as it was.
    std::vector<float> sums(static_cast<std::size_t>((outputs + 1) * sums_stride), 0.5F);
    form.add({.panel = panel.data(),
              .registers = registers,
              .width = width,
              .weights = weights.data(),
              .weight_stride = stride,
              .outputs = outputs,
              .sums = sums.data(),
              .sums_stride = sums_stride,
              .next = {.from = next.data(), .rows = fetched, .stride = width, .bytes = width}});
    std::size_t wrong = 0;
    for (std::int64_t output = 0; output <= outputs; ++output) {
      for (std::int64_t row = 0; row < sums_stride; ++row) {
        double sum = 0.5;
        double size = 0.5;
        for (std::int64_t k = 0; output < outputs && row < rows && k < width; ++k) {
          const double product =
              static_cast<double>(panel[static_cast<std::size_t>(k * rows + row)]) *
              static_cast<double>(weights[static_cast<std::size_t>(output * stride + k)]);
          sum += product;
          size += std::abs(product);
        }
        const auto got =
            static_cast<double>(sums[static_cast<std::size_t>(output * sums_stride + row)]);
        wrong += std::abs(got - sum) <= test::RandomSumBound(size, width) ? 0U : 1U;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a sum is the same whatever rows and outputs stand beside it", "[compute][panel]") {
  constexpr std::int64_t kOutputs = 24;
  constexpr std::int64_t kWidth = 301;
  const std::int64_t stride = WeightStride(kWidth);
  const std::vector<float> weights = RandomValues(kOutputs * stride, 2);
  for (const PanelForm& form : PanelForms()) {
    const std::int64_t rows = kMostPanelRegisters * form.lanes;
    const std::vector<float> panel = RandomValues(kWidth * rows, 1);
    std::vector<float> whole(static_cast<std::size_t>(kOutputs * rows));
    PanelBlock block{.panel = panel.data(),
                     .registers = kMostPanelRegisters,
                     .width = kWidth,
                     .weights = weights.data(),
                     .weight_stride = stride,
                     .outputs = kOutputs,
                     .sums = whole.data(),
                     .sums_stride = rows,
                     .next = {}};
    form.add(block);
    std::vector<float> single(whole.size());
    std::vector<float> own(static_cast<std::size_t>(kWidth * form.lanes));
    block.registers = 1;
    block.panel = own.data();
    block.outputs = 1;
    for (std::int64_t first = 0; first < rows; first += form.lanes) {
      for (std::int64_t k = 0; k < kWidth; ++k) {
        std::copy_n(panel.data() + k * rows + first, form.lanes, own.data() + k * form.lanes);
      }
      for (std::int64_t output = 0; output < kOutputs; ++output) {
        block.weights = weights.data() + output * stride;
        block.sums = single.data() + output * rows + first;
        form.add(block);
      }
    }
    CHECK(single == whole);
  }
}

}  // namespace
}  // namespace headscope

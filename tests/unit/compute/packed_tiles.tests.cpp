#include "core/compute/packed_tiles.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

// Weights [outputs, width] as the form wants them; outputs that do not exist are not numbers.
std::vector<float> Packed(const PackedForm& form,
                          const std::vector<float>& weights,
                          std::int64_t outputs,
                          std::int64_t width) {
  std::vector<float> rows(static_cast<std::size_t>(form.outputs * width), std::nanf(""));
  std::copy_n(weights.begin(), outputs * width, rows.begin());
  std::vector<float> packed(static_cast<std::size_t>(form.outputs * width));
  for (std::int64_t output = 0; output < form.outputs; output += kPackedRows) {
    form.pack(rows.data() + output * width, width, width, packed.data() + output);
  }
  return packed;
}

TEST_CASE("packed weights of a column lie side by side, in every form", "[compute][packed]") {
  const std::int64_t width = GENERATE(1, 3, 4, 8, 21, 256);
  for (const PackedForm& form : PackedForms()) {
    CAPTURE(width, form.outputs);
    const std::vector<float> weights = RandomValues(form.outputs * width, 1);
    const std::vector<float> packed = Packed(form, weights, form.outputs, width);
    std::size_t wrong = 0;
    for (std::int64_t output = 0; output < form.outputs; ++output) {
      for (std::int64_t k = 0; k < width; ++k) {
        wrong += packed[static_cast<std::size_t>(k * form.outputs + output)] ==
                         weights[static_cast<std::size_t>(output * width + k)]
                     ? 0U
                     : 1U;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("halves are packed as the numbers they stand for", "[compute][packed]") {
  const std::int64_t width = GENERATE(8, 24, 256);
  // Every bit pattern once in a while, those that are no number left out.
  std::vector<std::uint16_t> halves(static_cast<std::size_t>(kPackedRows * width));
  std::vector<float> numbers(halves.size());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const auto bits = static_cast<std::uint16_t>(i * 12007U + 5U);
    const int exponent = (bits >> 10) & 31;
    halves[i] = exponent == 31 ? std::uint16_t{0x8001} : bits;
    const int kept = (halves[i] >> 10) & 31;
    const auto fraction = static_cast<float>(halves[i] & 1023);
    const float size =
        kept == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024.0F, kept - 25);
    numbers[i] = (halves[i] & 0x8000) != 0 ? -size : size;
  }
  for (const PackedForm& form : PackedForms()) {
    if (form.pack_halves == nullptr) {
      continue;
    }
    std::vector<float> from_halves(static_cast<std::size_t>(form.outputs * width), 0.5F);
    std::vector<float> from_numbers = from_halves;
    form.pack_halves(
        reinterpret_cast<const std::byte*>(halves.data()), 2 * width, width, from_halves.data());
    form.pack(numbers.data(), width, width, from_numbers.data());
    CHECK(from_halves == from_numbers);
  }
}

TEST_CASE("packed tiles are the sums, in every form", "[compute][packed]") {
  const std::int64_t rows = GENERATE(1, 2, 3, 4, 7, 8, 13);
  const std::int64_t missing = GENERATE(0, 1, 5);
  const std::int64_t width = GENERATE(1, 15, 256, 301);
  const std::int64_t fetched = GENERATE(0, 7);
  const std::vector<float> in = RandomValues(rows * width, 1);
  const std::vector<std::byte> next(static_cast<std::size_t>(7 * width));
  for (const PackedForm& form : PackedForms()) {
    const std::int64_t outputs = form.outputs - missing;
    const std::int64_t stride = outputs + 3;
    CAPTURE(rows, outputs, width, fetched);
    const std::vector<float> weights = RandomValues(outputs * width, 2);
    const std::vector<float> packed = Packed(form, weights, outputs, width);
    std::vector<float> out(static_cast<std::size_t>(rows * stride), 0.5F);
    form.add({.in = in.data(),
              .in_stride = width,
              .rows = rows,
              .width = width,
              .weights = packed.data(),
              .weight_stride = form.outputs,
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
              static_cast<double>(weights[static_cast<std::size_t>(output * width + k)]);
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

TEST_CASE("a packed output is the same whatever rows stand beside it", "[compute][packed]") {
  constexpr std::int64_t kRows = 15;
  constexpr std::int64_t kWidth = 301;
  const std::vector<float> in = RandomValues(kRows * kWidth, 1);
  for (const PackedForm& form : PackedForms()) {
    const std::vector<float> weights = RandomValues(form.outputs * kWidth, 2);
    const std::vector<float> packed = Packed(form, weights, form.outputs, kWidth);
    std::vector<float> whole(static_cast<std::size_t>(kRows * form.outputs));
    TileBlock block{.in = in.data(),
                    .in_stride = kWidth,
                    .rows = kRows,
                    .width = kWidth,
                    .weights = packed.data(),
                    .weight_stride = form.outputs,
                    .outputs = form.outputs,
                    .out = whole.data(),
                    .stride = form.outputs,
                    .next = {}};
    form.add(block);
    std::vector<float> single(whole.size());
    block.rows = 1;
    for (std::int64_t row = 0; row < kRows; ++row) {
      block.in = in.data() + row * kWidth;
      block.out = single.data() + row * form.outputs;
      form.add(block);
    }
    CHECK(single == whole);
  }
}

}  // namespace
}  // namespace headscope

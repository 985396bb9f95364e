#include "core/train/product.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

std::vector<float> DrawProductNumbers(std::int64_t count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) {
    number = static_cast<float>(random.Normal());
  }
  return numbers;
}

struct ProductSizes {
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t cols;
};

constexpr ProductSizes kSizes[] = {{1, 1, 1},
                                   {6, 16, 16},
                                   {7, 5, 17},
                                   {13, 300, 33},
                                   {64, 80, 4},
                                   {80, 4, 80},
                                   {5, 257, 9},
                                   {23, 64, 3},
                                   {80, 16, 64},
                                   {10, 300, 20}};

// Whether a number of `left` counts, and one of `out`.
bool HasLeft(Triangle triangle, std::int64_t row, std::int64_t step) {
  return triangle == Triangle::kLeftLower   ? step <= row
         : triangle == Triangle::kLeftUpper ? step >= row
                                            : true;
}
bool HasOut(Triangle triangle, std::int64_t row, std::int64_t col) {
  return triangle != Triangle::kOutLower || col <= row;
}

TEST_CASE("products are those of double, in every form, turned or not, of triangles too",
          "[train]") {
  for (const MultiplyForm<float> form : UsableMultiplyForms<float>()) {
    for (const auto& [rows, inner, cols] : kSizes) {
      for (const Triangle triangle :
           {Triangle::kNone, Triangle::kOutLower, Triangle::kLeftLower, Triangle::kLeftUpper}) {
        for (const bool is_turned : {false, true}) {
          std::vector<float> left = DrawProductNumbers(rows * inner, 1);
          const std::vector<float> right = DrawProductNumbers(inner * cols, 2);
          const std::vector<float> bias = DrawProductNumbers(cols, 3);
          std::vector<float> out = DrawProductNumbers(rows * cols, 4);
          const std::vector<float> before = out;
          SmallProduct<float> product{.rows = rows,
                                      .inner = inner,
                                      .cols = cols,
                                      .left = left.data(),
                                      .left_row = is_turned ? 1 : inner,
                                      .left_step = is_turned ? rows : 1,
                                      .right = right.data(),
                                      .right_step = is_turned ? 1 : cols,
                                      .right_col = is_turned ? inner : 1,
                                      .out = out.data(),
                                      .out_row = cols,
                                      .bias = is_turned ? nullptr : bias.data(),
                                      .adds = is_turned,
                                      .triangle = triangle};
          for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t step = 0; step < inner; ++step) {
              if (!HasLeft(triangle, row, step)) {
                left[static_cast<std::size_t>(row * product.left_row + step * product.left_step)] =
                    0.0F;
              }
            }
          }
          REQUIRE(form(product, {}));
          for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t col = 0; col < cols; ++col) {
              if (!HasOut(triangle, row, col)) {
                continue;
              }
              const auto place = static_cast<std::size_t>(row * cols + col);
              double wanted = is_turned ? static_cast<double>(before[place])
                                        : static_cast<double>(bias[static_cast<std::size_t>(col)]);
              double size = std::abs(wanted);
              for (std::int64_t step = 0; step < inner; ++step) {
                const double term =
                    static_cast<double>(
                        product.left[row * product.left_row + step * product.left_step]) *
                    static_cast<double>(
                        product.right[step * product.right_step + col * product.right_col]);
                wanted += term;
                size += std::abs(term);
              }
              REQUIRE(std::abs(static_cast<double>(out[place]) - wanted) <= 1e-6 * size + 1e-30);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("equal columns and rows have equal bits, wherever they stand", "[train]") {
  constexpr std::int64_t kInner = 300;  // more than a block
  const std::vector<float> left = DrawProductNumbers(kInner, 1);
  const std::vector<float> right = DrawProductNumbers(kInner, 2);
  const std::vector<float> bias(40, 0.7F);
  for (const MultiplyForm<float> form : UsableMultiplyForms<float>()) {
    // Rows and columns that leave every number of each at the end of tiles and registers.
    std::optional<float> first;
    for (std::int64_t rows = 12; rows < 36; ++rows) {
      for (const std::int64_t cols : {1, 3, 4, 5, 8, 16, 19, 35, 37, 40}) {
        std::vector<float> out(static_cast<std::size_t>(rows * cols), 0.3F);
        REQUIRE(form({.rows = rows,
                      .inner = kInner,
                      .cols = cols,
                      .left = left.data(),
                      .left_row = 0,
                      .right = right.data(),
                      .right_step = 1,
                      .right_col = 0,
                      .out = out.data(),
                      .out_row = cols,
                      .bias = bias.data(),
                      .adds = true},
                     {}));
        first = first.value_or(out[0]);
        CHECK(std::ranges::all_of(out, [&](float one) { return one == *first; }));
      }
    }
  }
}

}  // namespace
}  // namespace headscope

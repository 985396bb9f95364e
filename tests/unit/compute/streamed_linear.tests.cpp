#include "core/compute/streamed_linear.h"

#include <bit>
#include <cstdint>

#include "core/base/half.h"
#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

// Bits of the nearest bfloat16, and of a half that holds the same power of two.
std::vector<std::uint16_t> Shortened(const std::vector<float>& values, DataType type) {
  std::vector<std::uint16_t> shortened;
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (type == DataType::kBf16) {
      shortened.push_back(static_cast<std::uint16_t>(bits >> 16U));
    } else {
      const std::uint32_t exponent = (bits >> 23U) & 0xFFU;
      const std::uint32_t magnitude =
          exponent < 113U ? 0U : (((exponent - 112U) << 10U) | ((bits >> 13U) & 0x3FFU));
      shortened.push_back(static_cast<std::uint16_t>((bits >> 16U & 0x8000U) | magnitude));
    }
  }
  return shortened;
}

struct Matrix {
  std::vector<std::uint16_t> bits;
  TensorView view;
};

Matrix ShortMatrix(DataType type, std::vector<std::int64_t> shape, std::uint64_t seed) {
  Matrix matrix;
  matrix.bits = Shortened(RandomValues(shape[0] * shape[1], seed, 0.03), type);
  matrix.view = {.name = "w" + std::to_string(seed),
                 .type = type,
                 .shape = std::move(shape),
                 .bytes = std::as_bytes(std::span(matrix.bits))};
  return matrix;
}

TEST_CASE("Weights of 16 bits are multiplied as they lie in the file", "[compute][streamed]") {
  const DataType type = GENERATE(DataType::kF16, DataType::kBf16);
  const WeightLayout layout = GENERATE(WeightLayout::kInOut, WeightLayout::kOutIn);
  const std::int64_t rows = GENERATE(1, 3, 8, 9, 25, 70, 521);
  struct Lie {
    std::int64_t in = 0;
    std::int64_t interleaved = 0;  // rows of a head: in a tile equally far apart, or not
  };
  const Lie lie = GENERATE(Lie{700, 0}, Lie{3300, 0}, Lie{1032, 0}, Lie{1032, 20}, Lie{1032, 64});
  if (layout == WeightLayout::kInOut && lie.interleaved != 0) {
    return;  // outputs are columns
  }
  const std::int64_t in = lie.in;
  if (rows > 512 && (in != 700 || layout == WeightLayout::kInOut || type == DataType::kBf16)) {
    return;  // parts of many rows differ in nothing else
  }
  const std::vector<std::int64_t> outs = {1600, 37};
  CAPTURE(static_cast<int>(type), static_cast<int>(layout), rows, in, lie.interleaved);
  LinearSource source{.layout = layout, .in = in, .matrices = {}};
  std::vector<Matrix> matrices;
  const std::vector<float> bias = RandomValues(outs[1], 9);
  for (std::size_t i = 0; i < outs.size(); ++i) {
    matrices.push_back(ShortMatrix(type,
                                   layout == WeightLayout::kInOut
                                       ? std::vector<std::int64_t>{in, outs[i]}
                                       : std::vector<std::int64_t>{outs[i], in},
                                   i));
    matrices[i].view.interleaved_rows = i == 0 ? lie.interleaved : 0;
    source.matrices.push_back({.weight = matrices[i].view, .bias = std::nullopt});
  }
  source.matrices[1].bias = View("b", {outs[1]}, bias);
  REQUIRE(StreamedLinear::Wants(source, outs[0] + outs[1]));
  const std::vector<float> values = RandomValues(rows * in, 5);

  const auto product =
      [&](const LinearSource& of, const std::vector<float>& given_values, int number) {
        const auto backend = MakeBackend(number);
        const auto linear = backend->Prepare(of, {});
        REQUIRE(linear);
        const auto given = Loaded(backend.get(), rows, in, given_values);
        const auto out = backend->Make(rows, outs[0] + outs[1]);
        REQUIRE(out);
        REQUIRE(backend->Apply(**linear, *given, out->get(), {}));
        return Values(*backend, **out);
      };
  const std::vector<double> expected = product(source, values, 0);
  const std::vector<double> got = product(source, values, 2);
  // The same of magnitudes says what float32 may do.
  std::vector<float> sizes_in = values;
  for (float& value : sizes_in) {
    value = std::abs(value);
  }
  std::vector<float> sizes_bias = bias;
  for (float& value : sizes_bias) {
    value = std::abs(value);
  }
  for (Matrix& matrix : matrices) {
    for (std::uint16_t& bits : matrix.bits) {
      bits &= 0x7FFFU;
    }
  }
  source.matrices[1].bias = View("b", {outs[1]}, sizes_bias);
  const std::vector<double> sizes = product(source, sizes_in, 0);
  REQUIRE(got.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += std::abs(got[i] - expected[i]) <= test::RandomSumBound(sizes[i], in) ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

TEST_CASE("A damaged weight is named when it is used", "[compute][streamed]") {
  const WeightLayout layout = GENERATE(WeightLayout::kInOut, WeightLayout::kOutIn);
  Matrix matrix = ShortMatrix(DataType::kBf16, {1100, 1100}, 3);
  matrix.bits[1000 * 1100 + 1050] = 0x7FC0U;
  const LinearSource source{
      .layout = layout, .in = 1100, .matrices = {{.weight = matrix.view, .bias = std::nullopt}}};
  const auto backend = MakeBackend(2);
  const auto linear = backend->Prepare(source, {});
  REQUIRE(linear);
  const auto in = Loaded(backend.get(), 1, 1100, std::vector<float>(1100, 1.0F));
  const auto out = backend->Make(1, 1100);
  REQUIRE(out);
  const Status status = backend->Apply(**linear, *in, out->get(), {});
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kNumeric);
  CHECK_THAT(status.error().message, test::Says("\"w3\" holds NaN at row 1000, column 1050"));

  std::stop_source stopped;
  stopped.request_stop();
  CHECK(backend->Apply(**linear, *in, out->get(), stopped.get_token()).error().code ==
        ErrorCode::kCancelled);
}

TEST_CASE("Sums too large for float32 are no fault of the weights", "[compute][streamed]") {
  const WeightLayout layout = GENERATE(WeightLayout::kInOut, WeightLayout::kOutIn);
  const std::int64_t rows = GENERATE(1, 70);
  Matrix matrix = ShortMatrix(DataType::kBf16, {1100, 1100}, 3);
  const LinearSource source{
      .layout = layout, .in = 1100, .matrices = {{.weight = matrix.view, .bias = std::nullopt}}};
  const auto backend = MakeBackend(2);
  const auto linear = backend->Prepare(source, {});
  REQUIRE(linear);
  const auto in = Loaded(
      backend.get(), rows, 1100, std::vector<float>(static_cast<std::size_t>(rows) * 1100, 3e38F));
  const auto out = backend->Make(rows, 1100);
  REQUIRE(out);
  REQUIRE(backend->Apply(**linear, *in, out->get(), {}));
  const std::vector<double> values = Values(*backend, **out);
  CHECK(std::any_of(
      values.begin(), values.end(), [](double value) { return !std::isfinite(value); }));
}

TEST_CASE("Few weights, and float32, are packed", "[compute][streamed]") {
  const Matrix few = ShortMatrix(DataType::kBf16, {64, 64}, 1);
  CHECK_FALSE(StreamedLinear::Wants({.in = 64, .matrices = {{few.view, std::nullopt}}}, 64));
  const std::vector<float> cells(1024 * 1024);
  const TensorView full = View("w", {1024, 1024}, cells);
  CHECK_FALSE(StreamedLinear::Wants({.in = 1024, .matrices = {{full, std::nullopt}}}, 1024));
}

}  // namespace
}  // namespace headscope

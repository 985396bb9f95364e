#include <array>
#include <bit>

#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

struct LinearProduct {
  std::int64_t rows, in;
  std::vector<std::int64_t> outs;
  WeightLayout layout;
  bool bias;
};

struct ProductData {
  std::vector<std::vector<float>> weights;
  std::vector<std::vector<float>> biases;
  LinearSource source;
};

ProductData DataOf(const LinearProduct& product) {
  ProductData data;
  data.source.layout = product.layout;
  data.source.in = product.in;
  const double scale = 1.0 / std::sqrt(static_cast<double>(product.in));
  for (std::size_t i = 0; i < product.outs.size(); ++i) {
    data.weights.push_back(RandomValues(product.in * product.outs[i], 100 + i, scale));
    data.biases.push_back(RandomValues(product.outs[i], 200 + i));
  }
  for (std::size_t i = 0; i < product.outs.size(); ++i) {
    const std::vector<std::int64_t> shape =
        product.layout == WeightLayout::kInOut
            ? std::vector<std::int64_t>{product.in, product.outs[i]}
            : std::vector<std::int64_t>{product.outs[i], product.in};
    LinearSource::Matrix matrix{.weight = View("w" + std::to_string(i), shape, data.weights[i]),
                                .bias = std::nullopt};
    if (product.bias) {
      matrix.bias = View("b" + std::to_string(i), {product.outs[i]}, data.biases[i]);
    }
    data.source.matrices.push_back(matrix);
  }
  return data;
}

// The product written out, in double, and what float32 may do to it.
struct Exact {
  std::vector<double> out;
  std::vector<double> bounds;
};
Exact Expected(const LinearProduct& product,
               const ProductData& data,
               const std::vector<float>& in) {
  Exact exact;
  for (std::int64_t row = 0; row < product.rows; ++row) {
    for (std::size_t part = 0; part < product.outs.size(); ++part) {
      for (std::int64_t o = 0; o < product.outs[part]; ++o) {
        double sum = product.bias
                         ? static_cast<double>(data.biases[part][static_cast<std::size_t>(o)])
                         : 0.0;
        const double bias = std::abs(sum);
        double size = 0.0;
        for (std::int64_t i = 0; i < product.in; ++i) {
          const std::int64_t at = product.layout == WeightLayout::kInOut
                                      ? i * product.outs[part] + o
                                      : o * product.in + i;
          const double term =
              static_cast<double>(in[static_cast<std::size_t>(row * product.in + i)]) *
              static_cast<double>(data.weights[part][static_cast<std::size_t>(at)]);
          sum += term;
          size += std::abs(term);
        }
        exact.out.push_back(sum);
        // The bias may be what all terms are added to, one by one.
        exact.bounds.push_back(test::RandomSumBound(size, product.in) +
                               test::SumBound(bias, product.in));
      }
    }
  }
  return exact;
}

std::size_t CountWrong(const std::vector<double>& got, const Exact& exact) {
  REQUIRE(got.size() == exact.out.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += std::abs(got[i] - exact.out[i]) <= exact.bounds[i] ? 0U : 1U;
  }
  return wrong;
}

}  // namespace

TEST_CASE("A product of stacked parts is the products side by side", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const WeightLayout layout = GENERATE(WeightLayout::kInOut, WeightLayout::kOutIn);
  const bool bias = GENERATE(true, false);
  const std::int64_t rows = GENERATE(1, 5, 16, 67);
  const LinearProduct product = GENERATE_COPY(LinearProduct{rows, 1, {1}, layout, bias},
                                              LinearProduct{rows, 12, {8, 4, 4}, layout, bias},
                                              LinearProduct{rows, 64, {192}, layout, bias},
                                              LinearProduct{rows, 37, {5, 41, 3}, layout, bias});
  const auto backend = MakeBackend(number);
  const ProductData data = DataOf(product);
  const std::vector<float> in = RandomValues(rows * product.in, 7);
  const auto linear = backend->Prepare(data.source, {});
  REQUIRE(linear);
  const auto from = Loaded(backend.get(), rows, product.in, in);
  auto out = backend->Make(rows, (*linear)->out());
  REQUIRE(out);
  REQUIRE(backend->Apply(**linear, *from, out->get(), {}));
  CHECK(CountWrong(Values(*backend, **out), Expected(product, data, in)) == 0);
}

TEST_CASE("A prepared product serves every length in turn", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const ProductData data = DataOf({1, 48, {32, 16}, WeightLayout::kInOut, true});
  const auto linear = backend->Prepare(data.source, {});
  REQUIRE(linear);
  for (const std::int64_t rows : {3, 200, 1, 17, 200, 3}) {
    const std::vector<float> in = RandomValues(rows * 48, static_cast<std::uint64_t>(rows));
    const auto from = Loaded(backend.get(), rows, 48, in);
    auto out = backend->Make(rows, 48);
    REQUIRE(out);
    REQUIRE(backend->Apply(**linear, *from, out->get(), {}));
    const LinearProduct product{rows, 48, {32, 16}, WeightLayout::kInOut, true};
    CHECK(CountWrong(Values(*backend, **out), Expected(product, data, in)) == 0);
  }
}

TEST_CASE("Rows that lie interleaved are multiplied in their order", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const DataType type = GENERATE(DataType::kF32, DataType::kF16, DataType::kBf16, DataType::kQ80);
  CAPTURE(Name(type));
  constexpr std::size_t kIn = 32;
  constexpr std::size_t kOut = 8;
  // Row r holds r + 1 throughout; blocks of 32 bytes behind a scale of 1 where quantised.
  std::vector<std::byte> bytes;
  for (const int value : {1, 3, 2, 4, 5, 7, 6, 8}) {  // two heads of four, halves interleaved
    const auto append = [&bytes](auto stored, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto raw = std::bit_cast<std::array<std::byte, sizeof(stored)>>(stored);
        bytes.insert(bytes.end(), raw.begin(), raw.end());
      }
    };
    const auto number_value = static_cast<float>(value);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(number_value);
    if (type == DataType::kF32) {
      append(number_value, kIn);
    } else if (type == DataType::kBf16) {
      append(static_cast<std::uint16_t>(bits >> 16U), kIn);
    } else if (type == DataType::kF16) {
      append(static_cast<std::uint16_t>(((bits >> 23U) - 112U) << 10U | (bits >> 13U & 0x3FFU)),
             kIn);
    } else {
      append(std::uint16_t{0x3C00}, 1);
      append(static_cast<std::int8_t>(value), kIn);
    }
  }
  LinearSource source{.layout = WeightLayout::kOutIn, .in = kIn, .matrices = {}};
  source.matrices.push_back({.weight = {"w", type, {kOut, kIn}, bytes}, .bias = std::nullopt});
  source.matrices[0].weight.interleaved_rows = 4;
  const auto backend = MakeBackend(number);
  const auto linear = backend->Prepare(source, {});
  REQUIRE(linear);
  const std::vector<float> in(kIn, 0.5F);
  const auto from = Loaded(backend.get(), 1, kIn, in);
  auto out = backend->Make(1, kOut);
  REQUIRE(out);
  REQUIRE(backend->Apply(**linear, *from, out->get(), {}));
  std::vector<double> expected;
  for (std::size_t row = 0; row < kOut; ++row) {
    expected.push_back(16.0 * static_cast<double>(row + 1));
  }
  CHECK(Values(*backend, **out) == expected);  // small integers: exact in float32
}

TEST_CASE("Weights stored in 16 bits are read as the numbers they stand for", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  // 1, -2, 0.5, 0 as bfloat16 and as half.
  const bool half = GENERATE(true, false);
  const std::vector<std::uint16_t> bits =
      half ? std::vector<std::uint16_t>{0x3C00, 0xC000, 0x3800, 0x0000}
           : std::vector<std::uint16_t>{0x3F80, 0xC000, 0x3F00, 0x0000};
  LinearSource source{.layout = WeightLayout::kInOut, .in = 2, .matrices = {}};
  source.matrices.push_back({.weight = {.name = "w",
                                        .type = half ? DataType::kF16 : DataType::kBf16,
                                        .shape = {2, 2},
                                        .bytes = std::as_bytes(std::span(bits))},
                             .bias = std::nullopt});
  const auto linear = backend->Prepare(source, {});
  REQUIRE(linear);
  const auto from = Loaded(backend.get(), 1, 2, {3.0F, 10.0F});
  auto out = backend->Make(1, 2);
  REQUIRE(backend->Apply(**linear, *from, out->get(), {}));
  CHECK(Values(*backend, **out) == std::vector<double>{8.0, -6.0});
}

TEST_CASE("A weight that is not a number is named with its place", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const bool infinite = GENERATE(true, false);
  const WeightLayout layout = GENERATE(WeightLayout::kInOut, WeightLayout::kOutIn);
  const auto backend = MakeBackend(number);
  ProductData data = DataOf({1, 30, {10, 30}, layout, true});
  const float bad =
      infinite ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  SECTION("in a weight") {
    data.weights[1][30 * 17 + 4] = bad;
    const auto linear = backend->Prepare(data.source, {});
    REQUIRE(!linear);
    CHECK(linear.error().code == ErrorCode::kNumeric);
    CHECK(linear.error().message.find("\"w1\" holds " + std::string(infinite ? "inf" : "NaN")) ==
          0);
    CHECK(linear.error().message.find("row 17, column 4") != std::string::npos);
  }
  SECTION("in a bias") {
    data.biases[0][3] = bad;
    const auto linear = backend->Prepare(data.source, {});
    REQUIRE(!linear);
    CHECK(linear.error().code == ErrorCode::kNumeric);
    CHECK(linear.error().message.find("\"b0\" holds") == 0);
    CHECK(linear.error().message.find("element 3") != std::string::npos);
  }
}

TEST_CASE("Weights that do not fit are refused by name", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  ProductData data = DataOf({1, 8, {6, 4}, WeightLayout::kOutIn, true});
  ErrorCode code = ErrorCode::kShape;
  std::string name = "w1";
  SECTION("a width that is not the input's") {
    data.source.matrices[1].weight.shape = {8, 4};
  }
  SECTION("three axes") {
    data.source.matrices[1].weight.shape = {2, 2, 8};
  }
  SECTION("a bias of another length") {
    data.source.matrices[1].bias->shape = {3};
    name = "b1";
  }
  SECTION("integers") {
    data.source.matrices[1].weight.type = DataType::kI32;
    code = ErrorCode::kUnsupported;
  }
  const auto linear = backend->Prepare(data.source, {});
  REQUIRE(!linear);
  CHECK(linear.error().code == code);
  CHECK(linear.error().message.find("\"" + name + "\"") == 0);
}

TEST_CASE("A stopped product or preparation says so and soon", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const ProductData data = DataOf({1, 512, {512}, WeightLayout::kOutIn, false});
  std::stop_source stop;
  const auto linear = backend->Prepare(data.source, stop.get_token());
  REQUIRE(linear);
  const auto from = Loaded(backend.get(), 300, 512, RandomValues(300 * 512, 1));
  auto out = backend->Make(300, 512);
  stop.request_stop();
  const double begin = CpuMilliseconds();
  const Status applied = backend->Apply(**linear, *from, out->get(), stop.get_token());
  REQUIRE(!applied);
  CHECK(applied.error().code == ErrorCode::kCancelled);
  const auto prepared = backend->Prepare(data.source, stop.get_token());
  REQUIRE(!prepared);
  CHECK(prepared.error().code == ErrorCode::kCancelled);
  CHECK(CpuMilliseconds() - begin < 50.0);
}

TEST_CASE("A product refuses activations that do not fit", "[compute][linear]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const ProductData data = DataOf({1, 8, {6}, WeightLayout::kOutIn, true});
  const auto linear = backend->Prepare(data.source, {});
  REQUIRE(linear);
  const auto from = Loaded(backend.get(), 2, 7, RandomValues(14, 1));
  auto out = backend->Make(2, 6);
  const Status status = backend->Apply(**linear, *from, out->get(), {});
  REQUIRE(!status);
  CHECK(status.error().code == ErrorCode::kShape);
}

}  // namespace headscope

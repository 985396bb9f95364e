#include <algorithm>
#include <array>

#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

using test::kUnit;

}  // namespace

TEST_CASE("A layer norm has mean 0 and variance 1 before its weights", "[compute][norm]") {
  const int number = GENERATE(range(0, kBackends));
  const std::int64_t cols = GENERATE(1, 3, 64, 771);
  const auto backend = MakeBackend(number);
  NormWeights norm{.kind = NormKind::kLayer,
                   .weight = std::vector<float>(static_cast<std::size_t>(cols), 1.0F),
                   .bias = {},
                   .epsilon = 1e-12};
  std::vector<float> values = RandomValues(5 * cols, 1, 3.0);
  for (float& value : values) {
    value += 10.0F;
  }
  const auto in = Loaded(backend.get(), 5, cols, values);
  auto out = backend->Make(5, cols);
  REQUIRE(backend->Norm(norm, *in, out->get()));
  const std::vector<double> got = Values(*backend, **out);
  for (std::int64_t row = 0; row < 5; ++row) {
    double sum = 0.0;
    double square = 0.0;
    double largest = 0.0;
    double mean = 0.0;
    double variance = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      const auto at = static_cast<std::size_t>(row * cols + i);
      const double x = got[at];
      sum += x;
      square += x * x;
      mean += static_cast<double>(values[at]) / static_cast<double>(cols);
      largest = std::max(largest, std::abs(static_cast<double>(values[at])));
    }
    for (std::int64_t i = 0; i < cols; ++i) {
      const double d = static_cast<double>(values[static_cast<std::size_t>(row * cols + i)]) - mean;
      variance += d * d / static_cast<double>(cols);
    }
    // The mean that is taken off is a sum, rounded; all that comes after is in parts of the
    // deviation.
    const double bound = cols == 1 ? 0.0 : test::SumBound(largest, cols) / std::sqrt(variance);
    CHECK(std::abs(sum / static_cast<double>(cols)) <= bound);
    if (cols > 1) {
      CHECK(std::abs(square / static_cast<double>(cols) - 1.0) <=
            bound * bound + 2.0 * test::SumBound(1.0, cols) + 6.0 * kUnit);
    }
  }
}

TEST_CASE("Norms follow their formulas, in place too", "[compute][norm]") {
  const int number = GENERATE(range(0, kBackends));
  const NormKind kind = GENERATE(NormKind::kLayer, NormKind::kRms);
  const bool bias = GENERATE(true, false);
  const std::int64_t cols = 100;
  const std::int64_t tokens = GENERATE(1, 70);
  const std::int64_t heads = GENERATE(1, 3);  // each normed by itself
  const std::int64_t rows = tokens * heads;
  const auto backend = MakeBackend(number);
  const NormWeights norm{.kind = kind,
                         .weight = RandomValues(cols, 2),
                         .bias = bias ? RandomValues(cols, 3) : std::vector<float>(),
                         .epsilon = static_cast<double>(1e-3F)};
  const std::vector<float> values = RandomValues(rows * cols, 1, 0.1);
  std::vector<double> expected;
  std::vector<double> bounds;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = values.data() + row * cols;
    double largest = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(x[i])));
    }
    double mean = 0.0;
    for (std::int64_t i = 0; kind == NormKind::kLayer && i < cols; ++i) {
      mean += static_cast<double>(x[i]) / static_cast<double>(cols);
    }
    double variance = 0.0;
    for (std::int64_t i = 0; i < cols; ++i) {
      const double d = static_cast<double>(x[i]) - mean;
      variance += d * d / static_cast<double>(cols);
    }
    for (std::int64_t i = 0; i < cols; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double scale =
          static_cast<double>(norm.weight[at]) / std::sqrt(variance + static_cast<double>(1e-3F));
      const double added = bias ? static_cast<double>(norm.bias[at]) : 0.0;
      const double normed = (static_cast<double>(x[i]) - mean) * scale;
      expected.push_back(normed + added);
      // The mean is off by a random sum's rounding, the deviation by a sum of squares'; then four
      // operations round, and the bias.
      bounds.push_back(test::RandomSumBound(largest, cols) * std::abs(scale) +
                       (0.5 * test::SumBound(1.0, cols) + 4.0 * kUnit) * std::abs(normed) +
                       kUnit * std::abs(normed + added));
    }
  }
  const auto in = Loaded(backend.get(), tokens, heads * cols, values);
  auto out = backend->Make(tokens, heads * cols);
  const auto count_wrong = [&](const std::vector<double>& got) {
    REQUIRE(got.size() == expected.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      wrong += std::abs(got[i] - expected[i]) <= bounds[i] ? 0U : 1U;
    }
    return wrong;
  };
  REQUIRE(backend->Norm(norm, *in, out->get()));
  CHECK(count_wrong(Values(*backend, **out)) == 0);
  REQUIRE(backend->Norm(norm, *in, in.get()));
  CHECK(count_wrong(Values(*backend, *in)) == 0);
}

TEST_CASE("Heads with weights of their own are normed as each would be alone", "[compute][norm]") {
  const int number = GENERATE(range(0, kBackends));
  const NormKind kind = GENERATE(NormKind::kLayer, NormKind::kRms);
  const auto backend = MakeBackend(number);
  constexpr std::int64_t kRows = 37;
  constexpr std::int64_t kHeads = 3;
  constexpr std::int64_t kWidth = 20;
  const NormWeights whole{.kind = kind,
                          .weight = RandomValues(kHeads * kWidth, 2),
                          .bias = RandomValues(kHeads * kWidth, 3),
                          .heads = kHeads};
  const std::vector<float> values = RandomValues(kRows * kHeads * kWidth, 1);
  const auto in = Loaded(backend.get(), kRows, kHeads * kWidth, values);
  const auto out = backend->Make(kRows, kHeads * kWidth);
  REQUIRE(backend->Norm(whole, *in, out->get()));
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const auto part = [&](const std::vector<float>& all) {
      return std::vector<float>(all.begin() + head * kWidth, all.begin() + (head + 1) * kWidth);
    };
    const NormWeights own{.kind = kind, .weight = part(whole.weight), .bias = part(whole.bias)};
    const auto alone = backend->Make(kRows, kWidth);
    const auto taken = backend->Make(kRows, kWidth);
    backend->Slice(*in, head * kWidth, alone->get());
    backend->Slice(**out, head * kWidth, taken->get());
    REQUIRE(backend->Norm(own, **alone, alone->get()));
    CHECK(Values(*backend, **taken) == Values(*backend, **alone));
  }
  NormWeights uneven = whole;
  uneven.heads = 7;
  CHECK_FALSE(backend->Norm(uneven, *in, out->get()).has_value());
}

TEST_CASE("A norm refuses weights that do not fit or are not numbers", "[compute][norm]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const auto in = Loaded(backend.get(), 2, 4, RandomValues(8, 1));
  NormWeights norm{.weight = {1.0F, 1.0F, 1.0F}, .bias = {}};
  const Status shape = backend->Norm(norm, *in, in.get());
  REQUIRE(!shape);
  CHECK(shape.error().code == ErrorCode::kShape);
  norm.weight = {1.0F, 1.0F, std::numeric_limits<float>::quiet_NaN(), 1.0F};
  const Status numeric = backend->Norm(norm, *in, in.get());
  REQUIRE(!numeric);
  CHECK(numeric.error().code == ErrorCode::kNumeric);
}

TEST_CASE("Activations follow their formulas over the whole range", "[compute][activation]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  std::vector<float> values;
  for (int i = -4000; i <= 4000; ++i) {
    values.push_back(static_cast<float>(i) / 100.0F);
  }
  values.insert(values.end(), {1e-30F, -1e-30F, 1e30F, -1e30F, 3e-5F, 0.0F});
  const auto count = static_cast<std::int64_t>(values.size());
  const auto check = [&](ActivationKind kind, auto formula) {
    const auto inout = Loaded(backend.get(), 1, count, values);
    backend->Activate(kind, inout.get());
    const std::vector<double> got = Values(*backend, *inout);
    double worst = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto x = static_cast<double>(values[i]);
      const double error = std::abs(got[i] - formula(x)) / std::max(1.0, std::abs(x));
      worst = error <= worst ? worst : (std::isnan(error) ? 1e300 : error);
    }
    CHECK(worst <= 8.0 * kUnit);  // exp, its argument and five operations
  };
  check(ActivationKind::kGelu, [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); });
  check(ActivationKind::kGeluTanh, [](double x) {
    const double inner = std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * x * x * x);
    return x / (1.0 + std::exp(-2.0 * inner));
  });
  check(ActivationKind::kQuickGelu, [](double x) { return x / (1.0 + std::exp(-1.702 * x)); });
  check(ActivationKind::kRelu, [](double x) { return std::max(x, 0.0); });
  check(ActivationKind::kSigmoid, [](double x) { return 1.0 / (1.0 + std::exp(-x)); });
  check(ActivationKind::kSoftplus, [](double x) { return x > 30.0 ? x : std::log1p(std::exp(x)); });
  check(ActivationKind::kSilu, [](double x) { return x / (1.0 + std::exp(-x)); });
  check(ActivationKind::kTanh, [](double x) { return std::tanh(x); });
}

TEST_CASE("xIELU is a parabola above 0 and an exponential below", "[compute][activation]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  constexpr Xielu kLearnt{.positive = 0.75, .negative = 1.25, .linear = 0.5, .most = -0.0078125};
  std::vector<float> values = {0.0F, 1e-30F, -1e-30F, -0.001F, -0.0078125F, -1e30F, 1e10F};
  for (int i = -4000; i <= 4000; ++i) {
    values.push_back(static_cast<float>(i) / 256.0F);
  }
  const auto inout = Loaded(backend.get(), 1, static_cast<std::int64_t>(values.size()), values);
  backend->Activate(kLearnt, inout.get());
  const std::vector<double> got = Values(*backend, *inout);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<double>(values[i]);
    const double curve = x > 0.0
                             ? kLearnt.positive * x * x
                             : kLearnt.negative * (std::exp(std::min(x, kLearnt.most)) - 1.0 - x);
    const double expected = curve + kLearnt.linear * x;
    // Each of the five operations rounds, at most at the size of the largest term.
    const double terms = 1.0 + std::abs(curve) + 3.0 * std::abs(x);
    wrong += std::abs(got[i] - expected) <= 8.0 * kUnit * terms ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

TEST_CASE("SoLU weighs each number by the softmax of its row", "[compute][activation]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  constexpr std::int64_t kRows = 19;  // more than one piece
  constexpr std::int64_t kColumns = 37;
  std::vector<float> values = RandomValues(kRows * kColumns, 5);
  std::ranges::fill(std::span(values).first(kColumns), -3.0F);
  values[kColumns] = 80.0F;  // takes its row
  const auto inout = Loaded(backend.get(), kRows, kColumns, values);
  backend->Activate(ActivationKind::kSolu, inout.get());
  const std::vector<double> got = Values(*backend, *inout);
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto own = std::span(values).subspan(row * kColumns, kColumns);
    const auto largest = static_cast<double>(*std::ranges::max_element(own));
    double sum = 0.0;
    for (const float x : own) {
      sum += std::exp(static_cast<double>(x) - largest);
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto x = static_cast<double>(own[i]);
      const double expected = x * std::exp(x - largest) / sum;
      // exp, its argument, the sum and two operations
      CHECK(std::abs(got[row * kColumns + i] - expected) <=
            64.0 * kUnit * std::max(std::abs(expected), 1e-6));
    }
  }
}

TEST_CASE("The squared ReLU squares what lies above zero", "[compute][activation]") {
  const auto backend = MakeBackend(GENERATE(range(0, kBackends)));
  const auto inout = Loaded(backend.get(), 1, 5, {-2.0F, -0.0F, 0.0F, 1.5F, 1024.0F});
  backend->Activate(ActivationKind::kReluSquared, inout.get());
  CHECK(Values(*backend, *inout) == std::vector<double>{0.0, 0.0, 0.0, 2.25, 1048576.0});
}

TEST_CASE("Rotary turns pairs by their angle and keeps their length", "[compute][rotary]") {
  const int number = GENERATE(range(0, kBackends));
  const bool pairs_neighbours = GENERATE(false, true);
  const std::int64_t first = GENERATE(0, 5, 1000);
  const auto backend = MakeBackend(number);
  const std::int64_t rows = 9;
  const std::int64_t heads = 3;
  const std::int64_t width = 10;  // 4 pairs, two columns left alone
  const RotaryTable table{.inverse_frequency = {1.0, 0.1, 0.01, 0.001},
                          .attention_factor = 1.0,
                          .pairs_neighbours = pairs_neighbours};
  const std::vector<float> values = RandomValues(rows * heads * width, 4);
  const auto inout = Loaded(backend.get(), rows, heads * width, values);
  backend->Rotate(table, heads, first, 1, inout.get());
  std::vector<double> expected(values.begin(), values.end());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t head = 0; head < heads; ++head) {
      double* x = expected.data() + (row * heads + head) * width;
      for (std::int64_t i = 0; i < 4; ++i) {
        const double angle =
            static_cast<double>(first + row) * table.inverse_frequency[static_cast<std::size_t>(i)];
        const std::int64_t first_of_pair = pairs_neighbours ? 2 * i : i;
        const std::int64_t second_of_pair = pairs_neighbours ? 2 * i + 1 : i + 4;
        const double low = x[first_of_pair];
        const double high = x[second_of_pair];
        x[first_of_pair] = low * std::cos(angle) - high * std::sin(angle);
        x[second_of_pair] = high * std::cos(angle) + low * std::sin(angle);
      }
    }
  }
  // Sine, cosine, two products and a sum round.
  const std::vector<double> got = Values(*backend, *inout);
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    worst = std::max(worst, std::abs(got[i] - expected[i]));
  }
  CHECK(worst <= 4.0 * kUnit * 2.0 * Largest(values));
}

TEST_CASE("Rotated dot products depend on the distance alone", "[compute][rotary]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const RotaryTable table{.inverse_frequency = {1.0, 0.3, 0.05}, .attention_factor = 1.0};
  const std::vector<float> one = RandomValues(6, 8);
  std::vector<float> repeated;
  for (int row = 0; row < 12; ++row) {
    repeated.insert(repeated.end(), one.begin(), one.end());
  }
  const auto inout = Loaded(backend.get(), 12, 6, repeated);
  backend->Rotate(table, 1, 0, 1, inout.get());
  const std::vector<double> got = Values(*backend, *inout);
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
      sum += got[a * 6 + i] * got[b * 6 + i];
    }
    return sum;
  };
  // Each of four rotations moves a number by no more than four units of its pair's length.
  const double length = Largest(one) * std::sqrt(2.0);
  for (std::size_t row = 0; row + 4 < 12; ++row) {
    CHECK(std::abs(dot(row, row + 4) - dot(0, 4)) <= 4.0 * 4.0 * kUnit * 6.0 * length * length);
  }
}

TEST_CASE("The attention factor scales what is rotated", "[compute][rotary]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const auto inout = Loaded(backend.get(), 1, 5, {1.0F, 2.0F, 3.0F, 4.0F, 5.0F});
  backend->Rotate({.inverse_frequency = {1.0, 0.5}, .attention_factor = 2.0}, 1, 0, 1, inout.get());
  CHECK(Values(*backend, *inout) == std::vector<double>{2.0, 4.0, 6.0, 8.0, 5.0});
}

TEST_CASE("Adding, multiplying, scaling and slicing are what they say", "[compute][elementwise]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const auto a = Loaded(backend.get(), 2, 3, {1, 2, 3, 4, 5, 6});
  const auto b = Loaded(backend.get(), 2, 3, {10, 20, 30, 40, 50, 60});
  backend->Add(*b, a.get());
  CHECK(Values(*backend, *a) == std::vector<double>{11, 22, 33, 44, 55, 66});
  backend->Multiply(*b, a.get());
  CHECK(Values(*backend, *a) == std::vector<double>{110, 440, 990, 1760, 2750, 3960});
  backend->Scale(0.5, a.get());
  CHECK(Values(*backend, *a) == std::vector<double>{55, 220, 495, 880, 1375, 1980});
  auto part = backend->Make(2, 2);
  backend->Slice(*a, 1, part->get());
  CHECK(Values(*backend, **part) == std::vector<double>{220, 495, 1375, 1980});
  std::vector<float> read(4);
  backend->Read(**part, read);
  CHECK(read == std::vector<float>{220, 495, 1375, 1980});
}

TEST_CASE("Gather gives the rows asked for and refuses what it cannot", "[compute][gather]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  std::vector<float> cells = {0, 1, 10, 11, 20, 21};
  TensorView table = View("wte", {3, 2}, cells);
  auto out = backend->Make(4, 2);
  const std::array<std::int32_t, 4> ids = {2, 0, 2, 1};
  REQUIRE(backend->Gather(table, ids, out->get()));
  CHECK(Values(*backend, **out) == std::vector<double>{20, 21, 0, 1, 20, 21, 10, 11});
  SECTION("an id past the table") {
    const std::array<std::int32_t, 4> bad = {0, 3, 0, 0};
    const Status status = backend->Gather(table, bad, out->get());
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::kInput);
  }
  SECTION("NaN in a row that is used") {
    cells[3] = std::numeric_limits<float>::quiet_NaN();
    const Status status = backend->Gather(table, ids, out->get());
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::kNumeric);
    CHECK(status.error().message.find("\"wte\" holds NaN at row 1, column 1") == 0);
  }
  SECTION("a table of integers") {
    table.type = DataType::kI32;
    const Status status = backend->Gather(table, ids, out->get());
    REQUIRE(!status);
    CHECK(status.error().code == ErrorCode::kUnsupported);
  }
}

TEST_CASE("Activations too large to exist are refused", "[compute][make]") {
  const int number = GENERATE(range(0, kBackends));
  const auto backend = MakeBackend(number);
  const auto huge = backend->Make(std::int64_t{1} << 40, std::int64_t{1} << 40);
  REQUIRE(!huge);
  CHECK(huge.error().code == ErrorCode::kShape);
  const auto negative = backend->Make(-1, 4);
  REQUIRE(!negative);
  CHECK(negative.error().code == ErrorCode::kShape);
  CHECK(backend->Make(0, 4));
}

}  // namespace headscope

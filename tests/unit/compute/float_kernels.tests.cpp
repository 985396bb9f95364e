#include "core/compute/float_kernels.h"

#include <bit>
#include <numeric>

#include "core/base/half.h"
#include "tests/support/float_bounds.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

// Every variant that this processor can run: the widest must not be the only right one.
const FloatKernels& Variant() {
  const auto usable = UsableKernels();
  return *usable[static_cast<std::size_t>(
      GENERATE_COPY(range(0, static_cast<int>(usable.size()))))];
}

}  // namespace

TEST_CASE("The softmax of every variant sums to one at any length", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const std::int64_t count = GENERATE(1, 2, 7, 16, 255, 256, 257, 1000, 8192);
  const double spread = GENERATE(0.0, 1.0, 30.0);
  CAPTURE(kernels.name, count, spread);
  std::vector<float> row = RandomValues(count, 3, spread);
  const std::vector<float> scores = row;
  const SoftmaxSummary summary = kernels.softmax(row.data(), count, 0.0F);
  const double max = static_cast<double>(*std::max_element(scores.begin(), scores.end()));
  double sum = 0.0;
  for (const float score : scores) {
    sum += std::exp(static_cast<double>(score) - max);
  }
  double worst = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double expected = std::exp(static_cast<double>(scores[i]) - max) / sum;
    worst = std::max(worst, std::abs(static_cast<double>(row[i]) - expected));
    total += static_cast<double>(row[i]);
  }
  CHECK(worst <= test::SoftmaxBound(count));
  CHECK(std::abs(total - 1.0) <= test::RowSumBound(count));
  CHECK(static_cast<double>(summary.max) == max);
  CHECK(std::abs(static_cast<double>(summary.inverse_sum) * sum - 1.0) <=
        2e-7 + test::RowSumBound(count));
}

TEST_CASE("Dot products and scaled sums are those of the definition", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const std::int64_t count = GENERATE(0, 1, 7, 31, 32, 33, 100, 4099);
  CAPTURE(kernels.name, count);
  const std::vector<float> a = RandomValues(count, 4);
  const std::vector<float> b = RandomValues(count, 5);
  std::vector<float> sum = RandomValues(count, 6);
  double dot = 0.0;
  double size = 0.0;
  std::vector<double> expected;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    dot += product;
    size += std::abs(product);
    expected.push_back(static_cast<double>(sum[i]) + 1.5 * static_cast<double>(b[i]));
  }
  CHECK(std::abs(static_cast<double>(kernels.dot(a.data(), b.data(), count)) - dot) <=
        test::RandomSumBound(size, count));
  kernels.add_scaled(1.5F, b.data(), sum.data(), count);
  for (std::size_t i = 0; i < a.size(); ++i) {
    // A product and a sum, rounded.
    CHECK(std::abs(static_cast<double>(sum[i]) - expected[i]) <=
          test::kUnit * (std::abs(expected[i]) + 1.5 * std::abs(static_cast<double>(b[i]))) * 1.01);
  }
}

TEST_CASE("A soft-cap bounds the scores and leaves small ones alone", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  CAPTURE(kernels.name);
  const double cap = 5.0;
  std::vector<float> row = {-1e6F, -7.0F, -0.01F, 0.0F, 1e-3F, 2.0F, 40.0F, 1e6F};
  const std::vector<float> scores = row;
  const SoftmaxSummary summary =
      kernels.softmax(row.data(), static_cast<std::int64_t>(row.size()), static_cast<float>(cap));
  CHECK(std::abs(static_cast<double>(summary.max) - cap) <= 4.0 * test::kUnit * cap);
  double sum = 0.0;
  for (const float score : scores) {
    sum += std::exp(cap * std::tanh(static_cast<double>(score) / cap) - cap);
  }
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double capped = cap * std::tanh(static_cast<double>(scores[i]) / cap);
    // Two capped scores, each off by four units of the cap, and exp above and below the line.
    const double expected = std::exp(capped - cap) / sum;
    CHECK(std::abs(static_cast<double>(row[i]) - expected) <=
          (2.0 * 4.0 * test::kUnit * cap + 2.0 * 2e-7 + 3.0 * test::kUnit) * expected);
  }
}

TEST_CASE("Scores that are not numbers show in the summary", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const float bad =
      GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  CAPTURE(kernels.name, bad);
  std::vector<float> row = RandomValues(40, 1);
  row[17] = bad;
  CHECK(!(kernels.softmax(row.data(), 40, 0.0F).inverse_sum > 0.0F));
}

TEST_CASE("Scores in double are the dot products", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const std::int64_t columns = GENERATE(1, 5, 8, 16, 64, 65, 200);
  const std::int64_t rows = GENERATE(1, 3, 4, ScoresInDouble::kMostRows);
  const std::int64_t keys = GENERATE(0, 1, 7, 8, 33);
  CAPTURE(kernels.name, columns, rows, keys);
  const std::int64_t stride = columns + 3;
  const std::vector<float> query = RandomValues(rows * stride, 7);
  const std::vector<float> key = RandomValues(keys * stride, 8);
  constexpr double kUntouched = -99.0;
  std::vector<double> out(static_cast<std::size_t>(rows * (keys + 1)), kUntouched);
  kernels.scores_in_double({.rows = rows,
                            .keys = keys,
                            .columns = columns,
                            .scale = 0.3,
                            .query = query.data(),
                            .query_stride = stride,
                            .key = key.data(),
                            .key_stride = stride,
                            .out = out.data(),
                            .out_stride = keys + 1});
  std::size_t wrong = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) {
      double dot = 0.0;
      double size = 0.0;
      for (std::int64_t c = 0; c < columns; ++c) {
        const double term = static_cast<double>(query[static_cast<std::size_t>(i * stride + c)]) *
                            static_cast<double>(key[static_cast<std::size_t>(j * stride + c)]);
        dot += term;
        size += std::abs(term);
      }
      // Both sums are rounded.
      const double bound = 2.0 * test::RandomSumBound(0.3 * size, columns, test::kDoubleUnit);
      const double got = out[static_cast<std::size_t>(i * (keys + 1) + j)];
      wrong += std::abs(got - 0.3 * dot) <= bound ? 0U : 1U;
    }
    CHECK(out[static_cast<std::size_t>(i * (keys + 1) + keys)] == kUntouched);
  }
  CHECK(wrong == 0);
}

TEST_CASE("Scores in double lose nothing to their size", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const std::int64_t count = GENERATE(1, 2, 7, 255, 256, 1000);
  const double offset = GENERATE(0.0, 300.0, -4e5);
  CAPTURE(kernels.name, count, offset);
  std::vector<double> scores;
  for (const float value : RandomValues(count, 9, 2.0)) {
    scores.push_back(offset + static_cast<double>(value));
  }
  std::vector<float> row(scores.size());
  const SoftmaxSummary summary = kernels.softmax_of_doubles(scores.data(), row.data(), count);
  const double max = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (const double score : scores) {
    sum += std::exp(score - max);
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    worst =
        std::max(worst, std::abs(static_cast<double>(row[i]) - std::exp(scores[i] - max) / sum));
  }
  CHECK(worst <= test::SoftmaxBound(count));
  CHECK(summary.max == static_cast<float>(max));
  // The sum belongs to the rounded maximum: both together give the weights.
  const double as_summed =
      static_cast<double>(summary.inverse_sum) * std::exp(max - static_cast<double>(summary.max));
  CHECK(std::abs(as_summed * sum - 1.0) <= 2e-7 + test::RowSumBound(count));
}

TEST_CASE("Scores in double that float32 cannot hold show in the summary", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const double bad = GENERATE(
      std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e39);
  CAPTURE(kernels.name, bad);
  std::vector<double> scores(40, 1.0);
  scores[17] = bad;
  std::vector<float> row(scores.size());
  CHECK(!(kernels.softmax_of_doubles(scores.data(), row.data(), 40).inverse_sum > 0.0F));
}

TEST_CASE("Every variant agrees on norms, rotations and activations", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const FloatKernels& plain = *UsableKernels().front();
  const std::int64_t count = GENERATE(1, 5, 16, 33, 768);
  CAPTURE(kernels.name, count);
  const std::vector<float> in = RandomValues(count, 1, 2.0);
  const std::vector<float> weight = RandomValues(count, 2);
  const std::vector<float> bias = RandomValues(count, 3);
  std::vector<float> expected(in.size());
  std::vector<float> got(in.size());
  NormRow row{.in = in.data(),
              .out = expected.data(),
              .weight = weight.data(),
              .bias = bias.data(),
              .cols = count,
              .epsilon = 1e-5F};
  plain.norm(row);
  row.out = got.data();
  kernels.norm(row);
  // The mean is a sum, rounded; both variants may be off by as much, each in its own direction.
  const double deviation = 0.5 * Largest(in);  // at least, for two numbers or more
  const double mean_bound = count == 1 ? 0.0 : test::RandomSumBound(Largest(in), count) / deviation;
  const double scale_bound = test::SumBound(1.0, count) + 6.0 * test::kUnit;
  CHECK(Difference(got, expected) <=
        2.0 * (mean_bound * Largest(weight) + scale_bound * (Largest(expected) + Largest(bias))));

  for (const ActivationKind kind : {ActivationKind::kGelu,
                                    ActivationKind::kGeluTanh,
                                    ActivationKind::kQuickGelu,
                                    ActivationKind::kRelu,
                                    ActivationKind::kSilu,
                                    ActivationKind::kTanh}) {
    expected = in;
    got = in;
    plain.activate(kind, expected.data(), count);
    kernels.activate(kind, got.data(), count);
    CHECK(Difference(got, expected) <= 8.0 * test::kUnit * std::max(1.0, Largest(in)));
  }

  std::vector<float> low = in;
  std::vector<float> high = bias;
  kernels.rotate(low.data(), high.data(), weight.data(), bias.data(), count);
  std::vector<double> turned;
  for (std::size_t i = 0; i < in.size(); ++i) {
    turned.push_back(static_cast<double>(in[i]) * static_cast<double>(weight[i]) -
                     static_cast<double>(bias[i]) * static_cast<double>(bias[i]));
  }
  CHECK(Difference(low, turned) <=
        2.0 * test::kUnit * (Largest(in) * Largest(weight) + Largest(bias) * Largest(bias)));
}

TEST_CASE("Stored numbers of two bytes convert exactly, every one of them", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  CAPTURE(kernels.name);
  constexpr std::size_t kPatterns = 1U << 16U;
  std::vector<std::uint16_t> stored(kPatterns + 1);
  std::iota(stored.begin() + 1, stored.end(), std::uint16_t{0});
  std::vector<float> halves(kPatterns);
  std::vector<float> brains(kPatterns);
  // One byte past an even address, as a file may hold them.
  std::vector<std::byte> bytes(2 * kPatterns + 1);
  std::memcpy(bytes.data() + 1, stored.data() + 1, 2 * kPatterns);
  kernels.from_half(bytes.data() + 1, halves.data(), kPatterns);
  kernels.from_bfloat16(bytes.data() + 1, brains.data(), kPatterns);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const auto same = [](float a, float b) {
      return (std::isnan(a) && std::isnan(b)) ||
             std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    const auto bits = static_cast<std::uint16_t>(i);
    wrong += same(halves[i], HalfToFloat(bits)) ? 0U : 1U;
    wrong += same(brains[i], Bfloat16ToFloat(bits)) ? 0U : 1U;
  }
  CHECK(wrong == 0);
}

TEST_CASE("One number that is none spoils all, wherever it stands", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  CAPTURE(kernels.name);
  const std::vector<float> whole = RandomValues(67, 4);
  CHECK(kernels.all_finite(whole.data(), 67));
  CHECK(kernels.all_finite(whole.data(), 0));
  const float bad = GENERATE(std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN());
  std::size_t found = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<float> spoilt = whole;
    spoilt[i] = bad;
    found += kernels.all_finite(spoilt.data(), 67) ? 0U : 1U;
  }
  CHECK(found == whole.size());
}

TEST_CASE("Rows gather into sums and maxima", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  const std::int64_t count = GENERATE(1, 16, 83);
  CAPTURE(kernels.name, count);
  const std::vector<float> a = RandomValues(count, 1);
  const std::vector<float> b = RandomValues(count, 2);
  std::vector<float> sum = a;
  std::vector<float> max = a;
  kernels.gather(b.data(), sum.data(), max.data(), count);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(sum[i] == a[i] + b[i]);
    CHECK(max[i] == std::max(a[i], b[i]));
  }
}

TEST_CASE("Rounding to bfloat16 takes the nearest, ties to even", "[compute][kernels]") {
  const FloatKernels& kernels = Variant();
  CAPTURE(kernels.name);
  // Each bfloat16 below infinity, moved by less than half, by half, and by more than half a step.
  constexpr std::uint32_t kCount = 0x7F7F;
  std::vector<float> in;
  std::vector<std::uint16_t> expected;
  for (std::uint32_t bits = 0; bits < kCount; ++bits) {
    for (const std::uint32_t low : {0U, 0x7FFFU, 0x8000U, 0x8001U}) {
      in.push_back(std::bit_cast<float>(bits << 16U | low));
      const std::uint32_t up = low > 0x8000U || (low == 0x8000U && bits % 2 == 1) ? 1U : 0U;
      expected.push_back(static_cast<std::uint16_t>(bits + up));
    }
  }
  in.push_back(-std::numeric_limits<float>::infinity());
  expected.push_back(0xFF80U);
  std::vector<std::uint16_t> out(in.size());
  kernels.to_bfloat16(in.data(), out.data(), static_cast<std::int64_t>(in.size()));
  CHECK(out == expected);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::uint16_t bits = 0;
  kernels.to_bfloat16(&nan, &bits, 1);
  CHECK(std::isnan(Bfloat16ToFloat(bits)));
}

}  // namespace headscope

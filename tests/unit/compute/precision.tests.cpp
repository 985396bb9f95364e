#include "core/compute/precision.h"

#include "core/compute/instruction_set.h"
#include "tests/support/float_bounds.h"
#include "tests/support/not_run.h"
#include "tests/support/rounding_backend.h"
#include "tests/unit/compute/backend_fixture.h"

namespace headscope {
namespace {

std::vector<double> Product(Backend* backend,
                            const std::vector<float>& weights,
                            const std::vector<float>& in,
                            std::int64_t rows,
                            std::int64_t inner) {
  const auto out = static_cast<std::int64_t>(weights.size()) / inner;
  const LinearSource source{.layout = WeightLayout::kInOut,
                            .in = inner,
                            .matrices = {{View("w", {inner, out}, weights), std::nullopt}}};
  const auto linear = backend->Prepare(source, {});
  REQUIRE(linear);
  const auto given = Loaded(backend, rows, inner, in);
  const auto made = backend->Make(rows, out);
  REQUIRE(made);
  REQUIRE(backend->Apply(**linear, *given, made->get(), {}));
  return Values(*backend, **made);
}

}  // namespace

TEST_CASE("A precision has the name that the command line takes", "[compute][precision]") {
  CHECK(ParsePrecision("f32") == Precision::kF32);
  CHECK(ParsePrecision("bf16") == Precision::kBf16);
  CHECK_FALSE(ParsePrecision("f16"));
  CHECK(std::string(Name(Precision::kBf16)) == "bf16");
  CHECK(CheckPrecision(Precision::kF32));
}

TEST_CASE("bfloat16 is there, or is refused with a reason", "[compute][precision]") {
  const auto made = MakeOnednnBackend(Precision::kBf16);
  CHECK(made.has_value() == (UsableInstructionSet() == InstructionSet::kAvx512Bfloat16));
  CHECK(made.has_value() == CheckPrecision(Precision::kBf16).has_value());
  if (made) {
    CHECK_THAT((*made)->Description(), test::Says("bfloat16"));
  } else {
    CHECK(made.error().code == ErrorCode::kUnsupported);
    CHECK_THAT(made.error().message, test::Says("use f32"));
  }
}

TEST_CASE("Products in bfloat16 are those of their rounded factors, added in float32",
          "[compute][precision][bfloat16]") {
  if (test::HasNoBfloat16()) {
    return;
  }
  const auto made = MakeOnednnBackend(Precision::kBf16);
  REQUIRE(made);
  const std::int64_t rows = GENERATE(1, 2, 5, 16, 130);
  const std::int64_t in = GENERATE(1, 3, 96, 768);
  const std::int64_t out = GENERATE(1, 70, 256);
  CAPTURE(rows, in, out);
  // Small integers survive the rounding, and so do sums of their products: the result is exact.
  std::vector<float> weights = RandomValues(in * out, 1, 8.0);
  std::vector<float> values = RandomValues(rows * in, 2, 8.0);
  const auto reference = MakeBackend(0);
  for (std::vector<float>* numbers : {&weights, &values}) {
    std::transform(numbers->begin(), numbers->end(), numbers->begin(), [](float value) {
      return std::round(value);
    });
  }
  CHECK(Difference(Product(made->get(), weights, values, rows, in),
                   Product(reference.get(), weights, values, rows, in)) == 0.0);
  // Others lose all but eight bits first, and then no more than float32 does.
  weights = RandomValues(in * out, 3);
  values = RandomValues(rows * in, 4);
  test::RoundingBackend rounding({.precision = Precision::kBf16});
  const auto got = Product(made->get(), weights, values, rows, in);
  const auto rounded = Product(&rounding, weights, values, rows, in);
  const auto exact = Product(reference.get(), weights, values, rows, in);
  for (std::vector<float>* numbers : {&weights, &values}) {
    std::transform(numbers->begin(), numbers->end(), numbers->begin(), [](float value) {
      return std::abs(value);
    });
  }
  const auto sizes = Product(reference.get(), weights, values, rows, in);
  std::size_t wrong = 0;
  double lost = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    // Factors grow by up to a unit each when they are rounded.
    const double size = sizes[i] * (1.0 + 2.1 * test::kBfloat16Unit);
    wrong += std::abs(got[i] - rounded[i]) <= test::SumBound(size, in) ? 0U : 1U;
    wrong += std::abs(got[i] - exact[i]) <= 2.1 * test::kBfloat16Unit * size ? 0U : 1U;
    lost = std::max(lost, std::abs(got[i] - exact[i]) / size);
  }
  CHECK(wrong == 0);
  // Three in a hundred of what it may lose is lost somewhere: float32 loses a ten-thousandth.
  CHECK(lost > 0.03 * test::kBfloat16Unit);
}

TEST_CASE("Large and tiny numbers keep their range in bfloat16", "[compute][precision][bfloat16]") {
  if (test::HasNoBfloat16()) {
    return;
  }
  const auto made = MakeOnednnBackend(Precision::kBf16);
  REQUIRE(made);
  const float size = GENERATE(1e-30F, 1e30F);
  const std::vector<float> weights(16 * 8, size);
  const std::vector<float> values(4 * 16, 1.0F);
  for (const double value : Product(made->get(), weights, values, 4, 16)) {
    const double expected = 16.0 * static_cast<double>(size);
    CHECK(std::abs(value - expected) <= 1.1 * test::kBfloat16Unit * expected);
  }
}

}  // namespace headscope

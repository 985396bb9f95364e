#include "core/compute/precision.h"

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
                            .parts = {{View("w", {inner, out}, weights), std::nullopt}}};
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

TEST_CASE("bfloat16 rounds what is multiplied, or is refused with a reason",
          "[compute][precision]") {
  const auto made = MakeOnednnBackend(Precision::kBf16);
  if (!CheckPrecision(Precision::kBf16)) {
    REQUIRE_FALSE(made);
    CHECK(made.error().code == ErrorCode::kUnsupported);
    CHECK_THAT(made.error().message, test::Says("use f32"));
    return;
  }
  REQUIRE(made);
  CHECK_THAT((*made)->Description(), test::Says("bfloat16"));
  const std::int64_t rows = GENERATE(1, 5, 130);
  const std::int64_t in = 96;
  const std::int64_t out = 70;
  CAPTURE(rows);
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
  // Others lose all but eight bits.
  weights = RandomValues(in * out, 3);
  values = RandomValues(rows * in, 4);
  const double difference = Difference(Product(made->get(), weights, values, rows, in),
                                       Product(reference.get(), weights, values, rows, in));
  CHECK(difference > 1e-4);
  CHECK(difference < 0.3);
}

}  // namespace headscope

#include "core/headcount/kept_heads.h"

#include <algorithm>
#include <cmath>

#include "core/compute/rows.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

constexpr std::int64_t kRows = 7;
constexpr std::int64_t kWidth = 12;
constexpr std::int64_t kOut = 10;

struct Made {
  std::vector<float> joined;
  KeptHeads kept;
};

Made MakeKept(Output* output, const std::vector<std::vector<std::int32_t>>& columns) {
  RandomStream random(31);
  Made made{.joined = RandomValues(kRows * kWidth, &random), .kept = {}};
  const auto gram = GramOfOutput(output->backend(), output->linear(), {});
  REQUIRE(gram);
  const auto in = MakeRows(output->backend(), made.joined, kWidth);
  REQUIRE(in);
  const auto whole = Multiplied(output->backend(), output->linear(), **in, {});
  REQUIRE(whole);
  auto kept = KeptHeadsOf(*gram, made.joined, *whole, columns, {});
  REQUIRE(kept);
  REQUIRE(kept->has_value());
  made.kept = std::move(**kept);
  return made;
}

// The slow form: the layer without these heads' columns, beside the whole, in double.
double SlowLost(const Output& output,
                const std::vector<float>& joined,
                const std::vector<std::vector<std::int32_t>>& columns,
                const std::vector<std::int64_t>& without) {
  double apart = 0.0;
  double norm = 0.0;
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t to = 0; to < kOut; ++to) {
      double whole = static_cast<double>(output.bias()[static_cast<std::size_t>(to)]);
      double left_out = 0.0;
      for (std::size_t head = 0; head < columns.size(); ++head) {
        for (const std::int32_t column : columns[head]) {
          const double term =
              static_cast<double>(joined[static_cast<std::size_t>(row * kWidth + column)]) *
              static_cast<double>(output.weight()[static_cast<std::size_t>(column * kOut + to)]);
          whole += term;
          left_out += std::ranges::count(without, static_cast<std::int64_t>(head)) > 0 ? term : 0.0;
        }
      }
      apart += left_out * left_out;
      norm += whole * whole;
    }
  }
  return std::sqrt(apart / norm);
}

}  // namespace

TEST_CASE("What any choice of heads loses is the distance of a layer without them",
          "[headcount][kept]") {
  for (auto& backend : test::AllBackends()) {
    Output output(std::move(backend), kWidth, kOut);
    for (const SegmentKind segments : {SegmentKind::kContiguous, SegmentKind::kStrided}) {
      const auto columns = SegmentColumns({.head_counts = {}, .segments = segments}, kWidth, 4);
      const Made made = MakeKept(&output, columns);
      for (const std::vector<std::int64_t>& without :
           std::vector<std::vector<std::int64_t>>{{}, {0}, {3}, {0, 2}, {1, 2, 3}, {0, 1, 2, 3}}) {
        // Products of float32 rows: rounded once each, and summed in double.
        CHECK(made.kept.Lost(without) ==
              Approx(SlowLost(output, made.joined, columns, without)).epsilon(1e-5).margin(1e-9));
      }
    }
  }
}

TEST_CASE("Heads that share columns are not told apart", "[headcount][kept]") {
  Output output(MakeReferenceBackend(), kWidth, kOut);
  const auto gram = GramOfOutput(output.backend(), output.linear(), {});
  REQUIRE(gram);
  const std::vector<float> joined(kRows * kWidth, 1.0F);
  const auto kept = KeptHeadsOf(*gram, joined, joined, {{0, 1, 2}, {2, 3}}, {});
  REQUIRE(kept);
  CHECK_FALSE(kept->has_value());
}

TEST_CASE("The control looks at all choices of as many heads, or at as many draws",
          "[headcount][kept]") {
  // Heads at right angles whose squares are 1, 4, 9, 16.
  KeptHeads kept{.heads = 4, .products = std::vector<double>(16, 0.0), .output_square = 30.0};
  for (std::size_t i = 0; i < 4; ++i) {
    kept.products[i * 5] = static_cast<double>((i + 1) * (i + 1));
  }
  const OtherChoices two = LostByOthers(kept, 2);
  CHECK(two.is_all);
  CHECK(two.choices == 6);
  CHECK(two.least == Approx(std::sqrt(5.0 / 30.0)));
  CHECK(two.most == Approx(std::sqrt(25.0 / 30.0)));
  double sum = 0.0;
  for (const double square : {5.0, 10.0, 17.0, 13.0, 20.0, 25.0}) {
    sum += std::sqrt(square / 30.0);
  }
  CHECK(two.mean == Approx(sum / 6.0));
  CHECK(LostByOthers(kept, 0).choices == 1);
  CHECK(LostByOthers(kept, 4).mean == Approx(1.0));
  KeptHeads many{.heads = 40, .products = std::vector<double>(1600, 0.0), .output_square = 40.0};
  for (std::size_t i = 0; i < 40; ++i) {
    many.products[i * 41] = 1.0;
  }
  const OtherChoices ten = LostByOthers(many, 10);
  CHECK_FALSE(ten.is_all);
  CHECK(ten.choices == kMostChoices);
  CHECK(ten.least == Approx(0.5));
  CHECK(ten.most == Approx(0.5));
}

TEST_CASE("A cut knows what its heads write, and the change without one adds up with its own cut",
          "[headcount][kept]") {
  const auto layer = MakeLayer({.tokens = 9, .heads = 4, .kv_heads = 2});
  Output output(MakeReferenceBackend(), 24, 10);
  const auto split = SplitLayer(
      {.backend = output.backend(), .output = &output.linear(), .costs = {}, .layer = layer},
      {.head_counts = {1, 4, 8}},
      {});
  REQUIRE(split);
  for (const SplitCount& count : split->counts) {
    REQUIRE(count.kept);
    CHECK(count.kept->heads == count.heads);
    double square = 0.0;
    for (const float value : count.output) {
      square += static_cast<double>(value) * static_cast<double>(value);
    }
    CHECK(count.kept->output_square == Approx(square));
    CHECK(count.kept->Lost({}) == 0.0);
  }
}

}  // namespace headscope

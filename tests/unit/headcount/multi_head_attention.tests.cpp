#include "tests/reference/multi_head_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/headcount/split.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/near.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

// Random matrices of a shape; biases where asked for.
class Matrices {
 public:
  Matrices(const MultiHeadShape& shape, bool with_bias, std::uint64_t seed) {
    RandomStream random(seed);
    const std::int64_t key_columns = shape.heads * shape.head_dim;
    const std::int64_t value_columns = shape.heads * shape.value_dim;
    Add("W_Q", key_columns, shape.query_width, with_bias, &random);
    Add("W_K", key_columns, shape.key_width, with_bias, &random);
    Add("W_V", value_columns, shape.value_width, with_bias, &random);
    Add("W_O", shape.output_width, value_columns, with_bias, &random);
  }

  [[nodiscard]] MultiHeadWeights Weights() const {
    return {MatrixAt(0), MatrixAt(1), MatrixAt(2), MatrixAt(3)};
  }

 private:
  struct Values {
    const char* name = "";
    std::int64_t out = 0;
    std::int64_t in = 0;
    std::vector<float> weight;
    std::vector<float> bias;
  };

  void Add(
      const char* name, std::int64_t out, std::int64_t in, bool with_bias, RandomStream* random) {
    Values values{name, out, in, RandomValues(out * in, random), {}};
    for (float& weight : values.weight) {
      weight /= std::sqrt(static_cast<float>(in));
    }
    if (with_bias) {
      values.bias = RandomValues(out, random);
    }
    all_.push_back(std::move(values));
  }

  [[nodiscard]] MultiHeadMatrix MatrixAt(std::size_t index) const {
    const Values& values = all_[index];
    MultiHeadMatrix matrix{{.name = values.name,
                            .type = DataType::kF32,
                            .shape = {values.out, values.in},
                            .bytes = std::as_bytes(std::span<const float>(values.weight))}};
    if (!values.bias.empty()) {
      matrix.bias = TensorView{.name = values.name,
                               .type = DataType::kF32,
                               .shape = {values.out},
                               .bytes = std::as_bytes(std::span<const float>(values.bias))};
    }
    return matrix;
  }

  std::vector<Values> all_;
};

struct Sizes {
  MultiHeadShape shape;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

const std::vector<Sizes> kSizes = {
    {MultiHeadShape::Even(24, 4), 9, 9},
    {MultiHeadShape::Even(12, 12), 5, 5},
    {MultiHeadShape::Even(18, 1), 7, 7},
    // Everything free: heads wider than d / h, values of another width, W_O not square, other
    // lengths and widths of keys and values.
    {{.heads = 3,
      .head_dim = 7,
      .value_dim = 5,
      .query_width = 16,
      .key_width = 10,
      .value_width = 14,
      .output_width = 9},
     6,
     11},
    {{.heads = 5,
      .head_dim = 1,
      .value_dim = 32,
      .query_width = 8,
      .key_width = 33,
      .value_width = 2,
      .output_width = 40},
     13,
     4},
    {{.heads = 2,
      .head_dim = 64,
      .value_dim = 1,
      .query_width = 3,
      .key_width = 3,
      .value_width = 3,
      .output_width = 1},
     1,
     1}};

MultiHeadRun RunOf(Backend* backend,
                   const Sizes& sizes,
                   const Matrices& matrices,
                   HeadForm form,
                   bool causal = false) {
  RandomStream random(99);
  const auto queries = RandomValues(sizes.queries * sizes.shape.query_width, &random);
  const auto keys = RandomValues(sizes.keys * sizes.shape.key_width, &random);
  const auto values = RandomValues(sizes.keys * sizes.shape.value_width, &random);
  const auto attention = MultiHeadAttention::Make(backend, sizes.shape, matrices.Weights());
  REQUIRE(attention.has_value());
  auto run =
      attention->Run({.queries = queries, .keys = keys, .values = values, .causal = causal}, form);
  REQUIRE(run.has_value());
  return std::move(*run);
}

template <typename Number>
double Apart(const std::vector<Number>& one, const std::vector<Number>& two) {
  REQUIRE(one.size() == two.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double apart = std::fabs(static_cast<double>(one[i]) - static_cast<double>(two[i]));
    worst = apart <= worst ? worst : apart;
  }
  return worst;
}

double LargestOf(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

TEST_CASE("Stacked equals looped, whatever the widths", "[headcount][multi_head]") {
  const bool with_bias = GENERATE(true, false);
  const bool causal = GENERATE(true, false);
  for (const Sizes& sizes : kSizes) {
    const Matrices matrices(sizes.shape, with_bias, 5);
    CAPTURE(sizes.shape.heads, with_bias, causal);
    const auto reference = MakeReferenceBackend();
    const auto stacked = RunOf(reference.get(), sizes, matrices, HeadForm::kStacked, causal);
    const auto looped = RunOf(reference.get(), sizes, matrices, HeadForm::kLooped, causal);
    CHECK(stacked.queries == looped.queries);
    CHECK(stacked.weights == looped.weights);
    CHECK(stacked.context == looped.context);
    CHECK(Apart(stacked.output, looped.output) <= 1e-12 * (1.0 + LargestOf(stacked.output)));
    auto onednn = MakeOnednnBackend();
    REQUIRE(onednn.has_value());
    for (const HeadForm form : {HeadForm::kStacked, HeadForm::kLooped}) {
      const auto fast = RunOf(onednn->get(), sizes, matrices, form, causal);
      CHECK(Apart(fast.queries, stacked.queries) <= 1e-5 * LargestOf(stacked.queries));
      CHECK(Apart(fast.weights, stacked.weights) <= 1e-5);
      CHECK(Apart(fast.output, stacked.output) <= 1e-5 * LargestOf(stacked.output));
    }
  }
}

TEST_CASE("Rows of weights sum to 1 over the keys that a query sees", "[headcount][multi_head]") {
  const Sizes sizes{MultiHeadShape::Even(24, 4), 9, 9};
  const Matrices matrices(sizes.shape, true, 6);
  const auto backend = MakeReferenceBackend();
  const MultiHeadRun run = RunOf(backend.get(), sizes, matrices, HeadForm::kLooped, true);
  for (std::int64_t row = 0; row < 4 * 9; ++row) {
    double sum = 0.0;
    for (std::int64_t key = 0; key < 9; ++key) {
      const float weight = run.weights[static_cast<std::size_t>(row * 9 + key)];
      sum += static_cast<double>(weight);
      CHECK((key <= row % 9 || weight == 0.0F));
    }
    CHECK(sum == test::Near(1.0, 9.0 * test::kUnit));
  }
}

// The dot product of a cell over some columns, summed in one type of number.
template <typename Number>
Number Dot(const double* one, const double* two, std::span<const std::int32_t> columns) {
  Number sum = 0;
  for (const std::int32_t column : columns) {
    sum += static_cast<Number>(one[column]) * static_cast<Number>(two[column]);
  }
  return sum;
}

double Norm(const double* row, std::span<const std::int32_t> columns) {
  return std::sqrt(Dot<double>(row, row, columns));
}

TEST_CASE("The dot products of the children add up to their parent's in every cell",
          "[headcount][multi_head][tree]") {
  constexpr std::int64_t kWidth = 48;
  const Sizes sizes{MultiHeadShape::Even(kWidth, 4), 10, 10};
  const Matrices matrices(sizes.shape, true, 8);
  auto onednn = MakeOnednnBackend();
  REQUIRE(onednn.has_value());
  const auto reference = MakeReferenceBackend();
  const auto exact = RunOf(reference.get(), sizes, matrices, HeadForm::kLooped);
  const auto fast = RunOf(onednn->get(), sizes, matrices, HeadForm::kStacked);
  std::int64_t families = 0;
  for (const SegmentKind kind : {SegmentKind::kContiguous, SegmentKind::kStrided}) {
    for (const std::int64_t parents : {1, 2, 3, 4, 6, 8}) {
      for (const std::int64_t factor : {2, 3, 4}) {
        if (kWidth % (parents * factor) != 0) {
          continue;  // children would not lie within one parent's columns
        }
        const auto of_parents =
            SegmentColumns({.head_counts = {}, .segments = kind}, kWidth, parents);
        const auto of_children =
            SegmentColumns({.head_counts = {}, .segments = kind}, kWidth, parents * factor);
        for (const auto& parent : of_parents) {
          std::vector<std::vector<std::int32_t>> own;
          for (const auto& child : of_children) {
            if (std::ranges::includes(parent, child)) {
              own.push_back(child);
            }
          }
          REQUIRE(std::ssize(own) == factor);
          ++families;
          double worst_exact = 0.0;
          double worst_fast = 0.0;
          for (std::int64_t cell = 0; cell < 100; ++cell) {
            const double* q = exact.queries.data() + cell / 10 * kWidth;
            const double* k = exact.keys.data() + cell % 10 * kWidth;
            const double* fast_q = fast.queries.data() + cell / 10 * kWidth;
            const double* fast_k = fast.keys.data() + cell % 10 * kWidth;
            double sum = 0.0;
            float fast_sum = 0.0F;
            for (const auto& child : own) {
              sum += Dot<double>(q, k, child);
              fast_sum += Dot<float>(fast_q, fast_k, child);
            }
            const double apart = std::fabs(sum - Dot<double>(q, k, parent));
            const double fast_apart =
                std::fabs(static_cast<double>(fast_sum - Dot<float>(fast_q, fast_k, parent)));
            worst_exact = std::max(worst_exact, apart / (Norm(q, parent) * Norm(k, parent)));
            worst_fast =
                std::max(worst_fast, fast_apart / (Norm(fast_q, parent) * Norm(fast_k, parent)));
          }
          CHECK(worst_exact <= 1e-12);
          CHECK(worst_fast <= 1e-6);
        }
      }
    }
  }
  CHECK(families > 50);
}

TEST_CASE("The number of heads changes no projection, but what the heads make of it",
          "[headcount][multi_head]") {
  const Sizes sizes{MultiHeadShape::Even(12, 1), 6, 6};
  const Matrices matrices(sizes.shape, true, 4);
  const auto backend = MakeReferenceBackend();
  const auto one = RunOf(backend.get(), sizes, matrices, HeadForm::kStacked);
  Sizes four = sizes;
  four.shape = MultiHeadShape::Even(12, 4);
  const auto cut = RunOf(backend.get(), four, matrices, HeadForm::kStacked);
  // The projections are the same numbers, whatever h is; the maps are not.
  CHECK(one.queries == cut.queries);
  CHECK(one.values == cut.values);
  CHECK(one.context != cut.context);
}

TEST_CASE("What does not fit is refused with both shapes", "[headcount][multi_head]") {
  const MultiHeadShape shape = MultiHeadShape::Even(12, 3);
  const Matrices matrices(shape, true, 4);
  const auto backend = MakeReferenceBackend();
  MultiHeadWeights weights = matrices.Weights();
  weights.key.weight.shape = {11, 12};
  const auto wrong = MultiHeadAttention::Make(backend.get(), shape, weights);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().code == ErrorCode::kShape);
  CHECK(wrong.error().message == "W_K: expected [12,12], found [11,12]");
  MultiHeadShape none = shape;
  none.head_dim = 0;
  CHECK(MultiHeadAttention::Make(backend.get(), none, matrices.Weights()).error().code ==
        ErrorCode::kInput);
  const auto attention = MultiHeadAttention::Make(backend.get(), shape, matrices.Weights());
  REQUIRE(attention.has_value());
  const std::vector<float> four(4 * 12, 1.0F);
  const std::vector<float> five(5 * 12, 1.0F);
  const std::vector<float> odd(13, 1.0F);
  const auto run = [&](const MultiHeadInput& input, const std::stop_token& stop = {}) {
    return attention->Run(input, HeadForm::kStacked, stop);
  };
  CHECK(run({.queries = four, .keys = five, .values = five}).has_value());
  CHECK(run({.queries = four, .keys = five, .values = four}).error().message ==
        "there are 5 keys and 4 values; each key has one value");
  CHECK(run({.queries = odd, .keys = five, .values = five}).error().code == ErrorCode::kShape);
  CHECK(run({.queries = {}, .keys = five, .values = five}).error().code == ErrorCode::kShape);
  std::stop_source source;
  source.request_stop();
  CHECK(run({.queries = four, .keys = five, .values = five}, source.get_token()).error().code ==
        ErrorCode::kCancelled);
}

TEST_CASE("Shapes on the way follow from the widths", "[headcount][multi_head]") {
  const auto steps = ShapesOf(kSizes[3].shape, 6, 11);
  REQUIRE(steps.size() == 9);
  CHECK(steps[0] == ShapeStep{"X", {1, 6, 16}});
  CHECK(steps[3] == ShapeStep{"V by head", {3, 11, 5}});
  CHECK(steps[5] == ShapeStep{"weights", {3, 6, 11}});
  CHECK(steps[7] == ShapeStep{"heads side by side", {6, 15}});
  CHECK(steps[8] == ShapeStep{"output", {1, 6, 9}});
}

}  // namespace
}  // namespace headscope

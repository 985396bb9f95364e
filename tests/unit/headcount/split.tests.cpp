#include "core/headcount/split.h"

#include <cmath>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/near.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

constexpr std::int64_t kModelDim = 10;

Result<SplitResult> Split(Output* output,
                          const LayerAttention& layer,
                          std::vector<std::int64_t> counts,
                          std::stop_token stop = {}) {
  return SplitLayer(output->backend(),
                    output->linear(),
                    {.weights = 1000, .biases = 30},
                    layer,
                    {.head_counts = std::move(counts)},
                    std::move(stop));
}

SplitResult MustSplit(Output* output,
                      const LayerAttention& layer,
                      std::vector<std::int64_t> counts) {
  auto result = Split(output, layer, std::move(counts));
  REQUIRE(result.has_value());
  return std::move(*result);
}

enum class Which { kReference, kOnednn };

std::unique_ptr<Backend> MakeBackend(Which which) {
  if (which == Which::kReference) {
    return MakeReferenceBackend();
  }
  auto backend = MakeOnednnBackend();
  REQUIRE(backend.has_value());
  return std::move(*backend);
}

double WorstApart(std::span<const float> got, std::span<const double> expected) {
  REQUIRE(got.size() == expected.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double apart = std::fabs(static_cast<double>(got[i]) - expected[i]);
    worst = apart <= worst ? worst : apart;  // not-a-number becomes the worst
  }
  return worst;
}

std::int64_t Width(const LayerAttention& layer) {
  return layer.shape().heads * layer.shape().head_dim;
}

double Largest(std::span<const float> values) {
  double largest = 0.0;
  for (const float value : values) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  return largest;
}

// Of a cut's scores: queries are scaled for it, and rounded; heads of more than 16 columns have
// their products in float32.
double ScoreBound(const LayerAttention& layer, const SplitCount& count) {
  const double size = test::ScoreSize(layer) * std::sqrt(static_cast<double>(layer.shape().heads));
  return test::RandomSumBound(size, Width(layer) / count.heads);
}

TEST_CASE("Every count gives the reference's maps", "[headcount][split]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2, 1);
  options.causal = GENERATE(true, false);
  options.softcap = GENERATE(0.0, 2.0);
  options.window = GENERATE(0, 3);
  if (options.window > 0 && !options.causal) {
    return;
  }
  const LayerAttention layer = MakeLayer(options);
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {1, 2, 3, 4, 5, 7, 24});
  REQUIRE(result.counts.size() == 7);
  CHECK(result.trained_heads == 4);
  CHECK(result.layer == 3);
  for (const SplitCount& count : result.counts) {
    CAPTURE(count.heads);
    CHECK(WorstApart(count.maps, SplitMapsReference(layer, count.columns)) <=
          test::WeightBound(ScoreBound(layer, count), layer.shape().keys));
  }
}

TEST_CASE("Every head of a cut is measured by its rows that see two keys or more",
          "[headcount][split]") {
  LayerOptions options;
  options.window = GENERATE(0, 1);
  const LayerAttention layer = MakeLayer(options);
  Output output(MakeBackend(Which::kReference), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {1, 4, 5});
  for (const SplitCount& count : result.counts) {
    REQUIRE(std::ssize(count.largest) == count.heads);
    const std::size_t cells = count.maps.size() / count.largest.size();
    for (std::size_t head = 0; head < count.largest.size(); ++head) {
      const auto map = count.maps.begin() + static_cast<std::ptrdiff_t>(head * cells);
      // The first row sees one key; with a window of one every row does.
      const float expected =
          options.window == 1
              ? 0.0F
              : *std::max_element(map + options.tokens, map + static_cast<std::ptrdiff_t>(cells));
      CHECK(count.largest[head] == expected);
      CHECK(map[0] == 1.0F);
    }
  }
}

TEST_CASE("Whole rows sum to one and masked cells are exactly zero", "[headcount][split]") {
  const LayerAttention layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  const std::int64_t n = layer.shape().queries;
  for (const SplitCount& count : MustSplit(&output, layer, {1, 5, 8}).counts) {
    for (std::int64_t row = 0; row < count.heads * n; ++row) {
      const float* cells = count.maps.data() + row * n;
      CHECK(std::accumulate(cells, cells + n, 0.0) == test::Near(1.0, test::RowSumBound(n)));
      for (std::int64_t key = row % n + 1; key < n; ++key) {
        CHECK(cells[key] == 0.0F);
      }
    }
  }
}

// The output of a cut by the formula: each head's weights times its columns of V, through W_O.
std::vector<double> OutputReference(const LayerAttention& layer,
                                    const SplitCount& count,
                                    const Output& output) {
  const AttentionShape& shape = layer.shape();
  const std::int64_t group = shape.heads / shape.kv_heads;
  const auto maps = SplitMapsReference(layer, count.columns);
  std::vector<double> out;
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    std::vector<double> row(output.bias().begin(), output.bias().end());
    for (std::int64_t head = 0; head < count.heads; ++head) {
      for (const std::int32_t column : count.columns[static_cast<std::size_t>(head)]) {
        double value = 0.0;
        for (std::int64_t key = 0; key < shape.keys; ++key) {
          const std::int64_t kv_column =
              column / shape.head_dim / group * shape.head_dim + column % shape.head_dim;
          value +=
              maps[static_cast<std::size_t>((head * shape.queries + query) * shape.keys + key)] *
              static_cast<double>(layer.parts().values[static_cast<std::size_t>(
                  key * shape.kv_heads * shape.head_dim + kv_column)]);
        }
        for (std::size_t i = 0; i < row.size(); ++i) {
          row[i] += value * static_cast<double>(
                                output.weight()[static_cast<std::size_t>(column) * row.size() + i]);
        }
      }
    }
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

TEST_CASE("The output is the heads' values through the output projection", "[headcount][split]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2);
  const LayerAttention layer = MakeLayer(options);
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {1, 4, 5, 24});
  for (const SplitCount& count : result.counts) {
    CAPTURE(count.heads);
    const double score = ScoreBound(layer, count);
    // Values of a head, averaged; then a random sum over all columns.
    const double value = Largest(layer.parts().values);
    const double of_context = (2.0 * score + 4.0 * test::SoftmaxBound(layer.shape().keys)) * value +
                              test::SumBound(value, layer.shape().keys);
    const double size = static_cast<double>(Width(layer)) * Largest(output.weight());
    CHECK(WorstApart(count.output, OutputReference(layer, count, output)) <=
          of_context * size + test::RandomSumBound(value * size, Width(layer)));
    CHECK(count.unowned_columns == 0);
    CHECK((count.heads == 4) == (count.output_difference <= 1e-6));
  }
}

TEST_CASE("The trained count is the layer itself", "[headcount][split]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2);
  const LayerAttention layer = MakeLayer(options);
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {4});
  const AttentionShape& shape = layer.shape();
  std::vector<float> row(static_cast<std::size_t>(shape.keys));
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      layer.Row(head, query, row);
      const std::vector<double> expected(row.begin(), row.end());
      const std::span<const float> maps = result.counts[0].maps;
      CHECK(WorstApart(
                maps.subspan(static_cast<std::size_t>((head * shape.queries + query) * shape.keys),
                             row.size()),
                expected) <= test::WeightBound(ScoreBound(layer, result.counts[0]), shape.keys));
    }
  }
}

TEST_CASE("Scores of children, unscaled, add up to their parent's", "[headcount][split]") {
  const LayerAttention layer = MakeLayer({});
  const AttentionShape& shape = layer.shape();
  // log weight differences are score differences: with one row's largest taken out, the scores of
  // a head follow from its map; times sqrt(width / head_dim) / scale they are dot products.
  const auto dots = [&layer, &shape](std::int64_t heads, std::int64_t head, std::int64_t query) {
    const auto columns = ContiguousColumns(Width(layer), heads);
    const auto maps = SplitMapsReference(layer, columns);
    const double scale =
        layer.rule().scale *
        std::sqrt(static_cast<double>(shape.head_dim) /
                  static_cast<double>(columns[static_cast<std::size_t>(head)].size()));
    std::vector<double> result;
    const double* row = maps.data() + (head * shape.queries + query) * shape.keys;
    for (std::int64_t key = 0; key <= query; ++key) {
      result.push_back(std::log(row[key] / row[0]) / scale);
    }
    return result;
  };
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    const auto parent = dots(2, 1, query);
    std::vector<double> children(parent.size(), 0.0);
    for (std::int64_t child = 4; child < 8; ++child) {  // the children of head 1 of 2 among 8
      const auto own = dots(8, child, query);
      for (std::size_t i = 0; i < own.size(); ++i) {
        children[i] += own[i];
      }
    }
    for (std::size_t i = 0; i < parent.size(); ++i) {
      // Logarithms of weights in double, in parts of the scale.
      CHECK(children[i] == test::Near(parent[i], 1e-12));
    }
  }
}

TEST_CASE("Parameters and multiplications do not depend on the count", "[headcount][split]") {
  const LayerAttention layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  for (const SplitCount& count : MustSplit(&output, layer, {}).counts) {
    CHECK(count.parameters == 1030);
    CHECK(count.multiplies == 9 * 1000 + 2 * 9 * 9 * 24);
    CHECK(count.softmax_cells == count.heads * 81);
    CHECK(count.map_bytes == count.heads * 4 * 81);
    CHECK(count.milliseconds >= 0.0);
    CHECK(count.effective_heads >= 1.0);
    CHECK(count.effective_heads <= static_cast<double>(count.heads) + 1e-9);
    CHECK(count.mean_divergence.has_value() == (count.heads > 1));
  }
}

TEST_CASE("Left to itself a split takes the powers of two and the trained count",
          "[headcount][split]") {
  LayerOptions options;
  options.heads = options.kv_heads = 3;
  options.head_dim = 4;
  const LayerAttention layer = MakeLayer(options);
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  std::vector<std::int64_t> heads;
  for (const SplitCount& count : MustSplit(&output, layer, {}).counts) {
    heads.push_back(count.heads);
  }
  CHECK(heads == std::vector<std::int64_t>{1, 2, 3, 4, 8});
  CHECK(MustSplit(&output, layer, {4, 1, 4}).counts.size() == 2);
}

TEST_CASE("Equal weights give equal heads", "[headcount][split]") {
  LayerAttention::Parts parts = MakeLayer({}).parts();
  for (std::size_t i = 0; i < parts.queries.size(); ++i) {  // every column of a row is its first
    parts.queries[i] = parts.queries[i / 24 * 24] * 0.1F;
    parts.keys[i] = parts.keys[i / 24 * 24] * 0.1F;
  }
  const LayerAttention layer(parts);
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {2, 4, 8});
  for (const SplitCount& count : result.counts) {
    CHECK(*count.mean_divergence == Approx(0.0).margin(1e-6));
    CHECK(count.effective_heads == Approx(1.0).epsilon(1e-4));
  }
  // What the count still changes is the scale.
  CHECK(result.counts[0].maps[9] != Approx(result.counts[2].maps[9]).epsilon(1e-6));
}

TEST_CASE("Counts and sizes that cannot be are refused with both numbers", "[headcount][split]") {
  const LayerAttention layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{25}}) {
    const auto result = Split(&output, layer, {1, wrong});
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kInput);
    CHECK(result.error().message.find(std::to_string(wrong)) != std::string::npos);
    CHECK(result.error().message.find("24") != std::string::npos);
  }
  LayerAttention::Parts parts = layer.parts();
  parts.shape.value_dim = 5;
  parts.values.resize(9 * 4 * 5);
  const auto unequal = Split(&output, LayerAttention(parts), {1});
  REQUIRE_FALSE(unequal.has_value());
  CHECK(unequal.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("Maps past the limit are refused before they are made", "[headcount][split]") {
  LayerOptions options;
  options.tokens = 4000;
  options.heads = options.kv_heads = 1;
  options.head_dim = 64;
  const LayerAttention layer = MakeLayer(options);
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  const auto result = Split(&output, layer, {64});
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kInput);
  CHECK(result.error().message.find("4000 tokens") != std::string::npos);
}

TEST_CASE("A split can be stopped", "[headcount][split]") {
  const LayerAttention layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(layer), kModelDim);
  std::stop_source source;
  source.request_stop();
  const auto result = Split(&output, layer, {1, 2}, source.get_token());
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope

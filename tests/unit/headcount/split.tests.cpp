#include "core/headcount/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/attention/stored_weights.h"
#include "tests/reference/split_reference.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_error.h"
#include "tests/support/near.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

constexpr std::int64_t kModelDim = 10;

using Layer = std::shared_ptr<const LayerAttention>;
using Columns = std::vector<std::vector<std::int32_t>>;

SplitSource SourceOf(Output* output, const Layer& layer) {
  return {.backend = output->backend(),
          .output = &output->linear(),
          .costs = {.weights = 1000, .biases = 30},
          .layer = layer};
}

Result<SplitResult> Split(Output* output,
                          const Layer& layer,
                          std::vector<std::int64_t> counts,
                          const std::stop_token& stop = {}) {
  return SplitLayer(SourceOf(output, layer), {.head_counts = std::move(counts)}, stop);
}

SplitResult MustSplit(Output* output, const Layer& layer, std::vector<std::int64_t> counts) {
  auto result = Split(output, layer, std::move(counts));
  REQUIRE(result.has_value());
  return std::move(*result);
}

Columns ColumnsOf(const LayerAttention& cut) {
  Columns columns;
  for (std::int64_t head = 0; head < cut.shape().heads; ++head) {
    columns.push_back(cut.columns(head));
  }
  return columns;
}

// The weights as tiles have them: from what the backend left of each row.
std::vector<float> StoredMaps(const LayerAttention& cut) {
  std::vector<float> maps;
  const AttentionShape& shape = cut.shape();
  std::vector<float> block(static_cast<std::size_t>(shape.queries * shape.keys));
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    StoredWeights(cut, head).Make({.query_end = shape.queries, .key_end = shape.keys}, block);
    maps.insert(maps.end(), block.begin(), block.end());
  }
  return maps;
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

// Of a cut's scores: heads of more than 16 columns have their products in float32, and those of
// the rows that are stored are compared with such products.
double ScoreBound(const LayerAttention& layer, std::int64_t columns) {
  const double size = test::ScoreSize(layer) * std::sqrt(static_cast<double>(layer.shape().heads));
  return test::RandomSumBound(size, columns);
}
double ScoreBound(const LayerAttention& layer, const SplitCount& count) {
  return ScoreBound(layer, Width(layer) / count.heads);
}

// As they are drawn of a short text: exact. Masked cells as 0.
std::vector<float> Thumbnails(const LayerAttention& cut) {
  std::vector<float> maps;
  for (std::int64_t head = 0; head < cut.shape().heads; ++head) {
    const Thumbnail& thumbnail = cut.thumbnail(head);
    REQUIRE_FALSE(thumbnail.pooled);
    for (const float weight : thumbnail.mean) {
      maps.push_back(std::max(weight, 0.0F));
    }
  }
  return maps;
}

// The output of a cut by the formula: each head's weights times its columns of V, each column
// divided by how many heads own it, through W_O.
std::vector<double> OutputReference(const LayerAttention& layer,
                                    const Columns& columns,
                                    const Output& output) {
  const AttentionShape& shape = layer.shape();
  const std::int64_t group = shape.heads / shape.kv_heads;
  const auto maps = SplitMapsReference(layer, columns);
  const auto heads = std::ssize(columns);
  std::vector<double> owners(static_cast<std::size_t>(Width(layer)), 0.0);
  for (const auto& own : columns) {
    for (const std::int32_t column : own) {
      owners[static_cast<std::size_t>(column)] += 1.0;
    }
  }
  std::vector<double> out;
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    std::vector<double> row(output.bias().begin(), output.bias().end());
    for (std::int64_t head = 0; head < heads; ++head) {
      for (const std::int32_t column : columns[static_cast<std::size_t>(head)]) {
        double value = 0.0;
        for (std::int64_t key = 0; key < shape.keys; ++key) {
          const std::int64_t kv_column =
              column / shape.head_dim / group * shape.head_dim + column % shape.head_dim;
          value +=
              maps[static_cast<std::size_t>((head * shape.queries + query) * shape.keys + key)] *
              static_cast<double>(layer.content().values[static_cast<std::size_t>(
                  key * shape.kv_heads * shape.head_dim + kv_column)]);
        }
        value /= owners[static_cast<std::size_t>(column)];
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

void CheckOutput(const LayerAttention& layer,
                 const SplitCount& count,
                 const Columns& columns,
                 const Output& output,
                 double score) {
  // Values of a head, averaged; then a random sum over all columns.
  const double value = Largest(layer.content().values);
  const double of_context = (2.0 * score + 4.0 * test::SoftmaxBound(layer.shape().keys)) * value +
                            test::SumBound(value, layer.shape().keys);
  const double size = static_cast<double>(Width(layer)) * Largest(output.weight());
  CHECK(WorstApart(count.output, OutputReference(layer, columns, output)) <=
        of_context * size + test::RandomSumBound(value * size, Width(layer)));
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
  const Layer source = MakeLayer(options);
  const LayerAttention& layer = *source;
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, source, {1, 2, 3, 4, 5, 7, 24});
  REQUIRE(result.counts.size() == 7);
  CHECK(result.trained_heads == 4);
  CHECK(result.layer == 3);
  for (const SplitCount& count : result.counts) {
    CAPTURE(count.heads);
    const LayerAttention& cut = *count.attention;
    CHECK(ColumnsOf(cut) == ContiguousColumns(Width(layer), count.heads));
    const auto expected = SplitMapsReference(layer, ColumnsOf(cut));
    // Made in double, rounded once.
    CHECK(WorstApart(test::AllMaps({count.attention}), expected) <= test::kUnit);
    CHECK(WorstApart(StoredMaps(cut), expected) <=
          test::WeightBound(ScoreBound(layer, count), layer.shape().keys));
    CHECK(WorstApart(Thumbnails(cut), expected) <=
          test::WeightBound(ScoreBound(layer, count), layer.shape().keys));
  }
}

// Columns that ascend, `widths` of them for each head; heads may share them.
Columns AnyColumns(const std::vector<std::int64_t>& widths, std::int64_t width) {
  RandomStream random(5);
  Columns columns;
  for (const std::int64_t own : widths) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(width));
    std::iota(all.begin(), all.end(), 0);
    for (std::int64_t i = 0; i < own; ++i) {  // the first `own` of a shuffle
      std::swap(all[static_cast<std::size_t>(i)],
                all[static_cast<std::size_t>(i + static_cast<std::int64_t>(random.Below(
                                                     static_cast<std::uint64_t>(width - i))))]);
    }
    all.resize(static_cast<std::size_t>(own));
    std::sort(all.begin(), all.end());
    columns.push_back(std::move(all));
  }
  return columns;
}

TEST_CASE("A cut at any columns, heads of any width, is the reference's", "[headcount][split]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2, 1);
  options.causal = GENERATE(true, false);
  options.softcap = GENERATE(0.0, 2.0);
  const Layer source = MakeLayer(options);
  const LayerAttention& layer = *source;
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(layer), kModelDim);
  const std::vector<std::int64_t> widths = {6, 1, 24, 17, 6, 3};
  const Columns columns = AnyColumns(widths, Width(layer));
  const auto count = CutLayer(SourceOf(&output, source), columns, {});
  REQUIRE(count.has_value());
  const LayerAttention& cut = *count->attention;
  REQUIRE(cut.shape().heads == 6);
  CHECK(ColumnsOf(cut) == columns);
  CHECK(WidthText(*count) == "1\u201324");
  const auto expected = SplitMapsReference(layer, columns);
  CHECK(WorstApart(test::AllMaps({count->attention}), expected) <= test::kUnit);
  const double bound = test::WeightBound(ScoreBound(layer, 24), layer.shape().keys);
  CHECK(WorstApart(StoredMaps(cut), expected) <= bound);
  CHECK(WorstApart(Thumbnails(cut), expected) <= bound);
  // Each score by its own columns and scale.
  for (std::int64_t head = 0; head < 6; ++head) {
    const std::int64_t group = options.heads / options.kv_heads;
    double dot = 0.0;
    for (const std::int32_t column : columns[static_cast<std::size_t>(head)]) {
      const std::int64_t of_key = column / 6 / group * 6 + column % 6;
      dot +=
          static_cast<double>(layer.content().queries[static_cast<std::size_t>(7 * 24 + column)]) *
          static_cast<double>(
              layer.content().keys[static_cast<std::size_t>(2 * options.kv_heads * 6 + of_key)]);
    }
    CHECK(cut.DotProduct(head, 7, 2) == test::Near(dot, 1e-12));
    CHECK(cut.scale(head) ==
          test::Near(layer.rule().scale *
                     std::sqrt(6.0 / static_cast<double>(widths[static_cast<std::size_t>(head)]))));
  }
  CHECK(count->unowned_columns == 0);  // one head has them all
  CheckOutput(layer, *count, columns, output, ScoreBound(layer, 24));
}

TEST_CASE("Long texts are cut in blocks of rows, whose edges do not show", "[headcount][split]") {
  LayerOptions options;
  options.tokens = 300;  // two blocks of so many heads
  options.heads = options.kv_heads = 128;
  options.head_dim = 1;
  options.window = GENERATE(0, 40);
  const Layer source = MakeLayer(options);
  Output output(MakeBackend(Which::kOnednn), Width(*source), kModelDim);
  const SplitResult result = MustSplit(&output, source, {128});
  const auto expected = SplitMapsReference(*source, ContiguousColumns(128, 128));
  const double bound = test::WeightBound(ScoreBound(*source, 1), 300);
  CHECK(WorstApart(StoredMaps(*result.counts[0].attention), expected) <= bound);
  CHECK(result.counts[0].attention->thumbnail(127).pooled);
}

TEST_CASE("Every head of a cut is measured by its rows that see two keys or more",
          "[headcount][split]") {
  LayerOptions options;
  options.window = GENERATE(0, 1);
  const Layer layer = MakeLayer(options);
  Output output(MakeBackend(Which::kReference), Width(*layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {1, 4, 5});
  for (const SplitCount& count : result.counts) {
    for (std::int64_t head = 0; head < count.heads; ++head) {
      const std::vector<float> map = test::MapOf(*count.attention, head);
      // The first row sees one key; with a window of one every row does.
      const float expected =
          options.window == 1 ? 0.0F : *std::max_element(map.begin() + options.tokens, map.end());
      CHECK(count.attention->largest(head) ==
            test::Near(static_cast<double>(expected), 2.0 * test::kUnit));
      CHECK(map[0] == 1.0F);
    }
  }
}

TEST_CASE("Whole rows sum to one and masked cells are exactly zero", "[headcount][split]") {
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
  const std::int64_t n = layer->shape().queries;
  for (const SplitCount& count : MustSplit(&output, layer, {1, 5, 8}).counts) {
    const std::vector<float> whole = test::AllMaps({count.attention});
    const std::vector<float> made = Thumbnails(*count.attention);  // as the backend made them
    const std::vector<float> stored = StoredMaps(*count.attention);
    for (std::int64_t row = 0; row < count.heads * n; ++row) {
      const float* cells = whole.data() + row * n;
      const float* of_backend = made.data() + row * n;
      const float* of_tiles = stored.data() + row * n;
      CHECK(std::accumulate(cells, cells + n, 0.0) == test::Near(1.0, test::RowSumBound(n)));
      CHECK(std::accumulate(of_backend, of_backend + n, 0.0) ==
            test::Near(1.0, test::RowSumBound(n)));
      // Of what was stored: the scores of the row and those that its sum was made of are both off.
      CHECK(std::accumulate(of_tiles, of_tiles + n, 0.0) ==
            test::Near(1.0, 2.0 * ScoreBound(*layer, count) + test::RowSumBound(n)));
      for (std::int64_t key = row % n + 1; key < n; ++key) {
        CHECK(cells[key] == 0.0F);
        CHECK(of_backend[key] == 0.0F);
        CHECK(of_tiles[key] == 0.0F);
      }
    }
  }
}

TEST_CASE("The output is the heads' values through the output projection", "[headcount][split]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2);
  const Layer source = MakeLayer(options);
  const LayerAttention& layer = *source;
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(layer), kModelDim);
  const SplitResult result = MustSplit(&output, source, {1, 4, 5, 24});
  for (const SplitCount& count : result.counts) {
    CAPTURE(count.heads);
    CheckOutput(layer, count, ColumnsOf(*count.attention), output, ScoreBound(layer, count));
    CHECK(count.unowned_columns == 0);
    CHECK((count.heads == 4) == (count.output_difference <= 1e-6));
  }
}

TEST_CASE("Outputs that nobody keeps are compared all the same", "[headcount][split]") {
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
  const SplitResult kept = MustSplit(&output, layer, {1, 4, 6});
  const auto dropped =
      SplitLayer(SourceOf(&output, layer), {.head_counts = {1, 4, 6}, .keeps_outputs = false}, {});
  REQUIRE(dropped.has_value());
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::ssize(kept.counts[i].output) == 9 * kModelDim);
    CHECK(dropped->counts[i].output.empty());
    CHECK(dropped->counts[i].output_difference == kept.counts[i].output_difference);
  }
}

TEST_CASE("The trained count is the layer itself", "[headcount][split]") {
  LayerOptions options;
  options.kv_heads = GENERATE(4, 2);
  const Layer layer = MakeLayer(options);
  Output output(MakeBackend(GENERATE(Which::kReference, Which::kOnednn)), Width(*layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {4});
  const std::vector<float> own = test::AllMaps({layer});
  CHECK(test::AllMaps({result.counts[0].attention}) == own);
  const std::vector<double> expected(own.begin(), own.end());
  CHECK(WorstApart(StoredMaps(*result.counts[0].attention), expected) <=
        test::WeightBound(ScoreBound(*layer, result.counts[0]), layer->shape().keys));
}

TEST_CASE("Scores of children, unscaled, add up to their parent's", "[headcount][split]") {
  const Layer source = MakeLayer({});
  const LayerAttention& layer = *source;
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
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
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
  const Layer layer = MakeLayer(options);
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
  std::vector<std::int64_t> heads;
  for (const SplitCount& count : MustSplit(&output, layer, {}).counts) {
    heads.push_back(count.heads);
  }
  CHECK(heads == std::vector<std::int64_t>{1, 2, 3, 4, 8});
  CHECK(MustSplit(&output, layer, {4, 1, 4}).counts.size() == 2);
}

TEST_CASE("Equal weights give equal heads", "[headcount][split]") {
  LayerAttention::Content content = MakeLayer({})->content();
  for (std::size_t i = 0; i < content.queries.size(); ++i) {  // every column of a row is its first
    content.queries[i] = content.queries[i / 24 * 24] * 0.1F;
    content.keys[i] = content.keys[i / 24 * 24] * 0.1F;
  }
  const auto layer = std::make_shared<const LayerAttention>(content);
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
  const SplitResult result = MustSplit(&output, layer, {2, 4, 8});
  for (const SplitCount& count : result.counts) {
    CHECK(*count.mean_divergence == Approx(0.0).margin(1e-6));
    CHECK(count.effective_heads == Approx(1.0).epsilon(1e-4));
  }
  // What the count still changes is the scale.
  const auto weight = [&result](std::size_t count) {
    return test::MapOf(*result.counts[count].attention, 0)[9];
  };
  CHECK(weight(0) != Approx(weight(2)).epsilon(1e-6));
}

TEST_CASE("Counts and sizes that cannot be are refused with both numbers", "[headcount][split]") {
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
  for (const std::int64_t wrong : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{25}}) {
    const auto result = Split(&output, layer, {1, wrong});
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kInput);
    CHECK(result.error().message.find(std::to_string(wrong)) != std::string::npos);
    CHECK(result.error().message.find("24") != std::string::npos);
  }
  LayerAttention::Content content = layer->content();
  content.shape.value_dim = 5;
  content.values.resize(9 * 4 * 5);
  const auto unequal = Split(&output, std::make_shared<const LayerAttention>(content), {1});
  REQUIRE_FALSE(unequal.has_value());
  CHECK(unequal.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("A split can be stopped", "[headcount][split]") {
  const Layer layer = MakeLayer({});
  Output output(MakeReferenceBackend(), Width(*layer), kModelDim);
  std::stop_source source;
  source.request_stop();
  const auto result = Split(&output, layer, {1, 2}, source.get_token());
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace headscope

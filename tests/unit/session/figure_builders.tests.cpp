#include "core/session/figure_builders.h"

#include <algorithm>
#include <utility>

#include "core/session/compute_jobs.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/telling_maps.h"

namespace headscope {
namespace {

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

FigureContext Context() {
  FigureContext context;
  context.model = ModelLine("probe", "gpt2", 2, 3, 6, 2);
  context.text = "a\n text";
  context.tokens = {"a", "text", "."};
  context.size_px = 400;
  return context;
}

Layers MakeLayers(std::int64_t tokens, bool pooled = false) {
  return {test::EvenLayer(0, 3, tokens, pooled), test::EvenLayer(1, 3, tokens, pooled)};
}

// As they are drawn with a cell or more for each.
std::vector<float> Weights(const FigureMap& map) {
  return *PooledMap(map.view, map.queries, map.keys, Pool::kLargest, {});
}

TEST_CASE("One head is its whole map with tokens, masked cells and its flag", "[session][figure]") {
  FigureContext context = Context();
  const std::vector<HeadFlag> flags = {
      {.layer = 1, .head = 2, .role = "induction", .colour = "", .note = ""}};
  context.flags = flags;
  const Layers layers = MakeLayers(3);
  const auto figure = HeadFigure(layers, {1, 2}, context);
  REQUIRE(figure.has_value());
  REQUIRE(figure->rows.size() == 1);
  const FigureMap& map = figure->rows[0].maps.at(0);
  CHECK(map.title == "L1H2");
  CHECK(map.view == MapView{layers[1], 2});  // no other head's
  CHECK(Weights(map) ==
        std::vector<float>{
            1.0F, -1.0F, -1.0F, 0.5F, 0.5F, -1.0F, 1.0F / 3.0F, 1.0F / 3.0F, 1.0F / 3.0F});
  CHECK(map.flag_rgb == 0xE69F00);
  CHECK(map.flag_role == "induction");
  CHECK(figure->query_tokens == context.tokens);
  CHECK(
      figure->caption ==
      "probe, gpt2, 2 layers \u00d7 3 heads, d 6, d_k 2. Text: \u201ca text\u201d, 3 tokens. Rows "
      "are queries, columns are keys; heads and layers count from 0.");
  CHECK(RenderFigure(*figure).has_value());
}

TEST_CASE("Axes show which tokens are pieces of a word", "[session][figure]") {
  Encoding encoding = *test::Words({"the", "sa", "il", "or"});
  encoding.tokens[2].word = encoding.tokens[1].word;
  encoding.tokens[3].word = encoding.tokens[1].word;
  CHECK(AxisTokens(encoding) == std::vector<std::string>{"the", "sa", "·il", "·or"});
}

TEST_CASE("A text from right to left keeps the caption's own direction", "[session][figure]") {
  FigureContext context = Context();
  const auto caption = [&context](const std::string& text) {
    context.text = text;
    return HeadFigure(MakeLayers(3), {1, 2}, context)->caption;
  };
  const std::string arabic = "\u0627\u0644\u0633\u0644\u0627\u0645";
  const std::string hebrew = "\u05E9\u05DC\u05D5\u05DD";
  CHECK_THAT(caption(arabic), test::Says("\u201c" + arabic + "\u201d\u200E, 3 tokens"));
  CHECK_THAT(caption(hebrew), test::Says("\u201d\u200E, 3 tokens"));
  for (const char* const other :
       {"caf\u00E9", "\u4E2D\u6587", "\u0928\u0947", "\uFF01", "\uFB01", "\u0394"}) {
    CHECK_THAT(caption(other), test::Says("\u201d, 3 tokens"));
  }
}

TEST_CASE("A map pooled a block of rows at a time is the whole map pooled", "[session][figure]") {
  const auto layer = test::EvenLayer(0, 2, 61);
  const auto whole = MakeHeadMap({layer, 1}, {});
  REQUIRE(whole.has_value());
  for (const auto& [rows, cols] : {std::pair(61, 61), std::pair(20, 7), std::pair(1, 1)}) {
    for (const Pool pool : {Pool::kLargest, Pool::kMean}) {
      CHECK(*PooledMap({layer, 1}, rows, cols, pool, {}) ==
            PoolMap((*whole)->weights, 61, 61, rows, cols, pool));
    }
  }
  std::stop_source source;
  source.request_stop();
  CHECK(PooledMap({layer, 1}, 1, 1, Pool::kMean, source.get_token()).error().code ==
        ErrorCode::kCancelled);
}

TEST_CASE("Maps are drawn as if they were held whole", "[session][figure]") {
  const auto layer = test::TellingLayer(3, 700, 700, {.causal = true}, kThumbnailSize);
  const Layers layers = {layer};
  const bool alone = GENERATE(true, false);
  const auto drawn =
      alone ? HeadFigure(layers, {0, 1}, Context()) : LayerFigure(layers, 0, Context());
  REQUIRE(drawn.has_value());
  Figure held = *drawn;
  std::int64_t head = alone ? 1 : 0;
  for (FigureRow& row : held.rows) {
    for (FigureMap& map : row.maps) {
      CHECK(map.weights.empty());
      map.weights = (*MakeHeadMap({layer, head++}, {}))->weights;
      map.view = {};
    }
  }
  CHECK(head == (alone ? 2 : 3));
  const auto pixels = RenderFigure(*drawn);
  REQUIRE(pixels.has_value());
  CHECK(pixels->rgb == RenderFigure(held)->rgb);
}

TEST_CASE("A head or layer that is not there is refused by name", "[session][figure]") {
  const Layers layers = MakeLayers(3);
  for (const HeadIndex head : {HeadIndex{2, 0}, HeadIndex{0, 3}, HeadIndex{0, -1}}) {
    const auto figure = HeadFigure(layers, head, Context());
    REQUIRE_FALSE(figure.has_value());
    CHECK(figure.error().code == ErrorCode::kInput);
    CHECK(figure.error().message.find(HeadName(head)) != std::string::npos);
  }
  CHECK(LayerFigure(layers, 5, Context()).error().code == ErrorCode::kInput);
  CHECK(GridFigure({}, Context()).error().code == ErrorCode::kInput);
}

TEST_CASE("A layer is all its heads in order, large", "[session][figure]") {
  const std::int64_t heads = GENERATE(1, 2, 3, 8, 12, 32);
  const Layers layers = {test::EvenLayer(4, heads, 5)};
  const auto figure = LayerFigure(layers, 4, Context());
  REQUIRE(figure.has_value());
  std::int64_t head = 0;
  for (const FigureRow& row : figure->rows) {
    CHECK(row.slots == figure->rows[0].slots);
    CHECK(std::ssize(row.maps) <= row.slots);
    for (const FigureMap& map : row.maps) {
      CHECK(map.title == HeadName({4, head++}));
      CHECK_FALSE(map.pooled);
    }
  }
  CHECK(head == heads);
}

TEST_CASE("A long text's layer is pooled to what can be drawn", "[session][figure]") {
  const Layers layers = {test::EvenLayer(0, 4, 700)};
  const auto figure = LayerFigure(layers, 0, Context());
  REQUIRE(figure.has_value());
  const FigureMap& map = figure->rows[0].maps[0];
  CHECK(map.weights.empty());
  CHECK(map.queries == 700);
  const auto pixels = RenderFigure(*figure);
  REQUIRE(pixels.has_value());
  CHECK(std::max(pixels->width, pixels->height) == 400);
}

TEST_CASE("The grid is every thumbnail, pooled as asked", "[session][figure]") {
  FigureContext context = Context();
  context.pool = GENERATE(Pool::kMean, Pool::kLargest);
  const auto figure = GridFigure(MakeLayers(6, true), context);
  REQUIRE(figure.has_value());
  CHECK(figure->pool == context.pool);
  REQUIRE(figure->rows.size() == 2);
  CHECK(figure->column_labels == std::vector<std::string>{"H0", "H1", "H2"});
  CHECK(figure->rows[1].label == "L1");
  const FigureMap& map = figure->rows[1].maps.at(2);
  CHECK(map.pooled);
  CHECK(map.whole_keys == 6);
  CHECK(map.keys == 3);
}

TEST_CASE("Measured ranges run to the largest weight they cover", "[session][figure]") {
  Layers layers = MakeLayers(3);
  LayerAttention::Parts parts = layers[0]->parts();
  // Row 2 of heads 0 and 1, row 1 of a head in the other layer.
  parts.row_inverse_sum = {1.0F, 0.25F, 0.375F, 1.0F, 0.25F, 0.625F, 1.0F, 0.25F, 0.25F};
  layers[0] = std::make_shared<const LayerAttention>(parts);
  parts.row_inverse_sum[7] = 0.875F;
  layers[1] = std::make_shared<const LayerAttention>(parts);
  FigureContext context = Context();
  const auto high = [&](RangeMode mode) {
    context.scale.range = mode;
    return GridFigure(layers, context)->rows[0].maps[0].scale.high;
  };
  CHECK(high(RangeMode::kFixed) == 1.0F);
  CHECK(high(RangeMode::kHead) == 0.375F);
  CHECK(high(RangeMode::kLayer) == 0.625F);
  CHECK(high(RangeMode::kGlobal) == 0.875F);
}

TEST_CASE("A text of one token has no row to measure: 0 to 1", "[session][figure]") {
  FigureContext context = Context();
  context.scale.range = GENERATE(RangeMode::kHead, RangeMode::kLayer, RangeMode::kGlobal);
  const auto figure = HeadFigure(MakeLayers(1), {0, 0}, context);
  REQUIRE(figure.has_value());
  CHECK(Describe(figure->rows[0].maps[0].scale) == "square root, 0 to 1");
}

TEST_CASE("Head counts are rows with the trained one marked, and a table", "[session][figure]") {
  SplitResult split;
  split.layer = 2;
  split.trained_heads = 2;
  for (const std::int64_t heads : {1, 2, 100}) {
    SplitCount count;
    count.heads = heads;
    count.parameters = 12345;
    count.multiplies = 23456789;
    count.attention = test::EvenLayer(2, heads, 3);
    split.counts.push_back(count);
  }
  FigureContext context = Context();
  context.size_px = 1200;
  const Figure made = CountsFigure(split, context);
  const Figure* const figure = &made;
  REQUIRE(figure->rows.size() == 3);
  CHECK_FALSE(figure->rows[0].marked);
  CHECK(figure->rows[1].marked);
  CHECK(figure->rows[1].maps.size() == 2);
  CHECK(Weights(figure->rows[1].maps[1]) ==
        std::vector<float>{
            1.0F, -1.0F, -1.0F, 0.5F, 0.5F, -1.0F, 1.0F / 3.0F, 1.0F / 3.0F, 1.0F / 3.0F});
  CHECK(figure->rows[1].maps[1].view.has_masked());
  CHECK(figure->rows[2].maps.size() == 64);
  CHECK(std::any_of(figure->notes.begin(), figure->notes.end(), [](const std::string& note) {
    return note.find("heads 0\u201363 are drawn") != std::string::npos;
  }));
  REQUIRE(figure->table.size() == 4);
  CHECK(figure->marked_table_row == 2);
  CHECK(figure->table[1][2] == "12,345");
  CHECK(figure->table[1][3] == "23.5 M");
  CHECK(RenderFigure(*figure).has_value());
}

TEST_CASE("A long text is shortened in the caption, between characters", "[session][figure]") {
  FigureContext context = Context();
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += "\u00e9";
  }
  context.text = text;
  const std::string caption = GridFigure(MakeLayers(3), context)->caption;
  CHECK(caption.find(text.substr(0, 320) + "\u2026\u201d") != std::string::npos);
  context.text = "";
  CHECK(GridFigure(MakeLayers(3), context)->caption.find("\u201ca text .\u201d") !=
        std::string::npos);
}

TEST_CASE("A figure can be stopped", "[session][figure]") {
  std::stop_source source;
  source.request_stop();
  const Layers layers = MakeLayers(3);
  for (const auto& figure :
       {HeadFigure(layers, {0, 0}, Context()), LayerFigure(layers, 0, Context())}) {
    REQUIRE(figure.has_value());
    CHECK(RenderFigure(*figure, source.get_token()).error().code == ErrorCode::kCancelled);
  }
}

}  // namespace
}  // namespace headscope

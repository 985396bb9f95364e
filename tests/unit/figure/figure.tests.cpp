#include "core/figure/figure.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <cairo.h>

#include "core/figure/figure_format.h"
#include "core/figure/map_picture.h"
#include "core/figure/map_rows.h"
#include "core/figure/pool.h"
#include "core/figure/theme.h"
#include "core/figure/token_map.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

Rgb At(const Pixels& pixels, int x, int y) {
  const std::size_t first =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
           static_cast<std::size_t>(x));
  return {pixels.rgb[first], pixels.rgb[first + 1], pixels.rgb[first + 2]};
}

FigureMap MakeMap(std::int64_t n, bool causal) {
  FigureMap map;
  map.title = "L0H0";
  map.queries = map.keys = n;
  for (std::int64_t q = 0; q < n; ++q) {
    for (std::int64_t k = 0; k < n; ++k) {
      map.weights.push_back(causal && k > q ? -1.0F
                                            : static_cast<float>((q * 7 + k * 3) % 11) / 11.0F);
    }
  }
  return map;
}

// What a test changes before it is drawn.
struct OneMap {
  FigurePage page;
  TokenMapContent content;
};
struct Rows {
  FigurePage page;
  MapRowsContent content;
};

OneMap SingleFigure(std::int64_t n, int size, bool causal = true) {
  OneMap figure;
  figure.page.title = "L0H0";
  figure.page.size_px = size;
  figure.page.caption = "A model, a text. Rows are queries, columns are keys; heads count from 0.";
  for (std::int64_t i = 0; i < n; ++i) {
    figure.content.query_tokens.push_back("t" + std::to_string(i % 5));
  }
  figure.content.key_tokens = figure.content.query_tokens;
  figure.content.map = MakeMap(n, causal);
  return figure;
}

Rows GridFigure(std::int64_t rows, std::int64_t cols, std::int64_t n, int size) {
  Rows figure;
  figure.page.title = "every head";
  figure.page.size_px = size;
  figure.page.caption = "A caption.";
  for (std::int64_t row = 0; row < rows; ++row) {
    FigureRow own;
    own.label = "L" + std::to_string(row);
    for (std::int64_t col = 0; col < cols; ++col) {
      own.maps.push_back(MakeMap(n, true));
    }
    figure.content.rows.push_back(std::move(own));
  }
  return figure;
}

Result<Pixels> Render(const OneMap& figure) {
  TokenMap map(figure.page, figure.content);
  return test::RenderFigure(&map);
}

Result<Pixels> Render(const Rows& figure) {
  MapRows rows(figure.page, figure.content);
  return test::RenderFigure(&rows);
}

Status Write(const std::filesystem::path& path, const OneMap& figure) {
  TokenMap map(figure.page, figure.content);
  return WriteFigure(path, &map);
}

struct Square {
  int x = -1;
  int y = -1;
  int side = 0;
};

// The first square of that colour, row by row.
Square FindSquare(const Pixels& pixels, Rgb color) {
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      if (At(pixels, x, y) == color) {
        Square square{x, y, 0};
        while (x + square.side < pixels.width && At(pixels, x + square.side, y) == color) {
          ++square.side;
        }
        return square;
      }
    }
  }
  return {};
}

TEST_CASE("Every pixel of a cell has exactly the colour of its weight", "[figure][render]") {
  OneMap figure = SingleFigure(GENERATE(3, 5, 11), GENERATE(400, 800));
  figure.page.theme = GENERATE(Theme::kDark, Theme::kLight);
  FigureMap& map = figure.content.map;
  map.scale.curve = GENERATE(Curve::kSqrt, Curve::kLog);
  map.weights[0] = 1.0F;  // a colour that nothing else has: where the map begins
  const auto pixels = Render(figure);
  REQUIRE(pixels.has_value());
  const Square first = FindSquare(*pixels, ColorOf(map.scale, figure.page.theme, 1.0F));
  REQUIRE(first.side >= 8);
  int wrong = 0;
  for (std::int64_t q = 0; q < map.queries; ++q) {
    for (std::int64_t k = 0; k < map.keys; ++k) {
      const Rgb expected = ColorOf(
          map.scale, figure.page.theme, map.weights[static_cast<std::size_t>(q * map.keys + k)]);
      for (int y = 0; y < first.side; ++y) {
        for (int x = 0; x < first.side; ++x) {
          wrong += At(*pixels,
                      first.x + static_cast<int>(k) * first.side + x,
                      first.y + static_cast<int>(q) * first.side + y) != expected;
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("A range per row is measured on each row", "[figure][render]") {
  OneMap figure = SingleFigure(2, 400, false);
  FigureMap& map = figure.content.map;
  map.scale.range = RangeMode::kRow;
  map.weights = {0.2F, 0.1F, 0.01F, 0.02F};
  const auto pixels = Render(figure);
  REQUIRE(pixels.has_value());
  const Rgb top = ColormapTable(Colormap::kViridis, Theme::kLight).back();
  const Square first = FindSquare(*pixels, top);
  REQUIRE(first.side > 8);
  // The second row's largest is the second cell.
  CHECK(At(*pixels, first.x + first.side + 1, first.y + first.side + 1) == top);
  CHECK(At(*pixels, first.x + 1, first.y + first.side + 1) != top);
}

TEST_CASE("The longer side is the size asked for", "[figure][render]") {
  const int size = GENERATE(400, 801, 1600);
  const std::int64_t n = GENERATE(1, 2, 16, 64, 300);
  const auto single = Render(SingleFigure(n, size));
  REQUIRE(single.has_value());
  CHECK(std::max(single->width, single->height) == size);
  const auto grid = Render(GridFigure(3, 5, n, size));
  REQUIRE(grid.has_value());
  CHECK(std::max(grid->width, grid->height) == size);
}

TEST_CASE("Rows of any number of maps fit", "[figure][render]") {
  Rows figure = GridFigure(1, 1, 24, 900);
  for (const int heads : {2, 4, 12, 64}) {
    FigureRow row = GridFigure(1, heads, 24, 900).content.rows[0];
    row.label = "h = " + std::to_string(heads);
    row.sublabel = "d_k 8";
    row.marked = heads == 12;
    figure.content.rows.push_back(row);
  }
  figure.content.table = {{"h", "maps"}, {"1", "2.3 kB"}};
  figure.content.marked_table_row = 1;
  figure.page.notes = {"A note."};
  const auto pixels = Render(figure);
  REQUIRE(pixels.has_value());
  CHECK(std::max(pixels->width, pixels->height) == 900);
}

TEST_CASE("A text longer than the figure has pixels is pooled, and no lone cell is lost",
          "[figure][render]") {
  OneMap figure = SingleFigure(1100, 500, false);
  FigureMap& map = figure.content.map;
  std::fill(map.weights.begin(), map.weights.end(), 0.0F);
  map.weights[700 * 1100 + 300] = 1.0F;
  const auto with = Render(figure);
  REQUIRE(with.has_value());
  CHECK(std::max(with->width, with->height) == 500);
  map.weights[700 * 1100 + 300] = 0.0F;
  const auto without = Render(figure);
  REQUIRE(without.has_value());
  REQUIRE(with->rgb.size() == without->rgb.size());
  int different = 0;
  for (std::size_t i = 0; i < with->rgb.size(); i += 3) {
    different += !std::equal(&with->rgb[i], &with->rgb[i] + 3, &without->rgb[i]);
  }
  CHECK(different == 1);
}

TEST_CASE("Pooling keeps the largest, and masked only where all is masked", "[figure][pool]") {
  const std::vector<float> weights = {0.1F, -1.0F, -1.0F, 0.3F, 0.2F, -1.0F, 0.0F, 0.5F, 0.4F};
  const Pool pool = GENERATE(Pool::kLargest, Pool::kMean);
  CHECK(PoolMap(weights, 3, 3, 3, 3, pool) == weights);
  CHECK(PoolMap({weights.data(), 3}, 1, 3, 1, 2, pool) == std::vector<float>{0.1F, -1.0F});
  CHECK(PoolMap(weights, 3, 3, 1, 1, Pool::kLargest) == std::vector<float>{0.5F});
}

TEST_CASE("A pooled mean is over what is visible", "[figure][pool]") {
  const std::vector<float> weights = {0.5F, -1.0F, 0.25F, 0.75F};
  CHECK(PoolMap(weights, 2, 2, 1, 1, Pool::kMean) == std::vector<float>{0.5F});
  CHECK(PoolMap(weights, 2, 2, 1, 2, Pool::kMean) == std::vector<float>{0.375F, 0.75F});
}

TEST_CASE("A map pooled a block of rows at a time is the whole map pooled", "[figure][pool]") {
  const MapView view{test::EvenLayer(0, 2, 61), 1};
  std::vector<float> whole(std::size_t{61} * 61);
  view.DrawableRows(0, 61, whole);
  for (const auto& [rows, cols] : {std::pair(61, 61), std::pair(20, 7), std::pair(1, 1)}) {
    for (const Pool pool : {Pool::kLargest, Pool::kMean}) {
      CHECK(*PooledMap(view, rows, cols, pool, {}) == PoolMap(whole, 61, 61, rows, cols, pool));
    }
  }
  std::stop_source source;
  source.request_stop();
  CHECK(PooledMap(view, 1, 1, Pool::kMean, source.get_token()).error().code ==
        ErrorCode::kCancelled);
}

TEST_CASE("The note on pooling counts the cells of the whole map", "[figure][pool]") {
  FigureMap map = MakeMap(64, true);
  CHECK(FitPicture(map, 130.0, 130.0, 100.0).pooled_by == 1);
  CHECK(FitPicture(map, 32.0, 32.0, 100.0).pooled_by == 2);
  map.pooled = true;
  map.whole_queries = map.whole_keys = 256;
  CHECK(FitPicture(map, 130.0, 130.0, 100.0).pooled_by == 4);
  CHECK(FitPicture(map, 32.0, 32.0, 100.0).pooled_by == 8);
  CHECK(PoolingNote(1, Pool::kMean).empty());
  CHECK(PoolingNote(8, Pool::kMean) ==
        "Pooled: each cell drawn is the mean of up to 8 \u00D7 8 visible weights.");
}

TEST_CASE("Tokens of every kind leave the figure whole", "[figure][render]") {
  OneMap figure = SingleFigure(8, 600);
  figure.content.query_tokens = {"\n",
                                 "",
                                 "\u0627\u0644\u0633\u0644\u0627\u0645",
                                 std::string(100000, 'w'),
                                 "\U0001F600\U0001D54F",
                                 "\xFF\xFE",
                                 std::string("\0", 1),
                                 "a\u0301\u0301\u0301"};
  figure.content.key_tokens = figure.content.query_tokens;
  figure.page.caption = std::string(3000, 'c');
  figure.page.notes = {std::string("\x01\x02", 2)};
  const auto pixels = Render(figure);
  if (pixels) {
    CHECK(std::max(pixels->width, pixels->height) == 600);
  } else {
    CHECK(pixels.error().code == ErrorCode::kInput);
  }
  figure.page.caption = "short";
  CHECK(Render(figure).has_value());
}

TEST_CASE("The same figure is the same bytes, and a flag shows", "[figure][render]") {
  Rows figure = GridFigure(2, 3, 16, 500);
  const auto once = Render(figure);
  const auto twice = Render(figure);
  REQUIRE(once.has_value());
  REQUIRE(twice.has_value());
  CHECK(once->rgb == twice->rgb);
  figure.content.rows[1].maps[2].flag_rgb = 0xE69F00;
  figure.content.rows[1].maps[2].flag_role = "induction";
  const auto flagged = Render(figure);
  REQUIRE(flagged.has_value());
  CHECK(FindSquare(*once, RgbOf(0xE69F00)).x == -1);
  CHECK(FindSquare(*flagged, RgbOf(0xE69F00)).side > 8);
}

TEST_CASE("Sizes that cannot be are refused with both numbers", "[figure][render]") {
  for (const int size : {-5, 0, 20, 16385, 2000000000}) {
    const auto pixels = Render(SingleFigure(4, size));
    REQUIRE_FALSE(pixels.has_value());
    CHECK(pixels.error().code == ErrorCode::kInput);
    CHECK(pixels.error().message.find(std::to_string(size)) != std::string::npos);
  }
  const auto large = Render(SingleFigure(4, 16384));
  REQUIRE_FALSE(large.has_value());
  CHECK(large.error().code == ErrorCode::kInput);
  const auto crowded = Render(GridFigure(40, 400, 4, 400));
  REQUIRE_FALSE(crowded.has_value());
  CHECK(crowded.error().code == ErrorCode::kInput);
  CHECK_FALSE(Render(Rows{}).has_value());
}

TEST_CASE("A PNG holds the figure's pixels", "[figure][png]") {
  const test::TempFolder folder;
  const OneMap figure = SingleFigure(6, 300);
  const auto path = folder / "figure.PNG";
  REQUIRE(Write(path, figure).has_value());
  const auto pixels = Render(figure);
  REQUIRE(pixels.has_value());
  cairo_surface_t* surface = cairo_image_surface_create_from_png(path.c_str());
  REQUIRE(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS);
  CHECK(cairo_image_surface_get_width(surface) == pixels->width);
  CHECK(cairo_image_surface_get_height(surface) == pixels->height);
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  int wrong = 0;
  for (int y = 0; y < pixels->height; ++y) {
    for (int x = 0; x < pixels->width; ++x) {
      const unsigned char* pixel = data + y * stride + 4 * x;  // little-endian: blue first
      wrong += At(*pixels, x, y) != Rgb{pixel[2], pixel[1], pixel[0]};
    }
  }
  CHECK(wrong == 0);
  cairo_surface_destroy(surface);
}

TEST_CASE("A figure that cannot be written leaves nothing behind", "[figure][files]") {
  const test::TempFolder folder;
  const OneMap figure = SingleFigure(3, 300);
  CHECK(Write(folder / "f.jpg", figure).error().code == ErrorCode::kInput);
  for (const FigureFormat& format : AllFigureFormats()) {
    const std::string name = "f" + std::string(format.ending);
    CHECK(Write(folder / "none" / name, figure).error().code == ErrorCode::kIo);
    CHECK(Write(folder / name, SingleFigure(3, 99999)).error().code == ErrorCode::kInput);
    TokenMap map(figure.page, figure.content);
    std::stop_source source;
    source.request_stop();
    CHECK(WriteFigure(folder / name, &map, source.get_token()).error().code ==
          ErrorCode::kCancelled);
  }
  CHECK(folder.Count() == 0);
}

}  // namespace
}  // namespace headscope

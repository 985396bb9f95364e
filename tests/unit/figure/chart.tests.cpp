// Charts as figures paint them. In the window: tests/ui and tests/pictures.
#include "core/figure/chart.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "core/figure/canvas.h"
#include "core/figure/chart_figure.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/support/temp_folder.h"

namespace headscope {
namespace {

constexpr Rgb kRed = RgbOf(0xD00000);
constexpr Rgb kGreen = RgbOf(0x00A000);
constexpr Rgb kBlue = RgbOf(0x0000E0);
constexpr Rect kArea{20.0F, 30.0F, 560.0F, 420.0F};

Chart ChartOfAll() {
  Chart chart{.across = {.high = 4.0, .name = "models"},
              .up = {.low = -1.0, .name = "score", .low_words = "-1.00", .high_words = "1.00"},
              .signs = "dot: a head"};
  chart.marks.emplace_back(ChartBand{3.0, 4.0, 30.0F, {kGreen}});
  chart.marks.emplace_back(ChartDot{.x = 0.5, .y = -0.5, .ink = {kRed}, .radius = 6.0F});
  chart.marks.emplace_back(
      ChartDot{.x = 0.5, .y = 0.5, .ink = {kRed}, .radius = 12.0F, .ring = 6.0F});
  chart.marks.emplace_back(ChartBar{1.25, 1.75, 0.5, {kGreen}});
  chart.marks.emplace_back(ChartError{2.25, -0.25, 0.25, {kBlue}});
  chart.marks.emplace_back(
      ChartLine{.x0 = 2.5, .y0 = -1.0, .x1 = 2.5, .y1 = 0.5, .ink = {kBlue}, .thickness = 3.0F});
  chart.LineAcross(0.9, {kBlue});
  for (const char* const name : {"alpha", "beta", "gamma", "delta"}) {
    chart.ticks.push_back({static_cast<double>(chart.ticks.size()) + 0.5, name});
  }
  return chart;
}

// A chart by itself in kArea of 600 x 480 pixels, and where its painter placed it.
class BareChart final : public Figure {
 public:
  explicit BareChart(Chart chart)
      : Figure({.title = {}, .caption = {}, .notes = {}, .size_px = 600}),
        chart_(std::move(chart)) {}
  Result<FigureSize> Measure(TextSetter* /*setter*/) override { return FigureSize{600, 480}; }
  Status Draw(Canvas* canvas, const std::stop_token& /*stop*/) override {
    const auto painter = PainterOn(canvas, page());
    const auto place = PlaceChart(*painter, kArea, chart_);
    REQUIRE(place.has_value());
    field = place->field;
    PaintChart(painter.get(), *place);
    return {};
  }

  Rect field;

 private:
  Chart chart_;
};

struct Painted {
  Chart chart = ChartOfAll();
  Rect field = {};
  Pixels pixels = {};

  Painted() {
    BareChart figure(chart);
    pixels = *test::RenderFigure(&figure);
    field = figure.field;
  }
  [[nodiscard]] ChartPlace place() const { return {.chart = chart, .field = field}; }
  [[nodiscard]] Rgb At(float x, float y) const {
    const auto pixel =
        static_cast<std::size_t>(std::floor(y)) * 600 + static_cast<std::size_t>(std::floor(x));
    return {pixels.rgb[3 * pixel], pixels.rgb[3 * pixel + 1], pixels.rgb[3 * pixel + 2]};
  }
};

const ThemeColors& Colors() {
  return ColorsOf(Theme::kLight);
}

TEST_CASE("The field lies in its area with room for numbers and names", "[figure][chart]") {
  const Painted painted;
  CHECK(painted.field.x > kArea.x);
  CHECK(painted.field.y > kArea.y);
  CHECK(painted.field.x + painted.field.width < kArea.x + kArea.width);
  CHECK(painted.field.y + painted.field.height < kArea.y + kArea.height);
  const ChartPlace at = painted.place();
  CHECK(at.X(0.0) == Approx(painted.field.x));
  CHECK(at.X(4.0) == Approx(at.right()));
  CHECK(at.Y(-1.0) == Approx(at.bottom()));
  CHECK(at.Y(0.0) == Approx(painted.field.y + painted.field.height / 2.0F));
}

TEST_CASE("A figure paints axes and marks where the layout says", "[figure][chart]") {
  const Painted painted;
  const ChartPlace at = painted.place();
  const Rgb ground = Colors().panel;

  CHECK(painted.At(at.field.x, at.Y(0.2)) == Colors().line);
  CHECK(painted.At(at.X(1.0), at.bottom()) == Colors().line);
  CHECK(painted.At(at.field.x - 2.0F, at.Y(0.2)) == ground);

  CHECK(painted.At(at.X(0.5), at.Y(-0.5)) == kRed);
  CHECK(painted.At(at.X(0.5) + 9.0F, at.Y(-0.5)) == ground);
  CHECK(painted.At(at.X(0.5), at.Y(0.5)) == ground);  // within the ring
  CHECK(painted.At(at.X(0.5) + 9.0F, at.Y(0.5)) == kRed);

  CHECK(painted.At(at.X(1.5), at.Y(0.25)) == kGreen);
  CHECK(painted.At(at.X(1.25) + 2.0F, at.Y(0.5) + 3.0F) == kGreen);
  CHECK(painted.At(at.X(1.75) - 2.0F, at.Y(0.0) - 3.0F) == kGreen);
  CHECK(painted.At(at.X(1.5), at.Y(0.5) - 2.0F) == ground);
  CHECK(painted.At(at.X(1.5), at.Y(0.0) + 2.0F) == ground);
  CHECK(painted.At(at.X(1.25) - 2.0F, at.Y(0.25)) == ground);

  CHECK(painted.At(at.X(2.25), at.Y(0.0)) != ground);
  CHECK(painted.At(at.X(2.25) + 3.0F, at.Y(0.25)) != ground);  // its cap
  CHECK(painted.At(at.X(2.25), at.Y(0.25) - 3.0F) == ground);
  CHECK(painted.At(at.X(2.5), at.Y(-0.4)) == kBlue);
  CHECK(painted.At(at.X(2.5), at.Y(0.5) - 3.0F) == ground);

  CHECK(painted.At(at.X(3.5), at.Y(0.2)) == kGreen);
  CHECK(painted.At(at.X(3.5) + 18.0F, at.Y(0.2)) == ground);
  CHECK(painted.At(at.X(2.75), at.Y(0.9)) != ground);
  CHECK(painted.At(at.X(2.75), at.Y(0.9) + 3.0F) == ground);
}

TEST_CASE("Words of a chart that do not fit beside its name stand below", "[figure][chart]") {
  Chart chart = ChartOfAll();
  BareChart one_line(chart);
  REQUIRE(test::RenderFigure(&one_line).has_value());
  chart.signs = std::string(300, 'm') + " and so on";
  BareChart below(chart);
  REQUIRE(test::RenderFigure(&below).has_value());
  CHECK(below.field.y > one_line.field.y + 20.0F);
  CHECK(below.field.height < one_line.field.height);
}

TEST_CASE("A PDF of a chart holds the text of its ticks and axes", "[figure][chart][pdf]") {
  const test::TempFolder folder;
  const std::string path = (folder / "chart.pdf").string();
  ChartFigure figure(
      {.title = "Heads of a series", .caption = "A caption.", .notes = {}, .size_px = 700},
      ChartOfAll());
  REQUIRE(WriteFigure(path, &figure).has_value());
  std::FILE* const output = popen(("pdftotext '" + path + "' -").c_str(), "r");
  REQUIRE(output != nullptr);
  std::string text;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    text += line.data();
  }
  REQUIRE(pclose(output) == 0);
  for (const char* const words : {"alpha",
                                  "beta",
                                  "gamma",
                                  "delta",
                                  "models",
                                  "score",
                                  "-1.00",
                                  "1.00",
                                  "dot: a head",
                                  "Heads of a series",
                                  "A caption."}) {
    CHECK_THAT(text, test::Says(words));
  }
}

TEST_CASE("A chart without room is refused", "[figure][chart]") {
  ChartFigure figure({.title = "x", .caption = std::string(2000, 'w'), .notes = {}, .size_px = 160},
                     ChartOfAll());
  const auto pixels = test::RenderFigure(&figure);
  REQUIRE_FALSE(pixels.has_value());
  CHECK(pixels.error().code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope

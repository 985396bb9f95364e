// Widths and presets of figures, and what a look does to one.
#include "core/figure/figure_preset.h"

#include "core/figure/figure_format.h"
#include "core/figure/figure_style.h"
#include "core/figure/token_map.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"

namespace headscope {
namespace {

std::unique_ptr<TokenMap> MapWith(const FigureLook& look, int size) {
  TokenMapContent content;
  content.query_tokens = content.key_tokens = {"one", "two", "three"};
  content.map.queries = content.map.keys = 3;
  content.map.weights.assign(9, 0.5F);
  FigurePage page{.title = "L0H0", .caption = "A caption.", .notes = {"A note."}, .size_px = size};
  auto map = std::make_unique<TokenMap>(std::move(page), std::move(content));
  map->SetLook(look);
  return map;
}

std::string SvgOf(const FigureLook& look, int size) {
  const auto map = MapWith(look, size);
  TextSetter setter;
  const auto measured = MeasureFigure(map.get(), &setter);
  REQUIRE(measured.has_value());
  const auto bytes = DrawSvg(map.get(), *measured, &setter, {});
  REQUIRE(bytes.has_value());
  const auto* first = static_cast<const char*>(static_cast<const void*>(bytes->data()));
  return {first, bytes->size()};
}

TEST_CASE("A width is centimetres at 300 pixels an inch, or pixels", "[figure][preset]") {
  CHECK(ParseFigureWidth("2.54cm")->pixels == 300);
  CHECK(ParseFigureWidth("8.9 cm")->pixels == 1051);
  CHECK(ParseFigureWidth("8.9 cm")->is_on_paper);
  CHECK(ParseFigureWidth("1600px")->pixels == 1600);
  CHECK(ParseFigureWidth("1600")->pixels == 1600);
  CHECK_FALSE(ParseFigureWidth("1600")->is_on_paper);
  for (const char* wrong : {"", "cm", "-1cm", "0", "1.5px", "9999cm", "8.9 in", "nan cm"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ParseFigureWidth(wrong).has_value());
  }
}

TEST_CASE("Every preset is found by its name, and is a size that figures can have",
          "[figure][preset]") {
  for (const FigurePreset& preset : kFigurePresets) {
    CHECK(FindPreset(preset.id) == &preset);
    const FigureWidth width = WidthOf(preset);
    CHECK(width.pixels >= kLeastFigureSize);
    CHECK(width.pixels <= kMostFigureSize);
    CHECK(width.is_on_paper == (preset.centimetres > 0.0));
  }
  CHECK(FindPreset("nothing") == nullptr);
}

TEST_CASE("Letters have the points asked for, at the figure's own resolution", "[figure][preset]") {
  FigurePage page;
  page.look = {.pixels_per_inch = 300.0, .font_points = 7.2};
  CHECK(StyleFor(page).caption.size_px == Approx(30.0));
  page.look.font_points = 0.0;
  CHECK(StyleFor(page).caption.size_px == StyleFor(page.size_px).caption.size_px);
}

TEST_CASE("A figure of a width has it, whatever its shape, and says it on paper",
          "[figure][preset]") {
  const FigureWidth width = *ParseFigureWidth("8.9cm");
  const FigureLook look{.is_width = true,
                        .is_on_paper = true,
                        .pixels_per_inch = width.pixels_per_inch,
                        .font_points = 7.0};
  const auto map = MapWith(look, width.pixels);
  const auto pixels = test::RenderFigure(map.get());
  REQUIRE(pixels.has_value());
  CHECK(pixels->width == 1051);
  CHECK(SvgOf(look, width.pixels).find("width=\"88.98mm\"") != std::string::npos);
}

TEST_CASE("What is left out is not there", "[figure][preset]") {
  const auto has = [](const FigureLook& look, std::string_view words) {
    return SvgOf(look, 800).find(words) != std::string::npos;
  };
  CHECK(has({}, ">three</text>"));
  CHECK_FALSE(has({.has_labels = false}, ">three</text>"));
  CHECK(has({.has_labels = false}, "A caption."));
  CHECK(has({}, "square root"));
  CHECK_FALSE(has({.has_bar = false}, "square root"));
  CHECK(has({.has_bar = false}, ">three</text>"));
  CHECK_FALSE(has({.has_caption = false}, ">A caption.</text>"));
  CHECK_FALSE(has({.has_caption = false}, ">A note.</text>"));
  CHECK(has({.has_caption = false}, "square root"));
}

}  // namespace
}  // namespace headscope

#include "core/figure/preview.h"

#include <cmath>

#include "core/figure/color_scale.h"
#include "core/figure/head_color.h"
#include "core/figure/theme.h"
#include "tests/support/catch.h"
#include "tests/support/render_figure.h"
#include "tests/unit/figure/kind_fixture.h"

namespace headscope {
namespace {

double LinearOf(std::uint8_t coded) {
  const double value = coded / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double LightOf(Rgb color) {
  return 0.2126 * LinearOf(color.r) + 0.7152 * LinearOf(color.g) + 0.0722 * LinearOf(color.b);
}

}  // namespace

TEST_CASE("a preview that needs no smaller size is the figure's own pixels", "[figure][preview]") {
  const FigureKind& kind = *FindFigureKind(FigureOf::kHead);
  const FigureSubject subject = test::KindSubject(5, {1, 2});
  const auto preview = MakePreview(kind, subject, {4000, 4000}, {});
  REQUIRE(preview);
  const auto figure = kind.make(subject);
  const auto pixels = test::RenderFigure(figure->get());
  CHECK(preview->scale == 1.0);
  REQUIRE(preview->picture.width == pixels->width);
  REQUIRE(preview->picture.height == pixels->height);
  bool is_same = true;
  for (std::size_t i = 0; i < pixels->rgb.size() / 3; ++i) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      is_same = is_same && preview->picture.rgba[4 * i + channel] == pixels->rgb[3 * i + channel];
    }
  }
  CHECK(is_same);
}

TEST_CASE("a smaller preview keeps the figure's shape and its light", "[figure][preview]") {
  const FigureKind& kind = *FindFigureKind(FigureOf::kHead);
  const FigureSubject subject = test::KindSubject(5, {1, 2});
  const auto whole = MakePreview(kind, subject, {4000, 4000}, {});
  const auto small = MakePreview(kind, subject, {150, 4000}, {});
  REQUIRE(small);
  CHECK(small->picture.width == 150);
  CHECK(small->scale == Approx(150.0 / whole->whole.width));
  CHECK(std::abs(small->picture.height - whole->whole.height * small->scale) <= 1.0);
  const auto light = [](const TextPicture& picture) {
    double sum = 0.0;
    for (std::size_t i = 0; i < picture.rgba.size(); i += 4) {
      sum += LinearOf(picture.rgba[i + 1]);
    }
    return sum / static_cast<double>(picture.rgba.size() / 4);
  };
  // A step of 8 bits is at most 0.0089 of light.
  CHECK(light(small->picture) == Approx(light(whole->picture)).margin(0.0045));
}

TEST_CASE("a large figure's preview is the one of its every pixel", "[figure][preview]") {
  const FigureKind& kind = *FindFigureKind(FigureOf::kHead);
  FigureSubject subject = test::KindSubject(5, {1, 2});
  subject.context.size_px = 7000;
  const auto preview = MakePreview(kind, subject, {300, 300}, {});
  REQUIRE(preview);
  const auto figure = kind.make(subject);
  const auto pixels = test::RenderFigure(figure->get());
  REQUIRE(preview->whole.width == pixels->width);
  REQUIRE(preview->whole.height == pixels->height);
  CHECK(preview->scale == Approx(300.0 / 7000.0));
  // The green light of sixteenths of the picture, in each.
  const auto light = [](int width, int height, int row, int column, const auto& green) {
    double sum = 0.0;
    std::int64_t count = 0;
    for (int y = height * row / 4; y < height * (row + 1) / 4; ++y) {
      for (int x = width * column / 4; x < width * (column + 1) / 4; ++x, ++count) {
        sum += LinearOf(green(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                              static_cast<std::size_t>(x)));
      }
    }
    return sum / static_cast<double>(count);
  };
  const TextPicture& small = preview->picture;
  for (int place = 0; place < 16; ++place) {
    CAPTURE(place);
    const double shown = light(small.width, small.height, place / 4, place % 4, [&](std::size_t i) {
      return small.rgba[4 * i + 1];
    });
    const double drawn =
        light(pixels->width, pixels->height, place / 4, place % 4, [&](std::size_t i) {
          return pixels->rgb[3 * i + 1];
        });
    // A pixel at an edge of a sixteenth is one of 75: so much of it may lie on the other side.
    CHECK(shown == Approx(drawn).margin(0.02));
  }
}

TEST_CASE("the print theme can be read without colours", "[figure][preview]") {
  const ThemeColors& colors = ColorsOf(Theme::kPrint);
  CHECK(colors.background == RgbOf(0xFFFFFF));
  CHECK(colors.text == RgbOf(0x000000));
  for (const Rgb text : {colors.text, colors.muted, colors.dim, colors.accent}) {
    CHECK(Contrast(text, colors.background) >= 4.5);
  }
  for (const Colormap map : {Colormap::kViridis,
                             Colormap::kCividis,
                             Colormap::kBlues,
                             Colormap::kGreys,
                             Colormap::kDiverging}) {
    CAPTURE(static_cast<int>(map));
    const auto table = ColormapTable(map, Theme::kPrint);
    const bool goes_up = map == Colormap::kDiverging;  // others: more weight, more ink
    for (std::size_t i = 16; i < table.size(); i += 16) {
      CHECK((LightOf(table[i]) > LightOf(table[i - 16])) == goes_up);
    }
    CHECK(Contrast(table.front(), table.back()) >= 7.0);
  }
  for (const std::int64_t heads : {1, 4, 8, 12}) {
    for (std::int64_t head = 0; head < heads; ++head) {
      CHECK(Contrast(ColorOfHead(head, heads, Theme::kPrint), colors.panel) >= 3.0);
    }
  }
}

}  // namespace headscope

#include "core/figure/figure.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/figure/figure_parts.h"

namespace headscope {
namespace {

void CheckMaps(const Figure& figure) {
  for (const FigureRow& row : figure.rows) {
    for (const FigureMap& map : row.maps) {
      HEADSCOPE_CHECK(map.queries > 0 && map.keys > 0, "a map has cells");
      HEADSCOPE_CHECK(map.view.layer != nullptr ||
                          static_cast<std::int64_t>(map.weights.size()) == map.queries * map.keys,
                      "a map has a weight for each cell");
    }
  }
}

}  // namespace

tl::unexpected<Error> TooSmall(const Figure& figure) {
  return Fail(ErrorCode::kInput,
              fmt::format("a figure of {} pixels is too small for its maps and texts; ask for a "
                          "larger size or fewer heads",
                          figure.size_px));
}

double DrawHeading(Canvas* canvas,
                   TextSetter* setter,
                   const Figure& figure,
                   const FigureStyle& style,
                   double x,
                   double y,
                   double width) {
  const ThemeColors& colors = ColorsOf(figure.theme);
  const bool single = figure.rows.size() == 1 && figure.rows[0].maps.size() == 1;
  const FigureMap* map = single ? &figure.rows[0].maps[0] : nullptr;
  const std::string& title = figure.title.empty() && single ? map->title : figure.title;
  const std::string& subtitle = figure.title.empty() && single ? map->subtitle : figure.subtitle;
  double height = 0.0;
  if (!title.empty()) {
    TextStyle own = style.title;
    own.max_width_px = width;
    const TextExtent extent = setter->Measure(title, own);
    if (canvas != nullptr) {
      canvas->Text(x, y, title, own, colors.text);
      if (single && map->flag_rgb != 0) {
        const double left = x + extent.width + 16.0 * style.unit;
        const double middle = y + extent.height / 2.0;
        canvas->FillRounded(left,
                            middle - 5.0 * style.unit,
                            10.0 * style.unit,
                            10.0 * style.unit,
                            3.0 * style.unit,
                            RgbOf(map->flag_rgb));
        const std::string role = map->flag_role.empty() ? "flagged" : map->flag_role;
        canvas->Text(left + 16.0 * style.unit,
                     middle - setter->Measure(role, style.subtitle).height / 2.0,
                     role,
                     style.subtitle,
                     colors.text);
      }
    }
    height += extent.height;
  }
  if (!subtitle.empty()) {
    for (const std::string& line : setter->Wrap(subtitle, style.subtitle, width)) {
      if (canvas != nullptr) {
        canvas->Text(x, y + height + 2.0 * style.unit, line, style.subtitle, colors.muted);
      }
      height += 1.4 * style.subtitle.size_px;
    }
    height += 2.0 * style.unit;
  }
  return height > 0.0 ? std::ceil(height + 14.0 * style.unit) : 0.0;
}

Result<std::unique_ptr<Canvas>> MakeCanvas(const Figure& figure,
                                           double width,
                                           double height,
                                           TextSetter* setter) {
  if (width * height > static_cast<double>(kMostFigurePixels)) {
    return Fail(ErrorCode::kInput,
                fmt::format("a figure of {:.0f} x {:.0f} pixels is over the limit of 100 million "
                            "pixels; ask for a smaller size",
                            width,
                            height));
  }
  const ThemeColors& colors = ColorsOf(figure.theme);
  return Canvas::Create(static_cast<int>(width),
                        static_cast<int>(height),
                        figure.theme == Theme::kDark ? colors.background : colors.panel,
                        setter);
}

Result<Pixels> RenderFigure(const Figure& figure, const std::stop_token& stop) {
  if (figure.size_px < kLeastFigureSize || figure.size_px > kMostFigureSize) {
    return Fail(ErrorCode::kInput,
                fmt::format("a figure of {} pixels cannot be made; the longer side can be {} to {} "
                            "pixels",
                            figure.size_px,
                            kLeastFigureSize,
                            kMostFigureSize));
  }
  const bool any = std::any_of(figure.rows.begin(), figure.rows.end(), [](const FigureRow& row) {
    return !row.maps.empty();
  });
  if (!any) {
    return Fail(ErrorCode::kInput, "a figure needs at least one map; choose a head or a layer");
  }
  CheckMaps(figure);
  const FigureStyle style = StyleFor(figure.size_px);
  if (figure.rows.size() == 1 && figure.rows[0].maps.size() == 1) {
    return RenderSingleMap(figure, style, stop);
  }
  return RenderRows(figure, style, stop);
}

Status WriteFigure(const std::filesystem::path& path,
                   const Figure& figure,
                   const std::stop_token& stop) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  if (ending == ".svg" || ending == ".pdf") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: {} figures are not yet made; write a .png",
                            path.string(),
                            ending == ".svg" ? "SVG" : "PDF"));
  }
  if (ending != ".png") {
    return Fail(
        ErrorCode::kInput,
        fmt::format(
            "{}: a figure's name ends in .png, found \"{}\"; rename it", path.string(), ending));
  }
  const auto pixels = RenderFigure(figure, stop);
  if (!pixels) {
    return Fail(pixels.error().code, path.string() + ": " + pixels.error().message);
  }
  return WritePng(path, *pixels);
}

}  // namespace headscope

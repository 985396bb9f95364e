#include "core/figure/heading.h"

#include <cmath>
#include <string>

namespace headscope {
namespace {

TextStyle TitleStyle(const FigureStyle& style, double width) {
  TextStyle title = style.title;
  title.max_width_px = width;
  return title;
}

}  // namespace

double HeadingHeight(TextSetter* setter,
                     const FigurePage& page,
                     const FigureStyle& style,
                     double width) {
  if (page.title.empty()) {
    return 0.0;
  }
  const double height = setter->Measure(page.title, TitleStyle(style, width)).height;
  return std::ceil(height + 14.0 * style.unit);
}

void DrawHeading(Canvas* canvas,
                 const FigurePage& page,
                 const FigureMap* map,
                 const FigureStyle& style,
                 double x,
                 double y,
                 double width) {
  const TextStyle title = TitleStyle(style, width);
  const ThemeColors& colors = ColorsOf(page.theme);
  canvas->Text(x, y, page.title, title, colors.text);
  if (map == nullptr || map->flag_rgb == 0) {
    return;
  }
  TextSetter* setter = canvas->setter();
  const TextExtent extent = setter->Measure(page.title, title);
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

}  // namespace headscope

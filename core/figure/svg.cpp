// Writes figures as SVG, with text as text.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/figure/figure_format.h"
#include "core/figure/pango_text.h"
#include "core/figure/surface.h"
#include "core/figure/svg_canvas.h"

namespace headscope {
namespace {

// The fonts of core/figure/pango_text.cpp, then what other systems have in their place.
constexpr std::string_view kRoot =
    R"(<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" )"
    R"(width="{5}" height="{6}" viewBox="0 0 {0} {1}" xml:space="preserve" )"
    R"(text-rendering="geometricPrecision" )"
    R"(font-family="Inter, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif">
<title>{2}</title>
<desc>{3}</desc>
<style>.mono {{ font-family: "JetBrains Mono", "Noto Sans Mono", Menlo, Consolas, monospace; )"
    R"(font-variant-ligatures: none }}</style>
{4}</svg>
)";

// "89mm" on paper, else pixels.
std::string LengthOf(int pixels, const FigureLook& look) {
  constexpr double kMillimetresPerInch = 25.4;
  return look.is_on_paper
             ? fmt::format("{:.2f}mm", pixels / look.pixels_per_inch * kMillimetresPerInch)
             : fmt::format("{}", pixels);
}

}  // namespace

Result<std::vector<std::byte>> DrawSvg(Figure* figure,
                                       FigureSize size,
                                       TextSetter* setter,
                                       const std::stop_token& stop) {
  SvgCanvas canvas(size, setter);
  HEADSCOPE_TRY(DrawOn(&canvas, figure, size, stop));
  HEADSCOPE_TRY(canvas.status());
  HEADSCOPE_TRY(CheckCairo(CAIRO_STATUS_SUCCESS, size, stop));
  const FigurePage& page = figure->page();
  const std::string text = fmt::format(kRoot,
                                       size.width,
                                       size.height,
                                       XmlText(CleanText(page.title)),
                                       XmlText(CleanText(page.caption)),
                                       canvas.elements(),
                                       LengthOf(size.width, page.look),
                                       LengthOf(size.height, page.look));
  const auto* const first = static_cast<const std::byte*>(static_cast<const void*>(text.data()));
  return std::vector<std::byte>(first, first + text.size());
}

}  // namespace headscope

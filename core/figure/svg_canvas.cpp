#include "core/figure/svg_canvas.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>
#include <glib.h>

#include "core/base/utf8.h"
#include "core/figure/surface.h"

namespace headscope {
namespace {

// Figures with fewer cells along a side use shapes: files of more are slow to open and to edit.
constexpr int kCellsOfSvgShapes = 64;

// As few digits as a hundredth of a pixel needs.
double Rounded(double value) {
  return std::round(value * 100.0) / 100.0 + 0.0;  // never -0
}

std::string Hex(Rgb color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b);
}

std::string Box(double x, double y, double width, double height) {
  return fmt::format(R"(x="{}" y="{}" width="{}" height="{}")",
                     Rounded(x),
                     Rounded(y),
                     Rounded(width),
                     Rounded(height));
}

std::string Opacity(std::string_view what, double alpha) {
  return alpha < 1.0 ? fmt::format(R"( {}-opacity="{}")", what, Rounded(alpha)) : std::string();
}

std::string Base64(std::span<const std::byte> bytes) {
  gchar* const text = g_base64_encode(
      static_cast<const guchar*>(static_cast<const void*>(bytes.data())), bytes.size());
  std::string base64 = text;
  g_free(text);
  return base64;
}

bool IsSign(char32_t code) {
  return code < 0x80 && std::ispunct(static_cast<int>(code)) != 0;
}

// Viewers that know no way to turn ligatures off set parts of their own by themselves: "->" stays two
// signs.
std::string WithoutLigatures(std::string_view utf8) {
  std::string xml;
  std::size_t begin = 0;
  char32_t before = 0;
  for (const auto& [at, end, code] : Characters(utf8)) {
    if (IsSign(before) && IsSign(code)) {
      xml += "<tspan>" + XmlText(utf8.substr(begin, at - begin)) + "</tspan>";
      begin = at;
    }
    before = code;
  }
  const std::string rest = XmlText(utf8.substr(begin));
  return begin == 0 ? rest : xml + "<tspan>" + rest + "</tspan>";
}

}  // namespace

std::string XmlText(std::string_view utf8) {
  std::string xml;
  for (const auto& [begin, end, code] : Characters(utf8)) {
    if (code == U'&') {
      xml += "&amp;";
    } else if (code == U'<') {
      xml += "&lt;";
    } else if (code == U'>') {
      xml += "&gt;";
    } else if (code == U'"') {
      xml += "&quot;";
    } else if (code == kBadCharacter || code == 0xFFFE || code == 0xFFFF ||
               (code < 0x20 && code != U'\t' && code != U'\n')) {
      xml += "\uFFFD";
    } else {
      xml += utf8.substr(begin, end - begin);
    }
  }
  return xml;
}

void SvgCanvas::Fill(double x, double y, double width, double height, Rgb color) {
  fmt::format_to(std::back_inserter(elements_),
                 "<rect {} fill=\"{}\"/>\n",
                 Box(x, y, width, height),
                 Hex(color));
}

void SvgCanvas::FillRounded(
    double x, double y, double width, double height, double radius, Rgb color) {
  fmt::format_to(std::back_inserter(elements_),
                 "<rect {} rx=\"{}\" fill=\"{}\"/>\n",
                 Box(x, y, width, height),
                 Rounded(std::min({radius, width / 2.0, height / 2.0})),
                 Hex(color));
}

void SvgCanvas::Line(
    double x0, double y0, double x1, double y1, double thickness, Rgb color, double alpha) {
  fmt::format_to(std::back_inserter(elements_),
                 "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" "
                 "stroke-width=\"{}\"{}/>\n",
                 Rounded(x0 + 0.5),
                 Rounded(y0 + 0.5),
                 Rounded(x1 + 0.5),
                 Rounded(y1 + 0.5),
                 Hex(color),
                 Rounded(thickness),
                 Opacity("stroke", alpha));
}

void SvgCanvas::Circle(double x, double y, double radius, double ring, Rgb color, double alpha) {
  const std::string ink = ring > 0.0
                              ? fmt::format(R"(fill="none" stroke="{}" stroke-width="{}"{})",
                                            Hex(color),
                                            Rounded(ring),
                                            Opacity("stroke", alpha))
                              : fmt::format(R"(fill="{}"{})", Hex(color), Opacity("fill", alpha));
  fmt::format_to(std::back_inserter(elements_),
                 "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {}/>\n",
                 Rounded(x + 0.5),
                 Rounded(y + 0.5),
                 Rounded(radius),
                 ink);
}

void SvgCanvas::Strokes(std::span<const Stroke> strokes, const Rect& clip) {
  const auto at = [](float value) { return Rounded(static_cast<double>(value)); };
  const int number = ++clips_;
  fmt::format_to(std::back_inserter(elements_),
                 "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" "
                 "height=\"{4}\"/></clipPath>\n<g clip-path=\"url(#clip{0})\" fill=\"none\">\n",
                 number,
                 at(clip.x),
                 at(clip.y),
                 at(clip.width),
                 at(clip.height));
  for (const Stroke& stroke : strokes) {
    std::string path = fmt::format("M{} {}", at(stroke.x0), at(stroke.y0));
    if (stroke.rise == 0.0F) {
      path += fmt::format("L{} {}", at(stroke.x1), at(stroke.y1));
    } else {
      const auto [first, second] = ControlsOf(stroke);
      path += fmt::format("C{} {} {} {} {} {}",
                          at(first.x),
                          at(first.y),
                          at(second.x),
                          at(second.y),
                          at(stroke.x1),
                          at(stroke.y1));
    }
    fmt::format_to(
        std::back_inserter(elements_),
        "<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}{}/>\n",
        path,
        Hex(stroke.color),
        at(stroke.thickness),
        Opacity("stroke", static_cast<double>(stroke.alpha)),
        stroke.dash > 0.0F ? fmt::format(" stroke-dasharray=\"{}\"", at(stroke.dash)) : "");
  }
  elements_ += "</g>\n";
}

void SvgCanvas::SetText(
    double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color) {
  const TextShown shown = setter()->Shown(utf8, style);
  if (shown.utf8.find_first_not_of(' ') == shown.utf8.npos) {
    return;
  }
  // A text begins where it is read from: one that runs to the left, at its right end.
  const double begin = shown.is_right_to_left ? shown.extent.width : 0.0;
  const double baseline = shown.extent.baseline;
  const std::string place =
      radians == 0.0 ? fmt::format(R"(x="{}" y="{}")", Rounded(x + begin), Rounded(y + baseline))
                     : fmt::format(R"at(x="{}" y="{}" transform="translate({} {}) rotate({})")at",
                                   Rounded(begin),
                                   Rounded(baseline),
                                   Rounded(x),
                                   Rounded(y),
                                   Rounded(radians * 180.0 / std::numbers::pi));
  fmt::format_to(
      std::back_inserter(elements_),
      "<text {} font-size=\"{}\"{}{}{} fill=\"{}\" textLength=\"{}\" "
      "lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
      place,
      Rounded(style.size_px),
      style.family == FontFamily::kMono ? R"( class="mono")" : "",
      style.bold ? R"( font-weight="600")" : "",
      shown.is_right_to_left ? R"( direction="rtl")" : "",
      Hex(color),
      Rounded(shown.extent.width),
      style.family == FontFamily::kMono ? WithoutLigatures(shown.utf8) : XmlText(shown.utf8));
}

void SvgCanvas::DrawCells(int x, int y, int cell, const MapCells& map) {
  if (cell * kCellsOfSvgShapes >= std::max(size().width, size().height)) {
    elements_ += "<g shape-rendering=\"crispEdges\">\n";
    for (const CellShape& shape : ShapesOfCells(map, x, y, cell)) {
      Fill(shape.x, shape.y, shape.width, shape.height, shape.color);
    }
    elements_ += "</g>\n";
    return;
  }
  const FigureSize size{static_cast<int>(cell * map.cols), static_cast<int>(cell * map.rows)};
  const Surface image = ImageOfCells(map, cell);
  const auto png = EncodePng(image.get(), size, {});
  if (!png) {
    status_ = tl::unexpected(png.error());
    return;
  }
  // The attribute is for older viewers, the style for browsers.
  fmt::format_to(std::back_inserter(elements_),
                 "<image {} preserveAspectRatio=\"none\" image-rendering=\"optimizeSpeed\" "
                 "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{}\"/>\n",
                 Box(x, y, size.width, size.height),
                 Base64(*png));
}

}  // namespace headscope

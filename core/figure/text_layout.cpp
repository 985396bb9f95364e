#include "core/figure/text_layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/figure/pango_text.h"
#include "core/figure/paper_text.h"

namespace headscope {
namespace {

constexpr double kWidestText = 32000.0;  // pixels; cairo images have at most 32767

}  // namespace

struct TextSetter::State {
  PangoSetUp pango = SetUpPango();
  PangoLayout* layout = pango.layout.get();
  std::optional<TextStyle> set;  // of the layout: a font is looked for once

  void Prepare(std::string_view utf8, const TextStyle& style) {
    TextStyle font = style;
    font.max_width_px = 0.0;
    if (font != set) {
      SetStyle(layout, font);
      set = font;
    }
    const std::string clean = CleanText(utf8);
    pango_layout_set_text(layout, clean.data(), static_cast<int>(clean.size()));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
    const double wanted = style.max_width_px > 0.0 ? style.max_width_px : kWidestText;
    pango_layout_set_width(layout, static_cast<int>(std::min(wanted, kWidestText) * PANGO_SCALE));
  }

  void Show(cairo_t* cairo, bool is_turned = false) const {
    const PangoRectangle logical = LogicalOf(layout);
    cairo_translate(cairo, -FromPango(logical.x), -FromPango(logical.y));
    if (cairo_surface_get_type(cairo_get_target(cairo)) == CAIRO_SURFACE_TYPE_IMAGE) {
      pango_cairo_show_layout(cairo, layout);
    } else {
      ShowOnPaper(cairo, layout, is_turned);
    }
  }
};

TextSetter::TextSetter() : state_(std::make_unique<State>()) {
  pango_layout_set_single_paragraph_mode(state_->layout, TRUE);
}

TextSetter::~TextSetter() = default;

TextExtent TextSetter::Measure(std::string_view utf8, const TextStyle& style) {
  state_->Prepare(utf8, style);
  const PangoRectangle logical = LogicalOf(state_->layout);
  return {.width = FromPango(logical.width),
          .height = FromPango(logical.height),
          .baseline = FromPango(pango_layout_get_baseline(state_->layout) - logical.y)};
}

TextShown TextSetter::Shown(std::string_view utf8, const TextStyle& style) {
  TextShown shown{.utf8 = {}, .extent = Measure(utf8, style)};
  const PangoLayoutLine* line = pango_layout_get_line_readonly(state_->layout, 0);
  shown.is_right_to_left = line->resolved_dir == PANGO_DIRECTION_RTL;
  std::vector<const PangoItem*> items;  // as they stand from left to right
  for (const GSList* at = line->runs; at != nullptr; at = at->next) {
    items.push_back(static_cast<const PangoGlyphItem*>(at->data)->item);
  }
  std::ranges::sort(items, {}, &PangoItem::offset);
  const std::string_view text = pango_layout_get_text(state_->layout);
  for (const PangoItem* item : items) {
    const bool is_ellipsis = (item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS) != 0;
    shown.utf8 += is_ellipsis ? std::string_view("\u2026")
                              : text.substr(static_cast<std::size_t>(item->offset),
                                            static_cast<std::size_t>(item->length));
  }
  return shown;
}

TextBitmap TextSetter::Render(std::string_view utf8, const TextStyle& style) {
  const TextExtent extent = Measure(utf8, style);
  TextBitmap bitmap;
  bitmap.width = static_cast<int>(std::ceil(extent.width));
  bitmap.height = static_cast<int>(std::ceil(extent.height));
  bitmap.is_cut = pango_layout_is_ellipsized(state_->layout) != FALSE;
  if (bitmap.width <= 0 || bitmap.height <= 0) {
    return {};
  }
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_A8, bitmap.width, bitmap.height));
  const Cairo cairo(cairo_create(surface.get()));
  if (cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS) {
    return {};
  }
  cairo_set_source_rgba(cairo.get(), 1.0, 1.0, 1.0, 1.0);
  state_->Show(cairo.get());
  cairo_surface_flush(surface.get());
  const unsigned char* pixels = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  const auto width = static_cast<std::size_t>(bitmap.width);
  bitmap.coverage.resize(width * static_cast<std::size_t>(bitmap.height));
  for (int row = 0; row < bitmap.height; ++row) {
    std::copy_n(pixels + static_cast<std::ptrdiff_t>(row) * stride,
                width,
                bitmap.coverage.begin() +
                    static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * width));
  }
  return bitmap;
}

void TextSetter::Draw(void* cairo_context,
                      double x,
                      double y,
                      double radians,
                      std::string_view utf8,
                      const TextStyle& style) {
  auto* cairo = static_cast<cairo_t*>(cairo_context);
  state_->Prepare(utf8, style);
  cairo_save(cairo);
  cairo_translate(cairo, x, y);
  cairo_rotate(cairo, radians);
  state_->Show(cairo, radians != 0.0);
  cairo_restore(cairo);
}

std::vector<std::string> TextSetter::Wrap(std::string_view utf8,
                                          const TextStyle& style,
                                          double width_px) {
  state_->Prepare(utf8, style);
  PangoLayout* layout = state_->layout;
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE);
  pango_layout_set_width(layout,
                         static_cast<int>(std::clamp(width_px, 1.0, kWidestText) * PANGO_SCALE));
  const std::string_view text = pango_layout_get_text(layout);
  std::vector<std::string> lines;
  const int count = pango_layout_get_line_count(layout);
  for (int i = 0; i < count; ++i) {
    const PangoLayoutLine* line = pango_layout_get_line_readonly(layout, i);
    std::string_view part = text.substr(static_cast<std::size_t>(line->start_index),
                                        static_cast<std::size_t>(line->length));
    while (!part.empty() && part.back() == ' ') {
      part.remove_suffix(1);
    }
    lines.emplace_back(part);
  }
  return lines;
}

}  // namespace headscope

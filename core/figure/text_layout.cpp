#include "core/figure/text_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <glib.h>
#include <pango/pangocairo.h>

namespace headscope {
namespace {

constexpr std::size_t kLongestText = 16384;  // bytes that are set; what follows becomes an ellipsis
constexpr double kWidestText = 32000.0;      // pixels; cairo images end at 32767
constexpr double kLargestSize = 512.0;

struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
struct FreeFont {
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
struct UnrefAttributes {
  void operator()(PangoAttrList* list) const { pango_attr_list_unref(list); }
};
struct FreeSurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct FreeContext {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

void AppendVisible(gunichar character, std::string* out) {
  gunichar shown = character;
  if (character == '\n') {
    shown = 0x21B5;  // the arrow of a return key
  } else if (character == '\t') {
    shown = 0x21E5;
  } else if (character < 0x20) {
    shown = 0x2400 + character;  // control pictures
  } else if (character == 0x7F) {
    shown = 0x2421;
  } else if (character == 0x2028 || character == 0x2029 || character == 0x85) {
    shown = 0x21B5;
  }
  std::array<char, 6> bytes{};
  const int count = g_unichar_to_utf8(shown, bytes.data());
  out->append(bytes.data(), static_cast<std::size_t>(count));
}

// Valid UTF-8 of bounded length in which nothing breaks a line or ends a string.
std::string Clean(std::string_view utf8) {
  const bool cut = utf8.size() > kLongestText;
  if (cut) {
    std::size_t end = kLongestText;
    while (end > 0 && (static_cast<unsigned char>(utf8[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    utf8 = utf8.substr(0, end);
  }
  gchar* valid = g_utf8_make_valid(utf8.data(), static_cast<gssize>(utf8.size()));
  std::string clean;
  clean.reserve(utf8.size());
  // g_utf8_make_valid ends at no zero byte: it turns each into U+FFFD.
  for (const gchar* at = valid; *at != '\0'; at = g_utf8_next_char(at)) {
    AppendVisible(g_utf8_get_char(at), &clean);
  }
  g_free(valid);
  if (cut) {
    clean += "\u2026";
  }
  return clean;
}

double Pixels(int units) {
  return static_cast<double>(units) / PANGO_SCALE;
}

}  // namespace

struct TextSetter::State {
  std::unique_ptr<PangoFontMap, Unref> font_map;
  std::unique_ptr<PangoContext, Unref> context;
  std::unique_ptr<PangoLayout, Unref> layout;

  void Prepare(std::string_view utf8, const TextStyle& style) {
    const std::unique_ptr<PangoFontDescription, FreeFont> font(pango_font_description_new());
    pango_font_description_set_family_static(font.get(),
                                             style.family == FontFamily::kMono
                                                 ? "JetBrains Mono,Noto Sans Mono,monospace"
                                                 : "Inter,Noto Sans,sans-serif");
    const double size = std::clamp(style.size_px, 1.0, kLargestSize);
    pango_font_description_set_absolute_size(font.get(), size * PANGO_SCALE);
    pango_font_description_set_weight(font.get(),
                                      style.bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout.get(), font.get());
    // Tokens are shown letter by letter: "->" is no arrow.
    const std::unique_ptr<PangoAttrList, UnrefAttributes> attributes(pango_attr_list_new());
    if (style.family == FontFamily::kMono) {
      pango_attr_list_insert(attributes.get(),
                             pango_attr_font_features_new("liga=0, calt=0, clig=0"));
    }
    pango_layout_set_attributes(layout.get(), attributes.get());
    const std::string clean = Clean(utf8);
    pango_layout_set_text(layout.get(), clean.data(), static_cast<int>(clean.size()));
    pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize(layout.get(), PANGO_ELLIPSIZE_MIDDLE);
    const double wanted = style.max_width_px > 0.0 ? style.max_width_px : kWidestText;
    pango_layout_set_width(layout.get(),
                           static_cast<int>(std::min(wanted, kWidestText) * PANGO_SCALE));
  }

  // Right-to-left lines stand at the right end of the layout's width: the extents say where.
  [[nodiscard]] PangoRectangle Logical() const {
    PangoRectangle logical;
    pango_layout_get_extents(layout.get(), nullptr, &logical);
    return logical;
  }

  void Show(cairo_t* cairo) const {
    const PangoRectangle logical = Logical();
    cairo_translate(cairo, -Pixels(logical.x), -Pixels(logical.y));
    pango_cairo_show_layout(cairo, layout.get());
  }
};

TextSetter::TextSetter() : state_(std::make_unique<State>()) {
  state_->font_map.reset(pango_cairo_font_map_new());
  state_->context.reset(pango_font_map_create_context(state_->font_map.get()));
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(state_->context.get(), options);
  cairo_font_options_destroy(options);
  state_->layout.reset(pango_layout_new(state_->context.get()));
  pango_layout_set_single_paragraph_mode(state_->layout.get(), TRUE);
}

TextSetter::~TextSetter() = default;

TextExtent TextSetter::Measure(std::string_view utf8, const TextStyle& style) {
  state_->Prepare(utf8, style);
  const PangoRectangle logical = state_->Logical();
  return {.width = Pixels(logical.width),
          .height = Pixels(logical.height),
          .baseline = Pixels(pango_layout_get_baseline(state_->layout.get()) - logical.y)};
}

TextBitmap TextSetter::Render(std::string_view utf8, const TextStyle& style) {
  const TextExtent extent = Measure(utf8, style);
  TextBitmap bitmap;
  bitmap.width = static_cast<int>(std::ceil(extent.width));
  bitmap.height = static_cast<int>(std::ceil(extent.height));
  if (bitmap.width <= 0 || bitmap.height <= 0) {
    return {};
  }
  const std::unique_ptr<cairo_surface_t, FreeSurface> surface(
      cairo_image_surface_create(CAIRO_FORMAT_A8, bitmap.width, bitmap.height));
  const std::unique_ptr<cairo_t, FreeContext> cairo(cairo_create(surface.get()));
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
  state_->Show(cairo);
  cairo_restore(cairo);
}

std::vector<std::string> TextSetter::Wrap(std::string_view utf8,
                                          const TextStyle& style,
                                          double width_px) {
  state_->Prepare(utf8, style);
  PangoLayout* layout = state_->layout.get();
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

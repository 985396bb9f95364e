#include "core/figure/pango_text.h"

#include <algorithm>
#include <array>

#include "core/base/utf8.h"

namespace headscope {
namespace {

constexpr double kLargestSize = 512.0;
constexpr std::size_t kLongestText = 16384;  // bytes; the rest becomes an ellipsis

struct FreeFont {
  void operator()(PangoFontDescription* font) const { pango_font_description_free(font); }
};
struct UnrefAttributes {
  void operator()(PangoAttrList* list) const { pango_attr_list_unref(list); }
};

}  // namespace

PangoSetUp SetUpPango() {
  PangoSetUp set_up;
  set_up.font_map.reset(pango_cairo_font_map_new());
  set_up.context.reset(pango_font_map_create_context(set_up.font_map.get()));
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(set_up.context.get(), options);
  cairo_font_options_destroy(options);
  set_up.layout.reset(pango_layout_new(set_up.context.get()));
  return set_up;
}

void SetStyle(PangoLayout* layout, const TextStyle& style) {
  const std::unique_ptr<PangoFontDescription, FreeFont> font(pango_font_description_new());
  pango_font_description_set_family_static(font.get(),
                                           style.family == FontFamily::kMono
                                               ? "JetBrains Mono,Noto Sans Mono,monospace"
                                               : "Inter,Noto Sans,sans-serif");
  const double size = std::clamp(style.size_px, 1.0, kLargestSize);
  pango_font_description_set_absolute_size(font.get(), size * PANGO_SCALE);
  pango_font_description_set_weight(font.get(),
                                    style.bold ? PANGO_WEIGHT_SEMIBOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description(layout, font.get());
  // Tokens are shown letter by letter, without ligatures: "->" is not an arrow.
  const std::unique_ptr<PangoAttrList, UnrefAttributes> attributes(pango_attr_list_new());
  if (style.family == FontFamily::kMono) {
    pango_attr_list_insert(attributes.get(),
                           pango_attr_font_features_new("liga=0, calt=0, clig=0"));
  }
  pango_layout_set_attributes(layout, attributes.get());
}

PangoRectangle LogicalOf(PangoLayout* layout) {
  PangoRectangle logical;
  pango_layout_get_extents(layout, nullptr, &logical);
  return logical;
}

gunichar VisibleSign(gunichar character) {
  if (character == '\n' || character == 0x2028 || character == 0x2029 || character == 0x85) {
    return 0x21B5;  // the arrow of a return key
  }
  if (character == '\t') {
    return 0x21E5;
  }
  if (character < 0x20) {
    return 0x2400 + character;  // control pictures
  }
  return character == 0x7F ? 0x2421 : character;
}

void Append(gunichar character, std::string* out) {
  std::array<char, 6> bytes{};
  const int count = g_unichar_to_utf8(character, bytes.data());
  out->append(bytes.data(), static_cast<std::size_t>(count));
}

std::string CleanText(std::string_view utf8) {
  const bool cut = utf8.size() > kLongestText;
  if (cut) {
    utf8 = utf8.substr(0, CharacterStart(utf8, kLongestText));
  }
  gchar* valid = g_utf8_make_valid(utf8.data(), static_cast<gssize>(utf8.size()));
  std::string clean;
  clean.reserve(utf8.size());
  // g_utf8_make_valid does not end at a zero byte: it turns each into U+FFFD.
  for (const gchar* at = valid; *at != '\0'; at = g_utf8_next_char(at)) {
    Append(VisibleSign(g_utf8_get_char(at)), &clean);
  }
  g_free(valid);
  if (cut) {
    clean += "\u2026";
  }
  return clean;
}

}  // namespace headscope

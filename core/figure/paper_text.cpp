#include "core/figure/paper_text.h"

#include <cmath>
#include <hb-ot.h>
#include <memory>
#include <vector>

#include "core/figure/cairo_handles.h"
#include "core/figure/pango_text.h"

namespace headscope {
namespace {

constexpr double kDotsPerPixel = 6.0;  // for images of glyphs

bool HasColours(PangoFont* font) {
  hb_face_t* face = hb_font_get_face(pango_font_get_hb_font(font));
  return hb_ot_color_has_png(face) != 0 || hb_ot_color_has_layers(face) != 0;
}

// Draws a run from (0, 0) on the baseline as an image. `extent` is the area that it covers.
void ShowAsImage(cairo_t* cairo,
                 const char* text,
                 PangoGlyphItem* run,
                 const PangoRectangle& extent) {
  const double margin = 2.0;
  const double left = FromPango(extent.x) - margin;
  const double top = FromPango(extent.y) - margin;
  const double width = FromPango(extent.width) + 2.0 * margin;
  const double height = FromPango(extent.height) + 2.0 * margin;
  const Surface image(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32,
                                 static_cast<int>(std::ceil(width * kDotsPerPixel)),
                                 static_cast<int>(std::ceil(height * kDotsPerPixel))));
  const Cairo on_image(cairo_create(image.get()));
  cairo_scale(on_image.get(), kDotsPerPixel, kDotsPerPixel);
  cairo_set_source(on_image.get(), cairo_get_source(cairo));
  cairo_move_to(on_image.get(), -left, -top);
  pango_cairo_show_glyph_item(on_image.get(), text, run);
  cairo_save(cairo);
  cairo_translate(cairo, left, top);
  cairo_scale(cairo, 1.0 / kDotsPerPixel, 1.0 / kDotsPerPixel);
  cairo_set_source_surface(cairo, image.get(), 0.0, 0.0);
  cairo_paint(cairo);
  cairo_restore(cairo);
}

// Returns whether it could. Two cases are left to Pango: a character that no font has, and
// right-to-left text, whose letters PDF readers would reverse within a piece.
bool ShowAsOnePiece(cairo_t* cairo, const char* text, const PangoGlyphItem& run) {
  if (run.item->analysis.level % 2 != 0) {
    return false;
  }
  std::vector<cairo_glyph_t> glyphs;
  int x = 0;
  for (int i = 0; i < run.glyphs->num_glyphs; ++i) {
    const PangoGlyphInfo& info = run.glyphs->glyphs[i];
    if ((info.glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0U) {
      return false;
    }
    if (info.glyph != PANGO_GLYPH_EMPTY) {
      glyphs.push_back(
          {info.glyph, FromPango(x + info.geometry.x_offset), FromPango(info.geometry.y_offset)});
    }
    x += info.geometry.width;
  }
  if (glyphs.empty()) {
    return true;
  }
  cairo_scaled_font_t* font =
      pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(run.item->analysis.font));
  const cairo_text_cluster_t whole{run.item->length, static_cast<int>(glyphs.size())};
  cairo_set_scaled_font(cairo, font);
  cairo_show_text_glyphs(cairo,
                         text + run.item->offset,
                         run.item->length,
                         glyphs.data(),
                         whole.num_glyphs,
                         &whole,
                         1,
                         static_cast<cairo_text_cluster_flags_t>(0));
  return true;
}

}  // namespace

void ShowOnPaper(cairo_t* cairo, PangoLayout* layout, bool is_turned) {
  const char* text = pango_layout_get_text(layout);
  const LayoutIteratorHandle at(pango_layout_get_iter(layout));
  do {
    PangoGlyphItem* run = pango_layout_iter_get_run_readonly(at.get());
    if (run == nullptr) {
      continue;  // the end of a line
    }
    PangoRectangle logical;
    pango_layout_iter_get_run_extents(at.get(), nullptr, &logical);
    const int baseline = pango_layout_iter_get_baseline(at.get());
    cairo_save(cairo);
    cairo_translate(cairo, FromPango(logical.x), FromPango(baseline));
    if (HasColours(run->item->analysis.font)) {
      ShowAsImage(cairo, text, run, {0, logical.y - baseline, logical.width, logical.height});
    } else if (!is_turned || !ShowAsOnePiece(cairo, text, *run)) {
      cairo_move_to(cairo, 0.0, 0.0);
      pango_cairo_show_glyph_item(cairo, text, run);
    }
    cairo_restore(cairo);
  } while (pango_layout_iter_next_run(at.get()) != 0);
}

}  // namespace headscope

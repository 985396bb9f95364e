// The Pango setup for every text of the program. For core/figure only.
//
// Threads  one thread at a time per context.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <glib.h>
#include <pango/pangocairo.h>

#include "core/figure/cairo_handles.h"
#include "core/figure/text_layout.h"

namespace headscope {

struct UnrefObject {
  void operator()(void* object) const { g_object_unref(object); }
};

struct FreeLayoutIterator {
  void operator()(PangoLayoutIter* iterator) const { pango_layout_iter_free(iterator); }
};
using LayoutIteratorHandle = std::unique_ptr<PangoLayoutIter, FreeLayoutIterator>;

struct PangoSetUp {
  std::unique_ptr<PangoFontMap, UnrefObject> font_map;
  std::unique_ptr<PangoContext, UnrefObject> context;
  std::unique_ptr<PangoLayout, UnrefObject> layout;
};
[[nodiscard]] PangoSetUp SetUpPango();

void SetStyle(PangoLayout* layout, const TextStyle& style);

// Returns where the text lies: right-to-left lines are aligned to the right end of the layout's
// width.
[[nodiscard]] PangoRectangle LogicalOf(PangoLayout* layout);

// Returns the character, or a visible sign for an invisible one: "↵", "⇥", "␀".
[[nodiscard]] gunichar VisibleSign(gunichar character);
void Append(gunichar character, std::string* out);
// Returns valid UTF-8 of bounded length, without line breaks or zero bytes.
[[nodiscard]] std::string CleanText(std::string_view utf8);

[[nodiscard]] inline double FromPango(int units) {
  return static_cast<double>(units) / PANGO_SCALE;
}

}  // namespace headscope

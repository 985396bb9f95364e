// One line of text with arcs above and below it: its words, their places, and the pointer on them.
//
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/views/inspect/head_views.h"
#include "app/views/kit/pen.h"
#include "core/figure/token_arcs.h"

namespace headscope {

struct ArcsFrame {
  TextLine queries;
  TextLine keys;
  ArcsPlace place;
  Rect view;       // of everything
  Rect query_row;  // of the words
  Rect key_row;    // the same row, or another one
  bool is_one_text = true;
};

// Fills `frame`, whose address its place keeps. `both_sides`: arcs lie on both sides of the line.
void PlaceArcs(Ui* ui, const Pen& pen, const HeadPanel& panel, bool both_sides, ArcsFrame* frame);
// Scrolls to the selected query once for each, but never under the pointer.
void RevealQuery(Ui* ui, const HeadPanel& panel, ArcsFrame* frame);

struct WordRow {
  const Encoding& tokens;
  const TextLine& line;
  Rect place;
  std::optional<std::int64_t> query;  // framed
  std::optional<std::int64_t> key;
  std::vector<bool> ends;
};
void DrawWordRow(const Ui& ui, const WordRow& row, float left);

// A drag and the wheel move the line, a word is pointed at and held by a click. Elsewhere the pointer
// may be on an arc.
struct ArcsPointer {
  bool is_elsewhere = false;
  bool clicked = false;
  float x = 0.0F;
  float y = 0.0F;
};
[[nodiscard]] ArcsPointer HandleWords(Ui* ui, const ArcsFrame& frame, const HeadPanel& panel);

}  // namespace headscope

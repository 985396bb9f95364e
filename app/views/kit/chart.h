// Charts in the window (core/figure/chart.h), what the pointer finds in them, the key of their colours,
// and lengths beside a name.
//
// Units    lengths without a unit are unscaled pixels.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "app/views/kit/pen.h"
#include "app/views/kit/ui.h"
#include "core/figure/chart.h"
#include "core/figure/token_lines.h"

namespace headscope {

struct ChartPointed {
  std::optional<std::size_t> key;  // of the nearest dot
  double across = 0.0;             // where the pointer is
  bool hovered = false;
  bool clicked = false;
};
// In `area`, with its heading, axes and names; nothing where there is no room.
ChartPointed DrawChart(Ui* ui, const char* id, const Rect& area, const Chart& chart);
// Squares of a colour with what each stands for, on as many lines as they need.
void DrawChartKey(Pen* pen, std::span<const NamedInk> inks);
// The marks alone, in a field of their own.
void DrawMarks(const Ui& ui, const Rect& field, const Chart& chart);

// A value as a length beside a name: parts of the width, from 0 to 1.
struct Meter {
  float from = 0.0F;
  std::optional<float> to = {};  // none: no length
  Rgb color = {};
  std::optional<Rgb> track = {};       // the ground, over the whole width
  std::optional<float> line = {};      // upright, over the edges
  std::optional<float> triangle = {};  // below, pointing at its place
  float height = 8.0F;
  bool is_outline = false;
};
// In the middle of `place`; at least a pixel long.
void DrawMeter(const Ui& ui, const Rect& place, const Meter& meter);
// How much of something is done, from 0 to 1, in the middle of `place`.
void DrawProgressBar(const Ui& ui, const Rect& place, float part);

}  // namespace headscope

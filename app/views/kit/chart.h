// One chart for every screen: described by values, drawn by one function.
//
// A mark says what it stands for in the units of the axes, never in pixels, so that a description can
// be drawn on paper as well. Marks are drawn in their order.
//
// Units    lengths without a unit are unscaled pixels.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {

struct ChartAxis {
  double low = 0.0;
  double high = 1.0;
  std::string name = {};
  std::string more = {};       // belongs to the name, and is left out where it finds no room
  std::string low_words = {};  // at its ends
  std::string high_words = {};

  // 0 at the low end, 1 at the high one; the middle where both are the same.
  [[nodiscard]] float At(double value) const;
};

struct ChartInk {
  Rgb color;
  float alpha = 1.0F;
};

struct ChartDot {
  double x = 0.0;
  double y = 0.0;
  ChartInk ink;
  float radius = 4.0F;
  float ring = 0.0F;                    // thickness of a ring; 0: filled
  std::optional<std::size_t> key = {};  // what it stands for; none: the pointer does not find it
};
// From one point to another; `thickness` 0: the thinnest there is.
struct ChartLine {
  double x0 = 0.0;
  double y0 = 0.0;
  double x1 = 0.0;
  double y1 = 0.0;
  ChartInk ink;
  float thickness = 0.0F;
  bool is_short = false;  // ends a pixel earlier, so that the next one stands apart
};
// From 0 to a value, as wide as its part of the axis.
struct ChartBar {
  double left = 0.0;
  double right = 0.0;
  double value = 0.0;
  ChartInk ink;
};
// How sure a value is: an upright line with a cap at either end, cut off where the field ends.
struct ChartError {
  double x = 0.0;
  double low = 0.0;
  double high = 0.0;
  ChartInk ink;
};
// The ground of a place along the axis that goes across.
struct ChartBand {
  double left = 0.0;
  double right = 0.0;
  float most_width = 0.0F;
  ChartInk ink;
};
using ChartMark = std::variant<ChartDot, ChartLine, ChartBar, ChartError, ChartBand>;

// A name below the field.
struct ChartTick {
  double x = 0.0;
  std::string words;
  bool is_chosen = false;  // in the accent's colour; others make room for it
};

struct Chart {
  const char* id = "";
  ChartAxis across = {};
  ChartAxis up = {};
  std::string signs = {};  // what the marks mean, above the field
  std::vector<ChartMark> marks = {};
  std::vector<ChartTick> ticks = {};
  float right = 32.0F;    // left free there
  bool is_small = false;  // in a panel: no heading, lines at both ends of the numbers, every tick

  // A line from edge to edge where an axis has this value.
  void LineAcross(double value, ChartInk ink);
  void LineUp(double value, ChartInk ink);
};

struct ChartPointed {
  std::optional<std::size_t> key;  // of the nearest dot
  double across = 0.0;             // where the pointer is
  bool hovered = false;
  bool clicked = false;
};
// In `area`, with its heading, axes and names; nothing where there is no room.
ChartPointed DrawChart(Ui* ui, const Rect& area, const Chart& chart);
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

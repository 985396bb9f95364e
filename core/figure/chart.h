// One chart for screens and figures: described by values, placed once, and painted by whoever has a
// ChartPainter (app/views/kit/chart.h, core/figure/chart_figure.h).
//
// A mark says what it stands for in the units of the axes, never in pixels. Marks are painted in
// their order.
//
// Units    lengths without a unit are unscaled pixels; places are the painter's own pixels.
// Threads  those of the painter.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/figure/rect.h"
#include "core/figure/theme.h"

namespace headscope {

struct ChartAxis {
  double low = 0.0;
  double high = 1.0;
  std::string name = {};
  std::string more = {};       // belongs to the name, and is left out where it finds no room
  std::string low_words = {};  // at its ends
  std::string high_words = {};

  // Returns 0 at the low end and 1 at the high one; the middle where both are the same.
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
  ChartAxis across = {};
  ChartAxis up = {};
  std::string signs = {};  // what the marks mean, above the field
  std::vector<ChartMark> marks = {};
  std::vector<ChartTick> ticks = {};
  float right = 32.0F;    // left free there
  bool is_even = false;   // a unit is as long along both axes: the field has the shape that takes
  bool is_small = false;  // in a panel: no heading, lines at both ends of the numbers, every tick

  // A line from edge to edge where an axis has this value.
  void LineAcross(double value, ChartInk ink);
  void LineUp(double value, ChartInk ink);
};

enum class ChartType { kWords, kNumbers };

// Measures and paints.
class ChartPainter {
 public:
  // `colors` must outlive this.
  ChartPainter(float scale, const ThemeColors& colors) : scale_(scale), colors_(colors) {}
  virtual ~ChartPainter() = default;
  ChartPainter(const ChartPainter&) = delete;
  ChartPainter& operator=(const ChartPainter&) = delete;

  [[nodiscard]] float Px(float unscaled) const { return std::round(unscaled * scale_); }
  [[nodiscard]] const ThemeColors& colors() const { return colors_; }

  [[nodiscard]] virtual float LineHeight(ChartType type) const = 0;
  [[nodiscard]] virtual float TextWidth(std::string_view text, ChartType type) const = 0;
  // `most_width` 0: any width; a wider text is shortened.
  virtual void Text(
      float x, float y, std::string_view text, ChartType type, Rgb color, float most_width) = 0;
  // Words upright in the middle of `rect`, without their end where they are wider.
  virtual void Beginning(const Rect& rect, std::string_view words, Rgb color) = 0;
  // Words on as many lines as they need.
  [[nodiscard]] virtual float ParagraphHeight(float width, std::string_view words) const = 0;
  virtual void Paragraph(float x, float y, float width, std::string_view words, Rgb color) = 0;

  virtual void Line(float x0, float y0, float x1, float y1, ChartInk ink, float thickness) = 0;
  virtual void Dot(float x, float y, float radius, float ring, ChartInk ink) = 0;
  // `radius`: of the corners, unscaled.
  virtual void Box(const Rect& rect, Rgb color, float radius) = 0;

 private:
  float scale_;
  const ThemeColors& colors_;
};

// Where the values of a chart stand.
struct ChartPlace {
  const Chart& chart;
  Rect field;                // within the axes
  Rect heading = {};         // above it; wider than a field that is even
  std::string up_name = {};  // with as much of it as finds room
  bool is_one_line = false;  // the meaning of the signs stands beside that name, not below it

  [[nodiscard]] float X(double value) const {
    return field.x + field.width * chart.across.At(value);
  }
  [[nodiscard]] float Y(double value) const {
    return field.y + field.height * (1.0F - chart.up.At(value));
  }
  [[nodiscard]] float right() const { return field.x + field.width; }
  [[nodiscard]] float bottom() const { return field.y + field.height; }
};

// Returns the places in `area`, with heading, axes and names; nothing where there is no room.
[[nodiscard]] std::optional<ChartPlace> PlaceChart(const ChartPainter& painter,
                                                   const Rect& area,
                                                   const Chart& chart);
void PaintChart(ChartPainter* painter, const ChartPlace& place);
// The marks alone.
void PaintMarks(ChartPainter* painter, const ChartPlace& place);

}  // namespace headscope

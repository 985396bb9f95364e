#include "core/figure/chart.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace headscope {
namespace {

constexpr float kHeadingLine = 20.0F;  // unscaled, as in what follows
constexpr float kNumbersRoom = 58.0F;  // at the left of the field
constexpr float kSmallNumbersRoom = 40.0F;

void Paint(ChartPainter* painter, const ChartPlace& at, const ChartDot& dot) {
  painter->Dot(at.X(dot.x), at.Y(dot.y), painter->Px(dot.radius), painter->Px(dot.ring), dot.ink);
}

void Paint(ChartPainter* painter, const ChartPlace& at, const ChartLine& line) {
  const float thick = line.thickness > 0.0F ? painter->Px(line.thickness) : 1.0F;
  const float left = at.X(line.x0);
  const float end = at.X(line.x1) - (line.is_short ? 1.0F : 0.0F);
  const float right = line.is_short ? std::max(left + 1.0F, end) : end;
  painter->Line(left, at.Y(line.y0), right, at.Y(line.y1), line.ink, thick);
}

void Paint(ChartPainter* painter, const ChartPlace& at, const ChartBar& bar) {
  const float left = at.X(bar.left);
  const float tall = std::max(1.0F, at.Y(0.0) - at.Y(bar.value));
  painter->Box(
      {left, at.Y(0.0) - tall, std::max(1.0F, at.X(bar.right) - left), tall}, bar.ink.color, 1.0F);
}

void Paint(ChartPainter* painter, const ChartPlace& at, const ChartError& error) {
  const float x = at.X(error.x);
  const float above = std::max(at.field.y, at.Y(error.high));
  const float below = std::min(at.bottom(), at.Y(error.low));
  const float cap = painter->Px(5.0F);
  const float thick = painter->Px(1.0F);
  painter->Line(x, above, x, below, error.ink, thick);
  for (const float y : {above, below}) {
    painter->Line(x - cap, y, x + cap, y, error.ink, thick);
  }
}

void Paint(ChartPainter* painter, const ChartPlace& at, const ChartBand& band) {
  const float wide = std::min(at.X(band.right) - at.X(band.left), painter->Px(band.most_width));
  const float middle = at.X((band.left + band.right) / 2.0);
  painter->Box({middle - wide / 2.0F, at.field.y, wide, at.field.height}, band.ink.color, 0.0F);
}

// Above the field: the name of the axis that goes up, and what the signs mean, beside it or, where
// that finds no room, below: no word of it is left out.
void PaintHeading(ChartPainter* painter, const ChartPlace& at) {
  const ThemeColors& colors = painter->colors();
  const std::string& signs = at.chart.signs;
  const Rect& heading = at.heading;
  painter->Beginning(heading, at.up_name, colors.muted);
  if (at.is_one_line) {
    const float wide = painter->TextWidth(signs, ChartType::kWords);
    const float right = heading.x + heading.width;
    painter->Beginning({right - wide, heading.y, wide, heading.height}, signs, colors.dim);
  } else {
    painter->Paragraph(heading.x, heading.y + heading.height, heading.width, signs, colors.dim);
  }
}

std::string NameIn(const ChartPainter& painter, const ChartAxis& axis, float room) {
  const std::string all = axis.name + axis.more;
  return painter.TextWidth(all + " →", ChartType::kWords) <= room ? all : axis.name;
}

// At the left of the field, its ends in numbers.
void PaintUp(ChartPainter* painter, const ChartPlace& at) {
  const ThemeColors& colors = painter->colors();
  const ChartAxis& axis = at.chart.up;
  const float line = painter->LineHeight(ChartType::kNumbers);
  if (!at.chart.is_small) {
    painter->Line(at.field.x, at.field.y, at.field.x, at.bottom(), {colors.line}, 1.0F);
  }
  const float low = at.bottom() - (at.chart.is_small ? line / 2.0F : line);
  for (const auto& [words, y, from] :
       {std::tuple(axis.high_words, at.field.y - line / 2.0F, at.field.y),
        std::tuple(axis.low_words, low, at.bottom())}) {
    if (at.chart.is_small) {
      painter->Line(at.field.x, from, at.right(), from, {colors.line}, 1.0F);
    }
    const float wide = painter->TextWidth(words, ChartType::kNumbers);
    const float left = at.field.x - wide - painter->Px(6.0F);
    painter->Text(left, y, words, ChartType::kNumbers, colors.dim, 0.0F);
  }
}

// Below the field: the numbers of the axis' ends with its name between them.
void PaintEnds(ChartPainter* painter, const ChartPlace& at) {
  const ThemeColors& colors = painter->colors();
  const ChartAxis& axis = at.chart.across;
  const float below = at.bottom() + painter->Px(4.0F);
  const float low = painter->TextWidth(axis.low_words, ChartType::kNumbers);
  const float high = painter->TextWidth(axis.high_words, ChartType::kNumbers);
  const float high_x = at.right() - high;
  painter->Text(at.field.x, below, axis.low_words, ChartType::kNumbers, colors.dim, 0.0F);
  painter->Text(high_x, below, axis.high_words, ChartType::kNumbers, colors.dim, 0.0F);
  const float room = at.field.width - high - low - painter->Px(24.0F);
  painter->Beginning({at.field.x + low + painter->Px(12.0F),
                      below,
                      std::max(painter->Px(20.0F), room),
                      painter->LineHeight(ChartType::kWords)},
                     NameIn(*painter, axis, room) + " →",
                     colors.muted);
}

// Those that find room, the chosen one first of all; the axis' name below them.
void PaintTicks(ChartPainter* painter, const ChartPlace& at) {
  const ThemeColors& colors = painter->colors();
  const bool is_small = at.chart.is_small;
  const float y = at.bottom() + painter->Px(is_small ? 3.0F : 4.0F);
  const float gap = painter->Px(8.0F);
  const auto span_of = [&](const ChartTick& tick) {
    const float width = painter->TextWidth(tick.words, ChartType::kNumbers);
    return std::pair(at.X(tick.x) - width / 2.0F, at.X(tick.x) + width / 2.0F);
  };
  const auto chosen = std::ranges::find_if(at.chart.ticks, &ChartTick::is_chosen);
  std::optional<std::pair<float, float>> kept;
  if (chosen != at.chart.ticks.end()) {
    kept = span_of(*chosen);
  }
  float taken = at.field.x - at.field.width;
  for (const ChartTick& tick : at.chart.ticks) {
    const auto [left, right] = span_of(tick);
    const bool hits =
        left < taken + gap || (kept && left < kept->second + gap && right > kept->first - gap);
    if (hits && !tick.is_chosen && !is_small) {
      continue;
    }
    taken = right;
    const Rgb color = tick.is_chosen ? colors.accent : is_small ? colors.dim : colors.muted;
    painter->Text(left, y, tick.words, ChartType::kNumbers, color, 0.0F);
  }
  if (!is_small) {
    const float below = y + painter->LineHeight(ChartType::kNumbers) + painter->Px(2.0F);
    const std::string name = at.chart.across.name + " →";
    painter->Text(at.field.x, below, name, ChartType::kWords, colors.muted, at.field.width);
  }
}

}  // namespace

float ChartAxis::At(double value) const {
  return high > low ? static_cast<float>((value - low) / (high - low)) : 0.5F;
}

void Chart::LineAcross(double value, ChartInk ink) {
  marks.emplace_back(
      ChartLine{.x0 = across.low, .y0 = value, .x1 = across.high, .y1 = value, .ink = ink});
}

void Chart::LineUp(double value, ChartInk ink) {
  marks.emplace_back(ChartLine{.x0 = value, .y0 = up.low, .x1 = value, .y1 = up.high, .ink = ink});
}

std::optional<ChartPlace> PlaceChart(const ChartPainter& painter,
                                     const Rect& area,
                                     const Chart& chart) {
  const bool is_small = chart.is_small;
  const float left = painter.Px(is_small ? kSmallNumbersRoom : kNumbersRoom);
  const float below = painter.Px(is_small ? 20.0F : chart.ticks.empty() ? 30.0F : 50.0F);
  const float width = area.width - left - (is_small ? 0.0F : painter.Px(chart.right));
  const std::string up_name = "↑ " + NameIn(painter, chart.up, width);
  const bool is_one_line = painter.TextWidth(up_name, ChartType::kWords) + painter.Px(16.0F) +
                               painter.TextWidth(chart.signs, ChartType::kWords) <=
                           width;
  float above = 0.0F;
  if (!is_small) {
    above = painter.Px(kHeadingLine) +
            (is_one_line ? 0.0F : painter.ParagraphHeight(width, chart.signs)) + painter.Px(16.0F);
  }
  Rect field{area.x + left, area.y + above, width, area.height - above - below};
  if (chart.is_even) {
    const double across = chart.across.high - chart.across.low;
    const double up = chart.up.high - chart.up.low;
    const double unit =
        std::min(static_cast<double>(field.width) / across, static_cast<double>(field.height) / up);
    field.width = static_cast<float>(across * unit);
    field.height = static_cast<float>(up * unit);
  }
  if (field.width < painter.Px(40.0F) || field.height < painter.Px(30.0F)) {
    return std::nullopt;
  }
  return ChartPlace{
      .chart = chart,
      .field = field,
      .heading = {area.x + left, area.y + painter.Px(6.0F), width, painter.Px(kHeadingLine)},
      .up_name = up_name,
      .is_one_line = is_one_line};
}

void PaintMarks(ChartPainter* painter, const ChartPlace& place) {
  for (const ChartMark& mark : place.chart.marks) {
    std::visit([&](const auto& one) { Paint(painter, place, one); }, mark);
  }
}

void PaintChart(ChartPainter* painter, const ChartPlace& place) {
  PaintUp(painter, place);
  if (!place.chart.is_small) {
    const float low = place.bottom();
    painter->Line(place.field.x, low, place.right(), low, {painter->colors().line}, 1.0F);
    PaintHeading(painter, place);
  }
  place.chart.ticks.empty() ? PaintEnds(painter, place) : PaintTicks(painter, place);
  PaintMarks(painter, place);
}

}  // namespace headscope

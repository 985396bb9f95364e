#include "app/views/kit/chart.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <imgui.h>

#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kHeadingLine = 20.0F;  // unscaled, as in what follows
constexpr float kNumbers = 58.0F;      // at the left of the field
constexpr float kSmallNumbers = 40.0F;
constexpr float kReach = 8.0F;    // of the pointer beyond the field
constexpr float kNearby = 10.0F;  // of a dot
constexpr int kMostSignLines = 3;

// Where the values of a chart stand in the window.
struct ChartPlace {
  const Ui& ui;
  Rect field;
  const Chart& chart;

  [[nodiscard]] float X(double value) const {
    return field.x + field.width * chart.across.At(value);
  }
  [[nodiscard]] float Y(double value) const {
    return field.y + field.height * (1.0F - chart.up.At(value));
  }
  [[nodiscard]] float right() const { return field.x + field.width; }
  [[nodiscard]] float bottom() const { return field.y + field.height; }
};

std::uint32_t Ink(ChartInk ink) {
  return ToImGui(ink.color, ink.alpha);
}

void Draw(const ChartPlace& at, const ChartDot& dot) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ImVec2 middle{at.X(dot.x), at.Y(dot.y)};
  const float radius = at.ui.Px(dot.radius);
  if (dot.ring > 0.0F) {
    list->AddCircle(middle, radius, Ink(dot.ink), 0, at.ui.Px(dot.ring));
  } else {
    list->AddCircleFilled(middle, radius, Ink(dot.ink));
  }
}

void Draw(const ChartPlace& at, const ChartLine& line) {
  const float thick = line.thickness > 0.0F ? at.ui.Px(line.thickness) : 1.0F;
  const float left = at.X(line.x0);
  const float end = at.X(line.x1) - (line.is_short ? 1.0F : 0.0F);
  const float right = line.is_short ? std::max(left + 1.0F, end) : end;
  ImGui::GetWindowDrawList()->AddLine(
      {left, at.Y(line.y0)}, {right, at.Y(line.y1)}, Ink(line.ink), thick);
}

void Draw(const ChartPlace& at, const ChartBar& bar) {
  const float left = at.X(bar.left);
  const float tall = std::max(1.0F, at.Y(0.0) - at.Y(bar.value));
  FillRect(at.ui,
           {left, at.Y(0.0) - tall, std::max(1.0F, at.X(bar.right) - left), tall},
           bar.ink.color,
           1.0F);
}

void Draw(const ChartPlace& at, const ChartError& error) {
  const float x = at.X(error.x);
  const float above = std::max(at.field.y, at.Y(error.high));
  const float below = std::min(at.bottom(), at.Y(error.low));
  const float cap = at.ui.Px(5.0F);
  const float thick = at.ui.Px(1.0F);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->AddLine({x, above}, {x, below}, Ink(error.ink), thick);
  for (const float y : {above, below}) {
    list->AddLine({x - cap, y}, {x + cap, y}, Ink(error.ink), thick);
  }
}

void Draw(const ChartPlace& at, const ChartBand& band) {
  const float wide = std::min(at.X(band.right) - at.X(band.left), at.ui.Px(band.most_width));
  const float middle = at.X((band.left + band.right) / 2.0);
  FillRect(at.ui, {middle - wide / 2.0F, at.field.y, wide, at.field.height}, band.ink.color, 0.0F);
}

// Above a field: the name of the axis that goes up, and what the signs mean, beside it or, where that
// finds no room, below: no word of it is left out.
class ChartHeading {
 public:
  ChartHeading(const Ui& ui, std::string up, const std::string& signs, float width)
      : up_(std::move(up)),
        signs_(signs),
        width_(width),
        signs_width_(TextWidth(ui, signs_, Type::kSmall)),
        is_one_line_(TextWidth(ui, up_, Type::kSmall) + ui.Px(16.0F) + signs_width_ <= width),
        height_(ui.Px(kHeadingLine) +
                (is_one_line_ ? 0.0F
                              : ParagraphHeight(ui, signs_, width, Type::kSmall, kMostSignLines))) {
  }

  [[nodiscard]] float height() const { return height_; }

  void Draw(const Ui& ui, float x, float y) const {
    const ThemeColors& colors = ui.colors();
    const float line = ui.Px(kHeadingLine);
    DrawBeginning(ui, {x, y, width_, line}, up_, Type::kSmall, colors.muted, width_);
    if (is_one_line_) {
      const Rect right{x + width_ - signs_width_, y, signs_width_, line};
      DrawTextIn(ui, right, signs_, Type::kSmall, colors.dim);
    } else {
      DrawParagraph(ui, x, y + line, width_, signs_, Type::kSmall, colors.dim, kMostSignLines);
    }
  }

 private:
  std::string up_;
  const std::string& signs_;
  float width_;
  float signs_width_;
  bool is_one_line_;
  float height_;
};

std::string NameIn(const Ui& ui, const ChartAxis& axis, float room) {
  const std::string all = axis.name + axis.more;
  return TextWidth(ui, all + " →", Type::kSmall) <= room ? all : axis.name;
}

// At the left of the field, its ends in numbers.
void DrawUp(const ChartPlace& at) {
  const Ui& ui = at.ui;
  const ThemeColors& colors = ui.colors();
  const ChartAxis& axis = at.chart.up;
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float line = LineHeight(ui, Type::kMonoSmall);
  const std::uint32_t ink = ToImGui(colors.line);
  if (!at.chart.is_small) {
    list->AddLine({at.field.x, at.field.y}, {at.field.x, at.bottom()}, ink, 1.0F);
  }
  const float low = at.bottom() - (at.chart.is_small ? line / 2.0F : line);
  for (const auto& [words, y, from] :
       {std::tuple(axis.high_words, at.field.y - line / 2.0F, at.field.y),
        std::tuple(axis.low_words, low, at.bottom())}) {
    if (at.chart.is_small) {
      list->AddLine({at.field.x, from}, {at.right(), from}, ink, 1.0F);
    }
    const float wide = TextWidth(ui, words, Type::kMonoSmall);
    DrawText(ui, at.field.x - wide - ui.Px(6.0F), y, words, Type::kMonoSmall, colors.dim);
  }
}

// Below the field: the numbers of the axis' ends with its name between them.
void DrawEnds(const ChartPlace& at) {
  const Ui& ui = at.ui;
  const ThemeColors& colors = ui.colors();
  const ChartAxis& axis = at.chart.across;
  const float below = at.bottom() + ui.Px(4.0F);
  const float low = DrawText(ui, at.field.x, below, axis.low_words, Type::kMonoSmall, colors.dim);
  const float high = TextWidth(ui, axis.high_words, Type::kMonoSmall);
  DrawText(ui, at.right() - high, below, axis.high_words, Type::kMonoSmall, colors.dim);
  const float room = at.field.width - high - low - ui.Px(24.0F);
  DrawBeginning(ui,
                {at.field.x + low + ui.Px(12.0F), below, 0.0F, LineHeight(ui, Type::kSmall)},
                NameIn(ui, axis, room) + " →",
                Type::kSmall,
                colors.muted,
                std::max(ui.Px(20.0F), room));
}

// Those that find room, the chosen one first of all; the axis' name below them.
void DrawTicks(const ChartPlace& at) {
  const Ui& ui = at.ui;
  const ThemeColors& colors = ui.colors();
  const bool is_small = at.chart.is_small;
  const float y = at.bottom() + ui.Px(is_small ? 3.0F : 4.0F);
  const float gap = ui.Px(8.0F);
  const auto span_of = [&](const ChartTick& tick) {
    const float width = TextWidth(ui, tick.words, Type::kMonoSmall);
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
    DrawText(ui, left, y, tick.words, Type::kMonoSmall, color);
  }
  if (!is_small) {
    const float below = y + LineHeight(ui, Type::kMonoSmall) + ui.Px(2.0F);
    const std::string name = at.chart.across.name + " →";
    DrawText(ui, at.field.x, below, name, Type::kSmall, colors.muted, at.field.width);
  }
}

void DrawMarksAt(const ChartPlace& at) {
  for (const ChartMark& mark : at.chart.marks) {
    std::visit([&at](const auto& one) { Draw(at, one); }, mark);
  }
}

std::optional<std::size_t> KeyUnderPointer(const ChartPlace& at) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float least = at.ui.Px(kNearby) * at.ui.Px(kNearby);
  std::optional<std::size_t> nearest;
  for (const ChartMark& mark : at.chart.marks) {
    const auto* const dot = std::get_if<ChartDot>(&mark);
    if (dot == nullptr || !dot->key) {
      continue;
    }
    const float dx = mouse.x - at.X(dot->x);
    const float dy = mouse.y - at.Y(dot->y);
    if (dx * dx + dy * dy < least) {
      least = dx * dx + dy * dy;
      nearest = dot->key;
    }
  }
  return nearest;
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

void DrawMarks(const Ui& ui, const Rect& field, const Chart& chart) {
  DrawMarksAt({.ui = ui, .field = field, .chart = chart});
}

ChartPointed DrawChart(Ui* ui, const Rect& area, const Chart& chart) {
  const bool is_small = chart.is_small;
  const float left = ui->Px(is_small ? kSmallNumbers : kNumbers);
  const float below = ui->Px(is_small ? 20.0F : chart.ticks.empty() ? 30.0F : 50.0F);
  const float width = area.width - left - (is_small ? 0.0F : ui->Px(chart.right));
  const ChartHeading heading(*ui, "↑ " + NameIn(*ui, chart.up, width), chart.signs, width);
  const float above = is_small ? 0.0F : heading.height() + ui->Px(16.0F);
  const ChartPlace at{.ui = *ui,
                      .field = {area.x + left, area.y + above, width, area.height - above - below},
                      .chart = chart};
  if (at.field.width < ui->Px(40.0F) || at.field.height < ui->Px(30.0F)) {
    return {};
  }
  Rect reach = is_small ? at.field : Inset(at.field, -ui->Px(kReach), -ui->Px(kReach));
  reach.height += chart.ticks.empty() || is_small ? 0.0F : ui->Px(kReach);
  const Pressed pressed = Area(ui, chart.id, reach, "");
  DrawUp(at);
  if (!is_small) {
    ImGui::GetWindowDrawList()->AddLine(
        {at.field.x, at.bottom()}, {at.right(), at.bottom()}, ToImGui(ui->colors().line), 1.0F);
    heading.Draw(*ui, at.field.x, area.y + ui->Px(6.0F));
  }
  chart.ticks.empty() ? DrawEnds(at) : DrawTicks(at);
  DrawMarksAt(at);
  if (!pressed.hovered) {
    return {};
  }
  const auto part = static_cast<double>((ImGui::GetIO().MousePos.x - at.field.x) / at.field.width);
  return {.key = KeyUnderPointer(at),
          .across = chart.across.low + part * (chart.across.high - chart.across.low),
          .hovered = true,
          .clicked = pressed.clicked};
}

void DrawMeter(const Ui& ui, const Rect& place, const Meter& meter) {
  const ThemeColors& colors = ui.colors();
  const float height = ui.Px(meter.height);
  const Rect track{place.x, place.y + (place.height - height) / 2.0F, place.width, height};
  if (meter.track) {
    FillRect(ui, track, *meter.track, 2.0F);
  }
  if (meter.to) {
    const Rect bar{track.x + track.width * std::min(meter.from, *meter.to),
                   track.y,
                   std::max(ui.Px(1.0F), track.width * std::abs(*meter.to - meter.from)),
                   height};
    // An outline is seen without its colour, too.
    meter.is_outline ? FrameRect(ui, bar, meter.color, 2.0F) : FillRect(ui, bar, meter.color, 2.0F);
  }
  ImDrawList* const list = ImGui::GetWindowDrawList();
  if (meter.line) {
    const float x = track.x + track.width * *meter.line;
    list->AddLine({x, track.y - ui.Px(3.0F)},
                  {x, track.y + height + ui.Px(3.0F)},
                  ToImGui(colors.text),
                  ui.Px(2.0F));
  }
  if (meter.triangle) {
    const float x = track.x + track.width * *meter.triangle;
    const float y = track.y + height + ui.Px(1.0F);
    list->AddTriangleFilled({x, y},
                            {x + ui.Px(4.0F), y + ui.Px(6.0F)},
                            {x - ui.Px(4.0F), y + ui.Px(6.0F)},
                            ToImGui(colors.muted));
  }
}

void DrawProgressBar(const Ui& ui, const Rect& place, float part) {
  const float height = ui.Px(5.0F);
  const Rect track{place.x, place.y + (place.height - height) / 2.0F, place.width, height};
  FillRect(ui, track, ui.colors().raised, 3.0F);
  FillRect(ui, {track.x, track.y, track.width * part, height}, ui.colors().accent, 3.0F);
}

}  // namespace headscope

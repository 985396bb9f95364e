#include "app/views/kit/chart.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kReach = 8.0F;    // of the pointer beyond the field; unscaled
constexpr float kNearby = 10.0F;  // of a dot
constexpr int kMostSignLines = 3;

Type TypeOf(ChartType type) {
  return type == ChartType::kWords ? Type::kSmall : Type::kMonoSmall;
}

class WindowChartPainter final : public ChartPainter {
 public:
  explicit WindowChartPainter(const Ui& ui) : ChartPainter(ui.scale, ui.colors()), ui_(ui) {}

  [[nodiscard]] float LineHeight(ChartType type) const override {
    return headscope::LineHeight(ui_, TypeOf(type));
  }
  [[nodiscard]] float TextWidth(std::string_view text, ChartType type) const override {
    return headscope::TextWidth(ui_, text, TypeOf(type));
  }
  void Text(float x, float y, std::string_view text, ChartType type, Rgb color, float most_width)
      override {
    DrawText(ui_, x, y, text, TypeOf(type), color, most_width);
  }
  void Beginning(const Rect& rect, std::string_view words, Rgb color) override {
    DrawBeginning(ui_, rect, words, Type::kSmall, color, rect.width);
  }
  [[nodiscard]] float ParagraphHeight(float width, std::string_view words) const override {
    return headscope::ParagraphHeight(ui_, words, width, Type::kSmall, kMostSignLines);
  }
  void Paragraph(float x, float y, float width, std::string_view words, Rgb color) override {
    DrawParagraph(ui_, x, y, width, words, Type::kSmall, color, kMostSignLines);
  }

  void Line(float x0, float y0, float x1, float y1, ChartInk ink, float thickness) override {
    ImGui::GetWindowDrawList()->AddLine(
        {x0, y0}, {x1, y1}, ToImGui(ink.color, ink.alpha), thickness);
  }
  void Dot(float x, float y, float radius, float ring, ChartInk ink) override {
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const std::uint32_t color = ToImGui(ink.color, ink.alpha);
    ring > 0.0F ? list->AddCircle({x, y}, radius, color, 0, ring)
                : list->AddCircleFilled({x, y}, radius, color);
  }
  void Box(const Rect& rect, Rgb color, float radius) override {
    FillRect(ui_, rect, color, radius);
  }

 private:
  const Ui& ui_;
};

std::optional<std::size_t> KeyUnderPointer(const Ui& ui, const ChartPlace& at) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  float least = ui.Px(kNearby) * ui.Px(kNearby);
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

void DrawMarks(const Ui& ui, const Rect& field, const Chart& chart) {
  WindowChartPainter painter(ui);
  PaintMarks(&painter, {.chart = chart, .field = field});
}

ChartPointed DrawChart(Ui* ui, const char* id, const Rect& area, const Chart& chart) {
  WindowChartPainter painter(*ui);
  const auto at = PlaceChart(painter, area, chart);
  if (!at) {
    return {};
  }
  const bool is_small = chart.is_small;
  Rect reach = is_small ? at->field : Inset(at->field, -ui->Px(kReach), -ui->Px(kReach));
  reach.height += chart.ticks.empty() || is_small ? 0.0F : ui->Px(kReach);
  const Pressed pressed = Area(ui, id, reach, "");
  PaintChart(&painter, *at);
  if (!pressed.hovered) {
    return {};
  }
  const auto part =
      static_cast<double>((ImGui::GetIO().MousePos.x - at->field.x) / at->field.width);
  return {.key = KeyUnderPointer(*ui, *at),
          .across = chart.across.low + part * (chart.across.high - chart.across.low),
          .hovered = true,
          .clicked = pressed.clicked};
}

void DrawChartKey(Pen* pen, std::span<const NamedInk> inks) {
  Ui* const ui = pen->ui;
  Flow flow(ui, {pen->x - ui->Px(14.0F), pen->y, pen->width + ui->Px(28.0F), 0.0F}, 24.0F);
  for (const NamedInk& one : inks) {
    const float square = ui->Px(9.0F);
    const Rect place =
        flow.Next(TextWidth(*ui, one.name, Type::kSmall) + 2.0F * square, ui->Px(20.0F));
    FillRect(
        *ui, {place.x, place.y + (place.height - square) / 2.0F, square, square}, one.color, 2.0F);
    DrawTextIn(*ui,
               {place.x + 1.6F * square, place.y, place.width, place.height},
               one.name,
               Type::kSmall,
               ui->colors().text);
  }
  pen->y += flow.height();
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

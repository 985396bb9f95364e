// Two scores against each other: every dot is a head, the heads of scrambled twins lie behind in
// grey.
#include <algorithm>
#include <optional>
#include <string>

#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/axis.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

const NamedScores* ScoresNamed(const std::vector<NamedScores>& all, const std::string& id) {
  const auto found = std::ranges::find(all, id, &NamedScores::id);
  return found != all.end() ? &*found : nullptr;
}

struct Plot {
  Rect field;
  ScoreAxis across;
  ScoreAxis up;

  [[nodiscard]] ImVec2 At(double x, double y) const {
    return {field.x + field.width * across.At(x), field.y + field.height * (1.0F - up.At(y))};
  }
};

// " on bundled repeats", where the name with it finds room; the probe is named elsewhere, too.
std::string OnSource(const Ui& ui,
                     const HeadsFrame& frame,
                     const ScoredMetric& metric,
                     float room) {
  const std::string on = " on " + SourceOf(frame.report, metric);
  return TextWidth(ui, metric.label + on + " →", Type::kSmall) <= room ? on : "";
}

void DrawAxes(const Ui& ui, const Plot& plot, const HeadsFrame& frame) {
  const ThemeColors& colors = ui.colors();
  const Rect& field = plot.field;
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float right = field.x + field.width;
  const float bottom = field.y + field.height;
  DrawUprightAxis(ui, field, *frame.second, plot.up);
  list->AddLine({field.x, bottom}, {right, bottom}, ToImGui(colors.line), 1.0F);
  const std::uint32_t faint = ToImGui(colors.muted, 0.35F);
  if (plot.across.chance) {
    const float x = plot.At(*plot.across.chance, plot.up.low).x;
    list->AddLine({x, field.y}, {x, bottom}, faint, 1.0F);
  }
  if (plot.up.chance) {
    const float y = plot.At(plot.across.low, *plot.up.chance).y;
    list->AddLine({field.x, y}, {right, y}, faint, 1.0F);
  }
  const std::string low = ToldText(*frame.metric, plot.across.low);
  const std::string high = ToldText(*frame.metric, plot.across.high);
  const float below = bottom + ui.Px(4.0F);
  DrawText(ui, field.x, below, low, Type::kMonoSmall, colors.dim);
  const float high_width = TextWidth(ui, high, Type::kMonoSmall);
  DrawText(ui, right - high_width, below, high, Type::kMonoSmall, colors.dim);
  const float name_room =
      field.width - high_width - TextWidth(ui, low, Type::kMonoSmall) - ui.Px(24.0F);
  const std::string name =
      frame.metric->label + OnSource(ui, frame, *frame.metric, name_room) + " →";
  DrawBeginning(ui,
                {field.x + TextWidth(ui, low, Type::kMonoSmall) + ui.Px(12.0F),
                 below,
                 0.0F,
                 LineHeight(ui, Type::kSmall)},
                name,
                Type::kSmall,
                colors.muted,
                std::max(ui.Px(20.0F), name_room));
}

// Those that both scores are of.
std::size_t CountTwins(const HeadsFrame& frame) {
  return std::min(frame.metric->probe->twins.size(), frame.second->probe->twins.size());
}

// The heads of the twins that are done, each twin's own.
void DrawTwins(const Ui& ui, const Plot& plot, const HeadsFrame& frame) {
  const auto& across = frame.metric->probe->twins;
  const auto& up = frame.second->probe->twins;
  const std::size_t twins = CountTwins(frame);
  const std::uint32_t grey = ToImGui(ui.colors().muted, 0.28F);
  for (std::size_t twin = 0; twin < twins; ++twin) {
    const NamedScores* const x = ScoresNamed(across[twin], frame.metric->id);
    const NamedScores* const y = ScoresNamed(up[twin], frame.second->id);
    for (std::size_t head = 0; x != nullptr && y != nullptr && head < x->heads.size(); ++head) {
      if (x->heads[head].score && y->heads[head].score) {
        ImGui::GetWindowDrawList()->AddCircleFilled(
            plot.At(*x->heads[head].score, *y->heads[head].score), ui.Px(3.5F), grey);
      }
    }
  }
}

Rgb ColorOfHead(const Ui& ui, const HeadsFrame& frame, HeadIndex head) {
  if (const HeadFlag* flag = FindFlag(FlagsInView(ui.state), head)) {
    return ColorOfRole(flag->role);
  }
  const auto& found = frame.suggestions.Of(head);
  return found.empty() ? ui.colors().dim : ColorOfRole(found.front()->role);
}

std::string Legend(std::size_t twins) {
  std::string words = "dot: a head · lines: chance";
  if (twins > 0) {
    words += " · grey cloud: heads of twins";
  }
  return words + " · colour: its role, ring: suggested";
}

}  // namespace

void DrawHeadsScatter(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  if (frame.second == nullptr || !frame.second->best || !frame.metric->best) {
    DrawParagraph(*ui,
                  area.x + ui->Px(24.0F),
                  area.y + ui->Px(20.0F),
                  std::max(ui->Px(60.0F), area.width - ui->Px(48.0F)),
                  frame.report.is_whole()
                      ? "The scatter needs two scores: choose another with y in the list."
                      : "The other score of the scatter is on its way.",
                  Type::kSmall,
                  colors.dim);
    return;
  }
  const float width = area.width - ui->Px(90.0F);
  const ChartHeading heading(
      *ui,
      "↑ " + frame.second->label + OnSource(*ui, frame, *frame.second, width),
      Legend(CountTwins(frame)),
      width);
  Plot plot{.field = {area.x + ui->Px(58.0F),
                      area.y + heading.height() + ui->Px(16.0F),
                      width,
                      area.height - heading.height() - ui->Px(46.0F)},
            .across = AxisWithTwins(*frame.metric),
            .up = AxisWithTwins(*frame.second)};
  if (plot.field.width < ui->Px(40.0F) || plot.field.height < ui->Px(30.0F)) {
    return;
  }
  const Pressed pressed = Area(ui, "scatter", Inset(plot.field, -ui->Px(8.0F), -ui->Px(8.0F)), "");
  DrawAxes(*ui, plot, frame);
  DrawTwins(*ui, plot, frame);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  std::optional<HeadIndex> nearest;
  float least = ui->Px(10.0F) * ui->Px(10.0F);
  for (std::size_t place = 0; place < frame.heads.count(); ++place) {
    const auto& x = frame.metric->scores->heads[place].score;
    const auto& y = frame.second->scores->heads[place].score;
    if (!x || !y) {
      continue;
    }
    const HeadIndex head = frame.heads.At(place);
    if (!IsShown(*ui, head, frame.suggestions)) {
      continue;
    }
    const ImVec2 at = plot.At(*x, *y);
    const Rgb color = ColorOfHead(*ui, frame, head);
    const bool is_flagged = FindFlag(FlagsInView(ui->state), head) != nullptr;
    const bool is_suggested = !frame.suggestions.Of(head).empty();
    if (is_suggested && !is_flagged) {
      list->AddCircle(at, ui->Px(4.5F), ToImGui(color), 0, ui->Px(2.0F));
    } else {
      list->AddCircleFilled(at, ui->Px(is_flagged ? 5.0F : 4.0F), ToImGui(color));
    }
    if (head == ui->state.selection.head) {
      list->AddCircle(at, ui->Px(7.5F), ToImGui(colors.accent), 0, ui->Px(2.0F));
    }
    const float far = (mouse.x - at.x) * (mouse.x - at.x) + (mouse.y - at.y) * (mouse.y - at.y);
    if (pressed.hovered && far < least) {
      least = far;
      nearest = head;
    }
  }
  heading.Draw(*ui, plot.field.x, area.y + ui->Px(6.0F));
  if (nearest) {
    PointAtHead(ui, frame, *nearest, pressed.clicked);
  }
}

}  // namespace headscope

// The list of metrics: what each is, and the head that does most of it.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/heads/panels.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "core/base/sentence.h"
#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

constexpr float kMetricRow = 46.0F;  // unscaled
constexpr float kRowPad = 10.0F;

std::string MetricTooltip(const ScoredMetric& metric) {
  if (!metric.number->hint.empty()) {
    return std::string(metric.number->hint);
  }
  const NumberWords& words = metric.number->words;
  std::string text = fmt::format("{}\n{}\nChance: {}.", words.about, words.formula, words.chance);
  if (!words.control.empty()) {
    text += fmt::format("\nControl: {}.", words.control);
  }
  return text + fmt::format("\nMind: {}.\n{}", words.pitfall, words.source);
}

// A sentence without the path that it begins with: the rest tells it from others.
std::string WithoutPath(const std::string& sentence) {
  const std::size_t end = sentence.find(": ");
  return sentence.starts_with('/') && end != std::string::npos ? sentence.substr(end + 2)
                                                               : sentence;
}

void DrawRow(Ui* ui, const Rect& row, const HeadsFrame& frame, const ScoredMetric& metric) {
  const ThemeColors& colors = ui->colors();
  const bool is_chosen = frame.metric == &metric;
  const bool is_second = frame.second == &metric;
  const float pad = ui->Px(kRowPad);
  const float mark = ui->Px(20.0F);
  const HeadsView view = ui->state.heads_look.view;
  const bool has_scatter = view == HeadsView::kMap || view == HeadsView::kScatter;
  ImGui::PushID(metric.id.c_str());
  // The upright axis of the scatter, beside the row: a click on the rest chooses the metric.
  const Rect axis{
      row.x + row.width - pad - mark, row.y + row.height - mark - ui->Px(3.0F), mark, mark};
  const HeadMetric* const of_rows = FindMetric(metric.id);
  const bool is_hidden = of_rows != nullptr && of_rows->asks_hidden && !metric.best &&
                         frame.report.probe.kind == ProbeKind::kBundled;
  const ButtonLook scan{.text = "Scan",
                        .tooltip =
                            "Hides sentences in long texts and scores the heads on them; the "
                            "scores on the built-in texts stay a click away",
                        .type = Type::kSmall};
  const float beside = is_hidden ? ButtonWidth(*ui, scan) + pad : has_scatter ? mark + pad : 0.0F;
  const Rect rest{row.x, row.y, row.width - beside, row.height};
  const Pressed pressed =
      Area(ui,
           "metric",
           rest,
           metric.name + "\n" + MetricTooltip(metric) +
               (metric.best ? "" : "\nNo score: " + Ended(metric.scores->why_not)));
  if (is_chosen || pressed.hovered) {
    FillRect(*ui, row, colors.raised, 7.0F);
  }
  if (pressed.clicked) {
    ui->Do(ShowMetric{metric.id});
  }
  std::string best = "none";
  if (metric.best) {
    best = fmt::format("{} {}",
                       HeadName(frame.heads.At(*metric.best)),
                       ScoreText(metric, *metric.scores->heads[*metric.best].score));
  }
  const float line = row.height / 2.0F;
  const float room = row.width - 2.0F * pad;
  Row first(ui, {row.x + pad, row.y + ui->Px(2.0F), room, line});
  DrawBeginning(*ui,
                first.rest(),
                metric.label,
                is_chosen ? Type::kBold : Type::kBody,
                metric.best ? colors.text : colors.muted,
                std::max(ui->Px(20.0F), first.rest().width));
  const std::string below = is_hidden     ? "needs hidden sentences"
                            : metric.best ? metric.about
                                          : WithoutPath(metric.scores->why_not);
  const float taken = beside > 0.0F ? beside - pad + ui->Px(4.0F) : 0.0F;
  Row second(ui, {row.x + pad, row.y + line - ui->Px(3.0F), room - taken, line});
  second.TextRight(best, Type::kMonoSmall, metric.best ? colors.text : colors.dim);
  second.SkipRight(8.0F);
  DrawBeginning(*ui, second.rest(), below, Type::kSmall, colors.dim, second.rest().width);
  Row last(ui, {row.x + pad, axis.y - ui->Px(1.0F), room, mark + ui->Px(2.0F)});
  if (is_hidden && last.ButtonRight("scan hidden", scan)) {
    ui->Do(ChooseProbe{{ProbeKind::kRetrieval, {}}});
  }
  if (has_scatter && metric.best) {
    const Pressed upright = Area(ui, "second", axis, "Upright in the scatter");
    if (is_second || upright.hovered || pressed.hovered) {
      FrameRect(*ui, axis, is_second ? colors.accent : colors.line, 5.0F);
      Row(ui, axis).TextMiddle("y", Type::kSmall, is_second ? colors.accent : colors.muted);
    }
    if (upright.clicked) {
      ui->Do(ShowMetric{.metric = metric.id, .second = true});
    }
  }
  ImGui::PopID();
}

// What metrics are about, in the order of the list.
std::string_view GroupOfMetric(const ScoredMetric& metric) {
  const HeadNumber& number = *metric.number;
  if (number.group == NumberGroup::kMeasure) {
    return "Measures that decide no role";
  }
  if (number.is_of_words) {
    return "Relations of words";
  }
  const HeadMetric* const of_rows = FindMetric(metric.id);
  if (of_rows == nullptr) {
    return "Effects";
  }
  return of_rows->role == "positional"                ? "Places"
         : of_rows->targets || of_rows->cross_targets ? "Tokens"
                                                      : "Shape of rows";
}

bool IsFound(const ScoredMetric& metric, std::string_view typed) {
  const auto is_equal = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  const std::string all = metric.name + " " + metric.id + " " + metric.about;
  return typed.empty() || !std::ranges::search(all, typed, is_equal).empty();
}

// A line of the list: a heading, or a metric.
struct MetricLine {
  std::string_view heading;
  const ScoredMetric* metric = nullptr;
};

std::vector<MetricLine> LinesOfMetrics(const HeadsFrame& frame, std::string_view typed) {
  constexpr std::array<std::string_view, 6> kGroups = {"Places",
                                                       "Tokens",
                                                       "Relations of words",
                                                       "Effects",
                                                       "Shape of rows",
                                                       "Measures that decide no role"};
  std::vector<MetricLine> lines;
  for (const std::string_view group : kGroups) {
    const std::size_t heading = lines.size();
    for (const ScoredMetric& metric : frame.metrics) {
      if (GroupOfMetric(metric) == group && IsFound(metric, typed)) {
        lines.push_back({.heading = {}, .metric = &metric});
      }
    }
    if (lines.size() > heading) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(heading), {.heading = group});
    }
  }
  return lines;
}

// The chosen one comes into sight where something else than a click in the list chose it.
void RevealMetric(Ui* ui, const HeadsFrame& frame, float top, float row, float height) {
  const std::string chosen = frame.metric != nullptr ? frame.metric->id : "";
  if (chosen == ui->memory->revealed_metric) {
    return;
  }
  ui->memory->revealed_metric = chosen;
  const float scroll = ImGui::GetScrollY();
  if (top >= 0.0F && (top < scroll || top + row > scroll + height)) {
    ImGui::SetScrollY(top - height / 2.0F);
  }
}

}  // namespace

void DrawMetricList(Ui* ui, const Rect& whole, const HeadsFrame& frame) {
  const float row = ui->Px(kMetricRow);
  const float heading = ui->Px(26.0F);
  const float pad = ui->Px(8.0F);
  Rect area = whole;
  const Rect find{area.x + pad, area.y + pad, area.width - 2.0F * pad, ui->Px(30.0F)};
  if (const auto typed = DrawField(ui,
                                   "find metric",
                                   find,
                                   ui->memory->find_metric,
                                   {.hint = "Find a metric",
                                    .tooltip = "A part of its name or of what it is about",
                                    .type = Type::kSmall,
                                    .rules = {.many_lines = false, .most_bytes = 80}})) {
    ui->memory->find_metric = *typed;
  }
  FrameRect(*ui, find, ui->colors().line, 7.0F);
  area.y += find.height + pad;
  area.height = std::max(0.0F, area.height - find.height - pad);
  const std::vector<MetricLine> lines = LinesOfMetrics(frame, ui->memory->find_metric);
  float content = 2.0F * pad;
  float chosen = -1.0F;
  for (const MetricLine& line : lines) {
    chosen = line.metric != nullptr && line.metric == frame.metric ? content - pad : chosen;
    content += line.metric != nullptr ? row : heading;
  }
  BeginScroll("metrics", area);
  ImGui::Dummy({1.0F, content});
  RevealMetric(ui, frame, chosen, row, area.height);
  const float scroll = ImGui::GetScrollY();
  const bool has_bar = content > area.height;
  const float width = area.width - 2.0F * pad - (has_bar ? ImGui::GetStyle().ScrollbarSize : 0.0F);
  float y = area.y + pad - scroll;
  for (const MetricLine& line : lines) {
    const float height = line.metric != nullptr ? row : heading;
    if (y + height >= area.y && y <= area.y + area.height) {
      const Rect place{area.x + pad, y, width, height - ui->Px(2.0F)};
      if (line.metric != nullptr) {
        DrawRow(ui, place, frame, *line.metric);
      } else {
        Row(ui, Inset(place, ui->Px(kRowPad), 0.0F))
            .Text(line.heading, Type::kSmall, ui->colors().dim);
      }
    }
    y += height;
  }
  EndScroll();
  const Rect& middle = ui->layout.middle_visible;
  const bool is_above = area.x + area.width + 1.0F >= middle.x + middle.width;
  const Rect edge = is_above ? Rect{area.x, area.y + area.height - 1.0F, area.width, 1.0F}
                             : Rect{area.x + area.width - 1.0F, area.y, 1.0F, area.height};
  ui->region(Panel::kMiddle).fills.push_back({edge, ui->colors().line});
}

}  // namespace headscope

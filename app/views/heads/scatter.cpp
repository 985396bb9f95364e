// Two scores against each other: every dot is a head, the heads of scrambled twins lie behind in
// grey.
#include <algorithm>
#include <string>

#include "app/state/queries.h"
#include "app/views/heads/axis.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

// Those that both scores are of.
std::size_t CountTwins(const HeadsFrame& frame) {
  return std::min(frame.metric->probe->twins.size(), frame.second->probe->twins.size());
}

// The heads of the twins that are done, each twin's own.
void AddTwins(const Ui& ui, const HeadsFrame& frame, Chart* chart) {
  const auto& across = frame.metric->probe->twins;
  const auto& up = frame.second->probe->twins;
  const ChartInk grey{ui.colors().muted, 0.28F};
  for (std::size_t twin = 0; twin < CountTwins(frame); ++twin) {
    const NamedScores* const x = FindScores(across[twin], frame.metric->id);
    const NamedScores* const y = FindScores(up[twin], frame.second->id);
    for (std::size_t head = 0; x != nullptr && y != nullptr && head < x->heads.size(); ++head) {
      if (x->heads[head].score && y->heads[head].score) {
        chart->marks.emplace_back(ChartDot{
            .x = *x->heads[head].score, .y = *y->heads[head].score, .ink = grey, .radius = 3.5F});
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

// A dot for each head that the filter lets through.
void AddHeads(const Ui& ui, const HeadsFrame& frame, Chart* chart) {
  for (std::size_t place = 0; place < frame.heads.count(); ++place) {
    const auto& x = frame.metric->scores->heads[place].score;
    const auto& y = frame.second->scores->heads[place].score;
    const HeadIndex head = frame.heads.At(place);
    if (!x || !y || !IsShown(ui, head, frame.suggestions)) {
      continue;
    }
    const bool is_flagged = FindFlag(FlagsInView(ui.state), head) != nullptr;
    const bool is_suggested = !is_flagged && !frame.suggestions.Of(head).empty();
    chart->marks.emplace_back(ChartDot{.x = *x,
                                       .y = *y,
                                       .ink = {ColorOfHead(ui, frame, head)},
                                       .radius = is_suggested ? 4.5F
                                                 : is_flagged ? 5.0F
                                                              : 4.0F,
                                       .ring = is_suggested ? 2.0F : 0.0F,
                                       .key = place});
    if (head == ui.state.selection.head) {
      chart->marks.emplace_back(
          ChartDot{.x = *x, .y = *y, .ink = {ui.colors().accent}, .radius = 7.5F, .ring = 2.0F});
    }
  }
}

std::string Legend(std::size_t twins) {
  std::string words = "dot: a head · lines: chance";
  if (twins > 0) {
    words += " · grey cloud: heads of shuffled copies";
  }
  return words + " · colour: its role, ring: suggested";
}

}  // namespace

void DrawHeadsScatter(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  if (frame.second == nullptr || !frame.second->best || !frame.metric->best) {
    DrawParagraph(*ui,
                  area.x + ui->Px(24.0F),
                  area.y + ui->Px(20.0F),
                  std::max(ui->Px(60.0F), area.width - ui->Px(48.0F)),
                  frame.report.is_whole()
                      ? "The scatter needs two scores: choose another with y in the list."
                      : "The other score of the scatter is on its way.",
                  Type::kSmall,
                  ui->colors().dim);
    return;
  }
  const auto axis = [&frame](const ScoredMetric& metric) {
    return AxisWithTwins(metric).Named(
        metric, metric.label, " on " + SourceOf(frame.report, metric));
  };
  Chart chart{
      .across = axis(*frame.metric), .up = axis(*frame.second), .signs = Legend(CountTwins(frame))};
  const ChartInk faint{ui->colors().muted, 0.35F};
  chart.LineUp(AxisOf(*frame.metric).chance, faint);
  chart.LineAcross(AxisOf(*frame.second).chance, faint);
  AddTwins(*ui, frame, &chart);
  AddHeads(*ui, frame, &chart);
  const ChartPointed pointed = DrawChart(ui, "scatter", area, chart);
  if (pointed.key) {
    PointAtHead(ui, frame, frame.heads.At(*pointed.key), pointed.clicked);
  }
}

}  // namespace headscope

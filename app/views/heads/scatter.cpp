// Two scores against each other: every dot is a head, the heads of scrambled twins lie behind in
// grey.
#include <algorithm>

#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/figure/score_charts.h"

namespace headscope {
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
  const Chart chart =
      ScatterChart(DrawnHeads(*ui, frame), *frame.metric, *frame.second, ui->colors());
  const ChartPointed pointed = DrawChart(ui, "scatter", area, chart);
  if (pointed.key) {
    PointAtHead(ui, frame, frame.heads.At(*pointed.key), pointed.clicked);
  }
}

}  // namespace headscope

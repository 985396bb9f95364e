// All heads in a plane, near each other where they look alike on the open text: which of them form
// groups, and whether the groups are those of the roles.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "core/base/sentence.h"

namespace headscope {

void DrawHeadsAlike(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const AppState& state = ui->state;
  const HeadPlacesState* const found = HeadPlacesInView(state);
  if (found == nullptr) {
    DrawWordsInstead(ui, area, "Comparing all heads on the open text.");
    return;
  }
  if (found->answer == nullptr) {
    DrawWordsInstead(ui, area, Ended(found->fault));
    return;
  }
  const HeadPlaces& places = *found->answer;
  const float pad = ui->Px(20.0F);
  Pen pen{
      ui, area.x + pad, area.y + ui->Px(8.0F), std::max(ui->Px(60.0F), area.width - 2.0F * pad)};
  pen.Paragraph(
      AlikeWords(places), Type::kSmall, ui->colors().muted, area.height < ui->Px(420.0F) ? 2 : 0);
  const float top = pen.y - area.y + ui->Px(4.0F);
  const Chart chart = AlikeChart(
      places,
      frame.suggestions,
      FlagsInView(state),
      state.selection.head,
      [ui, &frame](HeadIndex head) { return IsShown(*ui, head, frame.suggestions); },
      ui->colors());
  const ChartPointed pointed = DrawChart(
      ui, "alike", {area.x, area.y + top, area.width, std::max(0.0F, area.height - top)}, chart);
  if (pointed.key) {
    PointAtHead(ui, frame, places.heads[*pointed.key].head, pointed.clicked);
  }
}

}  // namespace headscope

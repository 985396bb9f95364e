// The right part of Inspect: one head in full.
#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/state/inspect/joined.h"
#include "app/state/queries.h"
#include "app/views/inspect/head_views.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_panel.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

// The head as it was chosen to be seen; the row that is told lasts as long as the frame.
RowWeights DrawInView(Pen* pen, const FullMap& full) {
  Ui* const ui = pen->ui;
  const bool is_one_text = full.query_tokens == full.key_tokens;
  const bool dimmed = IsDimmed(*ui, full.stale, full.outdated);
  const float text_height = ui->Px(is_one_text ? 84.0F : 54.0F);
  HeadPanel panel{.full = full, .dimmed = dimmed, .below = ui->Px(is_one_text ? 330.0F : 380.0F)};
  const HeadView view = ui->state.head_look.view;
  if (view != HeadView::kLines && view != HeadView::kArcs && view != HeadView::kText) {
    ui->memory->points_at_key = false;
  }
  switch (view) {
    case HeadView::kMap:
      return DrawMapPanel(pen,
                          {.full = full,
                           .scale = ScaleInFull(ui->state, full),
                           .dimmed = dimmed,
                           .below = ui->Px(is_one_text ? 250.0F : 300.0F),
                           .text_height = text_height});
    case HeadView::kLines:
      DrawLinesView(pen, panel);
      break;
    case HeadView::kArcs:
      DrawArcsView(pen, panel);
      break;
    case HeadView::kText:
      // The text is the view.
      panel.below = ui->Px(250.0F);
      DrawTextView(pen, panel);
      return RowInFull(ui, full);
    case HeadView::kPair:
      DrawPairView(pen, panel);
      break;
    case HeadView::kSteps:
      DrawStepsView(pen, panel);
      break;
  }
  pen->Skip(12.0F);
  const RowWeights row = RowInFull(ui, full);
  DrawShadedSentence(pen, text_height, row);
  return row;
}

}  // namespace

void DrawHeadDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  const FullMap full = MapInFull(ui->state);
  if (panel.width <= 0.0F || full.query_tokens == nullptr || full.key_tokens == nullptr) {
    return;
  }
  const HeadIndex head = ui->state.selection.head;
  ui->memory->pointing = false;
  const std::string name = full.is_joined ? JoinedBriefly(ui->state) : HeadName(head);
  Pen pen = BeginDetail(ui, name);
  DrawDetailHeader(&pen, name);
  pen.Skip(8.0F);
  const HeadView view = ui->state.head_look.view;
  if (view == HeadView::kMap || view == HeadView::kLines) {
    DrawFit(ui, pen.x + pen.width, pen.y);
  }
  if (full.is_joined) {
    DrawJoinedWords(&pen, full);
  } else {
    DrawFlagLine(&pen);
    pen.Skip(6.0F);
    DrawHeadWords(&pen, full);
  }
  DrawHiddenWords(&pen, full);
  pen.Skip(8.0F);
  const float views = DrawViewChoice(&pen);
  if (view == HeadView::kMap) {
    DrawMapOfChoice(&pen, views);
  }
  pen.Skip(8.0F);
  const RowWeights row = DrawInView(&pen, full);
  pen.Skip(12.0F);
  DrawCutLine(&pen);
  const float why = WhyHeight(*ui) + NextWordHeight(*ui) + LossStripHeight(*ui);
  const float left = panel.y + panel.height - pen.y - ui->Px(8.0F) - why;
  DrawRowBars(&pen, std::max(left, ui->Px(why > 0.0F ? 130.0F : 140.0F)), row);
  DrawLossStrip(&pen);
  DrawWhyCell(&pen);
  DrawNextWord(&pen);
  EndDetail(ui, pen.y);
}

}  // namespace headscope

// The right part of Inspect: one head in full.
#include <algorithm>

#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/flags/head_flag.h"
#include "app/views/inspect/row_panel.h"
#include "app/views/inspect/why_panel.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_panel.h"
#include "app/views/panels.h"

namespace headscope {

void DrawHeadDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  const FullMap full = MapInFull(ui->state);
  if (panel.width <= 0.0F || full.query_tokens == nullptr || full.key_tokens == nullptr) {
    return;
  }
  const HeadIndex head = ui->state.selection.head;
  const float pad = ui->Px(18.0F);
  const float x = panel.x + pad;
  const float width = panel.width - 2.0F * pad;
  ui->memory->pointing = false;
  float y = BeginDetail(ui, panel, HeadName(head)) + ui->Px(14.0F);
  y += DrawDetailHeader(ui, x, y, width, HeadName(head)) + ui->Px(8.0F);
  DrawFit(ui, x + width, y);
  y += DrawFlagLine(ui, x, y, width) + ui->Px(8.0F);
  const bool is_one_text = full.query_tokens == full.key_tokens;
  const DrawnMap drawn = DrawMapPanel(ui,
                                      x,
                                      y,
                                      width,
                                      {.full = full,
                                       .scale = ScaleFor(ui->state, head),
                                       .dimmed = IsDimmed(*ui, full.stale, full.outdated),
                                       .below = ui->Px(is_one_text ? 250.0F : 300.0F),
                                       .text_height = ui->Px(is_one_text ? 84.0F : 54.0F)});
  y = drawn.bottom + ui->Px(12.0F);
  const float why = WhyHeight(*ui);
  const float left = panel.y + panel.height - y - ui->Px(8.0F) - why;
  y +=
      DrawRowBars(ui, x, y, width, std::max(left, ui->Px(why > 0.0F ? 130.0F : 140.0F)), drawn.row);
  DrawWhyCell(ui, x, y + ui->Px(10.0F), width);
  y += why;
  EndDetail(ui, y);
}

}  // namespace headscope

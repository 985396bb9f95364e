// Over the grid while heads are taken away: which, what stands in their place, what it costs, and the
// way back.
#include <algorithm>
#include <array>
#include <string>

#include <imgui.h>

#include "app/state/inspect/head_control.h"
#include "app/state/inspect/heads_off.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kOffLine = 28.0F;  // unscaled

constexpr std::array<SegmentChoice, 3> kReplacements = {{
    {"zero", "The head's output is 0 in every row: further from what later layers are used to"},
    {"mean of other texts",
     "The head's output is what it is on the mean over 200 bundled sentences, in every row: it says "
     "nothing of this text. They are run once for a model"},
    {"mean of this text",
     "The head's output is its own mean over this text's rows, in every row: it no longer tells "
     "one row from another"},
}};
constexpr std::array<SegmentChoice, 2> kRestOfRow = {{
    {"rest stays", "Weights that are cut are 0; the rest of their row stays as it was"},
    {"renormalised",
     "Weights that are cut are 0; the rest of their row is divided by its sum, as if the key were "
     "masked"},
}};
constexpr std::array kReplacementOrder = {
    Replacement::kZero, Replacement::kProbeMean, Replacement::kTextMean};

// What the heads cost, and what others do; a reason that holds for both once.
std::string CostAndControl(const AppState& state, const std::string& control) {
  const std::string& why_not = state.heads_off.said.why_not;
  const std::string cost = HeadsOffCost(state);
  if (!why_not.empty() && cost.ends_with(why_not) && control.ends_with(why_not)) {
    return "no loss and no control: " + why_not;
  }
  return control.empty() ? cost : cost + "; " + control;
}

}  // namespace

float DrawHeadsOff(Ui* ui, const Rect& area) {
  const HeadsOffState& off = ui->state.heads_off;
  if (off.chosen.IsEmpty()) {
    return 0.0F;
  }
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(16.0F);
  const float visible = std::max(ui->Px(60.0F), ui->layout.middle_visible.width - 2.0F * pad);
  const std::string title = HeadsOffTitle(ui->state);
  const std::string control = ControlWords(ui->state);
  const std::string cost = CostAndControl(ui->state, control);
  Pen pen{ui, area.x + pad, area.y, visible};
  pen.Skip(8.0F);
  Row row = pen.Line(20.0F);
  const float title_width =
      DrawTextIn(*ui, row.rest(), title, Type::kBold, colors.text, row.rest().width);
  row.Left(title_width);
  row.Skip(14.0F);
  const bool fits = TextWidth(*ui, cost, Type::kBody) <= row.rest().width;
  Area(ui,
       "heads off",
       row.whole(),
       title + "\n" + cost +
           "\nThe loss is the mean over this text's tokens. A small change is no proof of a small "
           "role: another head may do the work when one is missing.\n" +
           ControlMore());
  if (fits) {
    row.Text(cost, Type::kBody, colors.muted);
  } else {
    pen.Paragraph(cost, Type::kBody, colors.muted, 2);
  }
  pen.Skip(6.0F);
  const auto chosen = std::ranges::find(kReplacementOrder, off.chosen.replacement);
  Flow flow(ui, {pen.x - pad, pen.y - ui->Px(6.0F), visible + pad, ui->Px(kOffLine)});
  if (!off.chosen.heads.empty()) {
    auto choices = kReplacements;
    const std::string why_not = WhyNoOtherTexts(ui->state);
    if (!why_not.empty()) {
      choices[1].enabled = false;
      choices[1].tooltip = why_not;
    }
    if (const int pressed = flow.Segments(
            "replacement", choices, static_cast<int>(chosen - kReplacementOrder.begin()));
        pressed >= 0) {
      ui->Do(ReplaceHeadsBy{kReplacementOrder.at(static_cast<std::size_t>(pressed))});
    }
  }
  if (!off.chosen.edges.empty()) {
    if (const int pressed =
            flow.Segments("rest of row", kRestOfRow, off.chosen.renormalises ? 1 : 0);
        pressed >= 0) {
      ui->Do(RenormaliseCuts{pressed == 1});
    }
  }
  if (flow.Button("whole model",
                  {.text = off.shows_whole ? "Without them again" : "Whole model",
                   .key = "B",
                   .tooltip = "The maps with all heads, for a look at the difference (B)",
                   .active = off.shows_whole})) {
    ui->Do(ShowWhole{!off.shows_whole});
  }
  if (control.empty() && ControlInView(ui->state) && IsControlOnRequest(ui->state) &&
      flow.Button(
          "control",
          {.text = "Other heads",
           .tooltip = "What do as many other heads of the same layers cost, drawn at random?"})) {
    ui->Do(AskControl);
  }
  if (flow.Button("put back",
                  {.text = "Put back",
                   .tooltip = "All heads and edges again (Alt ← undoes the last step)"})) {
    ui->Do(PutHeadsBack);
  }
  const float bottom = pen.y - ui->Px(6.0F) + flow.height();
  const Rect band{area.x, area.y, ui->layout.middle_visible.width, bottom - area.y};
  FillRect(*ui, {band.x, band.y, ui->Px(4.0F), band.height}, kOffInk, 0.0F);
  FillRect(*ui,
           {band.x, band.y + band.height - ui->Px(1.0F), band.width, ui->Px(1.0F)},
           colors.line,
           0.0F);
  return band.height;
}

void DrawOffCross(const Ui& ui, const Rect& cell) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const std::uint32_t ink = ToImGui(kOffInk);
  const float thick = 1.5F * ui.scale;
  list->AddLine({cell.x, cell.y}, {cell.x + cell.width, cell.y + cell.height}, ink, thick);
  list->AddLine({cell.x + cell.width, cell.y}, {cell.x, cell.y + cell.height}, ink, thick);
}

void DrawOffMark(const Ui& ui, const Rect& cell) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->AddRectFilled({cell.x, cell.y},
                      {cell.x + cell.width, cell.y + cell.height},
                      ToImGui(ui.colors().background, 0.78F));
  DrawOffCross(ui, cell);
  FrameRect(ui, cell, kOffInk, 2.0F, 1.5F);
  const LabelTexture label = LabelOf(ui, "off", Type::kBold);
  if (label.width + ui.Px(8.0F) < cell.width && label.height + ui.Px(4.0F) < cell.height) {
    const float x = cell.x + (cell.width - label.width) / 2.0F;
    const float y = cell.y + (cell.height - label.height) / 2.0F;
    FillRect(
        ui,
        {x - ui.Px(4.0F), y - ui.Px(1.0F), label.width + ui.Px(8.0F), label.height + ui.Px(2.0F)},
        ui.colors().background,
        3.0F);
    DrawText(ui, x, y, "off", Type::kBold, ui.colors().text);
  }
}

void DrawCutMark(const Ui& ui, const Rect& cell) {
  const float side = std::min({ui.Px(7.0F), cell.width / 3.0F, cell.height / 3.0F});
  const float pad = ui.Px(2.0F);
  const Rect mark{cell.x + pad, cell.y + pad, side, side};
  FillRect(
      ui, {cell.x, cell.y, side + 2.0F * pad, side + 2.0F * pad}, ui.colors().background, 0.0F);
  DrawOffCross(ui, mark);
}

void DrawChangedMark(const Ui& ui, const Rect& cell, bool is_there) {
  const float side = std::min({ui.Px(9.0F), cell.width / 3.0F, cell.height / 3.0F});
  const float right = cell.x + cell.width;
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ImVec2 corner{right, cell.y};
  if (is_there) {
    list->AddTriangleFilled(
        {right - side, cell.y}, corner, {right, cell.y + side}, ToImGui(kOffInk));
  } else {
    list->AddTriangle({right - side, cell.y}, corner, {right, cell.y + side}, ToImGui(kOffInk));
  }
}

}  // namespace headscope

// The screens, at the left.
#include <array>
#include <string>

#include <imgui.h>

#include "app/views/panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

struct Entry {
  Screen screen;
  const char* name;
  const char* tooltip;
  bool ready;
};

constexpr std::array<Entry, 6> kEntries = {{
    {Screen::kInspect, "Inspect", "All heads, and one in full (1)", true},
    {Screen::kCounts, "Counts", "One layer cut into 1, 2, 4, ... heads (2)", true},
    {Screen::kHeads, "Heads", "Scores of all heads: not yet", false},
    {Screen::kCompare, "Compare", "Two texts or two models side by side: not yet", false},
    {Screen::kFigures,
     "Figures",
     "Figures for paper: not yet. Export (Ctrl+E) saves PNG and PDF.",
     false},
    {Screen::kHelp, "Help", "Keys, mouse and what the words mean (6 or ?)", true},
}};

// Icons of 20 x 20 unscaled pixels around (x, y).
void DrawIcon(const Ui& ui, Screen screen, float x, float y, std::uint32_t ink) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto p = [&](float dx, float dy) { return ImVec2(x + dx * ui.scale, y + dy * ui.scale); };
  const float thick = 1.5F * ui.scale;
  switch (screen) {
    case Screen::kInspect:
      for (int row = 0; row < 3; ++row) {
        for (int col = 0; col < 3; ++col) {
          const auto dx = static_cast<float>(col * 6 - 8);
          const auto dy = static_cast<float>(row * 6 - 8);
          list->AddRectFilled(p(dx, dy), p(dx + 4.5F, dy + 4.5F), ink, ui.scale);
        }
      }
      break;
    case Screen::kCounts:
      list->AddRect(p(-8.0F, -8.5F), p(8.0F, -3.0F), ink, ui.scale, 0, thick);
      list->AddRect(p(-8.0F, 0.0F), p(-1.5F, 6.0F), ink, ui.scale, 0, thick);
      list->AddRect(p(1.5F, 0.0F), p(8.0F, 6.0F), ink, ui.scale, 0, thick);
      break;
    case Screen::kHeads:
      list->AddLine(p(-6.0F, -8.0F), p(-6.0F, 8.0F), ink, thick);
      list->AddTriangleFilled(p(-6.0F, -8.0F), p(7.0F, -4.0F), p(-6.0F, 0.5F), ink);
      break;
    case Screen::kCompare:
      list->AddLine(p(-8.0F, -3.5F), p(7.0F, -3.5F), ink, thick);
      list->AddLine(p(3.5F, -7.0F), p(7.5F, -3.5F), ink, thick);
      list->AddLine(p(8.0F, 3.5F), p(-7.0F, 3.5F), ink, thick);
      list->AddLine(p(-3.5F, 7.0F), p(-7.5F, 3.5F), ink, thick);
      break;
    case Screen::kFigures:
      list->AddRect(p(-8.0F, -8.0F), p(8.0F, 8.0F), ink, 2.0F * ui.scale, 0, thick);
      list->AddLine(p(-4.5F, -3.0F), p(4.5F, -3.0F), ink, thick);
      list->AddLine(p(-4.5F, 0.5F), p(4.5F, 0.5F), ink, thick);
      list->AddLine(p(-4.5F, 4.0F), p(1.0F, 4.0F), ink, thick);
      break;
    case Screen::kHelp:
      list->PathArcTo(p(0.0F, -3.0F), 4.5F * ui.scale, -3.3F, 1.1F, 16);
      list->PathLineTo(p(0.0F, 3.5F));
      list->PathStroke(ink, 0, thick);
      list->AddCircleFilled(p(0.0F, 7.5F), 1.3F * ui.scale, ink);
      break;
  }
}

}  // namespace

void DrawRail(Ui* ui) {
  const Rect& rail = ui->layout.rail;
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(5.0F);
  const float height =
      std::min(ui->Px(56.0F), (rail.height - ui->Px(8.0F)) / static_cast<float>(kEntries.size()));
  float y = rail.y + ui->Px(8.0F);
  for (const Entry& entry : kEntries) {
    const Rect rect{rail.x + pad, y, rail.width - 2.0F * pad, height - ui->Px(4.0F)};
    const bool chosen = ui->state.screen == entry.screen;
    const Pressed area = Area(ui, entry.name, rect, entry.tooltip);
    if (chosen || (entry.ready && area.hovered)) {
      FillRect(*ui, rect, colors.raised, 7.0F);
    }
    const Rgb ink = chosen ? colors.text : (entry.ready ? colors.muted : colors.dim);
    const float icon_y = rect.y + rect.height / 2.0F - ui->Px(9.0F);
    DrawIcon(*ui,
             entry.screen,
             rect.x + rect.width / 2.0F,
             icon_y,
             ToImGui(ink, entry.ready ? 1.0F : 0.6F));
    const LabelTexture label = LabelOf(*ui, entry.name, Type::kSmall);
    DrawText(*ui,
             rect.x + (rect.width - label.width) / 2.0F,
             icon_y + ui->Px(13.0F),
             entry.name,
             Type::kSmall,
             ink);
    if (area.clicked && entry.ready) {
      ui->Do(SetScreen{entry.screen});
    }
    y += height;
  }
}

}  // namespace headscope

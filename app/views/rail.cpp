// The screens, at the left.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/pen.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

// "Help: keys, mouse and what the words mean (6 or ?)"
std::string Tooltip(const ScreenKind& screen) {
  const std::string keys = KeysOf(screen);
  return fmt::format("{}: {}{}", screen.name, screen.about, keys.empty() ? "" : " (" + keys + ")");
}

}  // namespace

void DrawRail(Ui* ui) {
  const Rect& rail = ui->layout.rail;
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(5.0F);
  const auto screens = AllScreens();
  const float height =
      std::min(ui->Px(56.0F), (rail.height - ui->Px(8.0F)) / static_cast<float>(screens.size()));
  Pen pen{ui, rail.x + pad, rail.y + ui->Px(8.0F), rail.width - 2.0F * pad};
  for (const Screen* screen : screens) {
    const ScreenKind& kind = screen->kind;
    Rect rect = pen.Take(height);
    rect.height -= ui->Px(4.0F);
    const bool chosen = &CurrentScreen(ui->state) == screen;
    const std::string name(kind.name);
    const Pressed area = Area(ui, name.c_str(), rect, Tooltip(kind));
    if (chosen || (kind.is_ready && area.hovered)) {
      FillRect(*ui, rect, colors.raised, 7.0F);
    }
    const Rgb ink = chosen ? colors.text : (kind.is_ready ? colors.muted : colors.dim);
    const float icon_y = rect.y + rect.height / 2.0F - ui->Px(9.0F);
    screen->icon(IconPen(
        *ui, rect.x + rect.width / 2.0F, icon_y, ToImGui(ink, kind.is_ready ? 1.0F : 0.6F)));
    Row(ui, {rect.x, icon_y + ui->Px(13.0F), rect.width, 0.0F}, true)
        .TextMiddle(kind.name, Type::kSmall, ink);
    if (area.clicked && kind.is_ready) {
      ui->Do(SetScreen{&kind});
    }
  }
}

}  // namespace headscope

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

// How many there are, at the icon's upper right.
void DrawCount(Ui* ui, const Rect& rect, std::size_t count) {
  const std::string words = fmt::format("{}", count);
  const float height = ui->Px(16.0F);
  const float width = std::max(height, TextWidth(*ui, words, Type::kSmall) + ui->Px(8.0F));
  const Rect place{rect.x + rect.width / 2.0F + ui->Px(6.0F), rect.y, width, height};
  FillRect(*ui, place, ui->colors().accent, 8.0F);
  Row(ui, place).TextMiddle(words, Type::kSmall, ui->colors().background);
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
    if (chosen || area.hovered) {
      FillRect(*ui, rect, colors.raised, 7.0F);
    }
    const Rgb ink = chosen ? colors.text : colors.muted;
    const float icon_y = rect.y + rect.height / 2.0F - ui->Px(9.0F);
    screen->icon(IconPen(*ui, rect.x + rect.width / 2.0F, icon_y, ToImGui(ink, 1.0F)));
    if (kind.shows_figures && !ui->state.figures.kept.empty()) {
      DrawCount(ui, rect, ui->state.figures.kept.size());
    }
    Row(ui, {rect.x, icon_y + ui->Px(13.0F), rect.width, 0.0F}, true)
        .TextMiddle(kind.name, Type::kSmall, ink);
    if (area.clicked) {
      ui->Do(SetScreen{&kind});
    }
  }
}

}  // namespace headscope

#include "app/views/kit/detail_header.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/kit/widgets.h"
#include "app/views/screens.h"
#include "core/base/parse_number.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

struct Arrow {
  const char* id;
  float dx;
  float dy;
  const char* tooltip;
};

constexpr std::array<Arrow, 4> kArrows = {{
    {"previous head", -1.0F, 0.0F, "Previous head (left arrow)"},
    {"next head", 1.0F, 0.0F, "Next head (right arrow)"},
    {"previous layer", 0.0F, -1.0F, "Previous layer (up arrow)"},
    {"next layer", 0.0F, 1.0F, "Next layer (down arrow)"},
}};

void DrawArrow(const Ui& ui, const Rect& rect, float dx, float dy, Rgb color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float cx = rect.x + rect.width / 2.0F;
  const float cy = rect.y + rect.height / 2.0F;
  const float arm = ui.Px(4.5F);
  const float head = ui.Px(3.0F);
  const ImVec2 tip{cx + dx * arm, cy + dy * arm};
  const std::uint32_t ink = ToImGui(color);
  const float thick = 1.3F * ui.scale;
  list->AddLine({cx - dx * arm, cy - dy * arm}, tip, ink, thick);
  list->AddLine({tip.x - dx * head + dy * head, tip.y - dy * head + dx * head}, tip, ink, thick);
  list->AddLine({tip.x - dx * head - dy * head, tip.y - dy * head - dx * head}, tip, ink, thick);
}

}  // namespace

Pen BeginDetail(Ui* ui, std::string_view title) {
  const Rect& panel = ui->layout.detail;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  // A map that is drawn again says again where it is.
  const Rect map = std::exchange(ui->memory->map_rect, {});
  const bool over_map = Contains(map, mouse.x, mouse.y);
  ImGui::SetCursorScreenPos({panel.x, panel.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::BeginChild("detail",
                    {panel.width, panel.height},
                    false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                        (over_map ? ImGuiWindowFlags_NoScrollWithMouse : 0));
  ImGui::PopStyleVar();
  std::string shown = fmt::format("{} {}", CurrentScreen(ui->state).kind.id, title);
  const float pad = ui->Px(18.0F);
  Pen pen{ui, panel.x + pad, panel.y, panel.width - 2.0F * pad};
  pen.Skip(14.0F);
  if (shown == ui->memory->detail_shown) {
    pen.y -= ImGui::GetScrollY();
    return pen;
  }
  ui->memory->detail_shown = std::move(shown);
  ImGui::SetScrollY(0.0F);  // from the next frame on
  ui->WakeIn(0.0);
  return pen;
}

void EndDetail(Ui* ui, float bottom) {
  const Rect& panel = ui->layout.detail;
  ImGui::SetCursorScreenPos({panel.x, bottom});
  ImGui::Dummy({1.0F, ui->Px(8.0F)});
  ImGui::EndChild();
  const Selection& selection = ui->state.selection;
  if (!ui->memory->pointing && !selection.point_locked && selection.point) {
    ui->Do(PointNowhere);
  }
  if (!ui->memory->pointing) {
    ui->memory->pointed.reset();
  }
}

void PointAt(Ui* ui, const MapPoint& point) {
  ViewMemory& memory = *ui->memory;
  const Selection& selection = ui->state.selection;
  memory.pointing = true;
  if (!selection.point_locked && selection.point != point && memory.pointed != point) {
    memory.pointed = point;
    ui->Do(PointCell{point});
  }
}

void DrawCloseSheet(Row* row) {
  Ui* const ui = row->ui();
  if (!ui->layout.narrow) {
    return;
  }
  if (Button(ui,
             "close sheet",
             row->Right(ui->Px(30.0F)),
             {.text = "×", .tooltip = "Close (Esc)", .bare = true})) {
    ui->Do(ShowSheet{false});
  }
  row->SkipRight(6.0F);
}

void DrawDetailHeader(Pen* pen, std::string_view title, bool can_flag) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Row row = pen->Line(30.0F);
  DrawCloseSheet(&row);
  const auto open = [&](const char* id, const ButtonLook& look, Popup popup) {
    PopupButton(ui, id, row.Right(ButtonWidth(*ui, look)), look, popup);
    row.SkipRight(8.0F);
  };
  open("export",
       {.text = "Export",
        .key = "Ctrl E",
        .tooltip = "Save this head, its layer, all heads or the head counts as PNG or PDF"},
       Popup::kExport);
  if (can_flag) {
    open("flag",
         {.text = "Flag",
          .key = "F",
          .tooltip = "Say what this head does; kept in the session file"},
         Popup::kFlag);
  }

  row.Left(DrawTextIn(*ui, row.rest(), title, Type::kTitle, colors.text, row.rest().width));
  row.Skip(14.0F);
  const float side = ui->Px(22.0F);
  for (const Arrow& arrow : kArrows) {
    if (side > row.rest().width + ui->Px(2.0F)) {
      break;
    }
    const Rect rect = Inset(row.Left(side), 0.0F, (row.whole().height - side) / 2.0F);
    const Pressed area = Area(ui, arrow.id, rect, arrow.tooltip);
    if (area.hovered) {
      FillRect(*ui, rect, colors.raised, 5.0F);
    }
    FrameRect(*ui, rect, colors.line, 5.0F);
    DrawArrow(*ui, rect, arrow.dx, arrow.dy, area.hovered ? colors.text : colors.muted);
    if (area.clicked) {
      ui->Do(StepHead{.layers = static_cast<std::int64_t>(arrow.dy),
                      .heads = static_cast<std::int64_t>(arrow.dx)});
    }
    row.Skip(6.0F);
  }
  const ButtonLook look{.text = "kept",
                        .tooltip =
                            "The pointer on the grid does not change this head. Esc, a "
                            "second click or this button releases it.",
                        .type = Type::kSmall,
                        .bare = true};
  if (ui->state.selection.head_locked && ButtonWidth(*ui, look) < row.rest().width + ui->Px(8.0F) &&
      row.Button("release", look)) {
    ui->Do(ClickHead{ui->state.selection.head});
  }
}

Rgb ColorFromHex(std::string_view hex) {
  const auto packed = hex.size() == 7 && hex.front() == '#'
                          ? ParseAs<std::uint32_t>(hex.substr(1), 16)
                          : std::nullopt;
  return RgbOf(packed.value_or(ColourOfRole("")));
}

std::string HexOf(Rgb color) {
  return fmt::format("#{:02X}{:02X}{:02X}", color.r, color.g, color.b);
}

bool StaleTooLong(const Ui& ui) {
  const AppState& state = ui.state;
  return !state.pending.layers.empty() && state.pending.request != 0 &&
         ui.now_s - state.pending.started_s > 0.1;
}

bool IsDimmed(const Ui& ui, bool stale, bool outdated) {
  return outdated || (stale && StaleTooLong(ui));
}

}  // namespace headscope

// The whole window for one frame: the panels' colours below, the panels on them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <imgui.h>

#include "app/state/queries.h"
#include "app/state/walk/words.h"
#include "app/views/counts/panels.h"
#include "app/views/help/tour.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/pen.h"
#include "app/views/maps/map_textures.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void PaintGrounds(const Ui& ui, float toolbar) {
  const ThemeColors& colors = ui.colors();
  const WindowLayout& at = ui.layout;
  const auto ground = [&ui](Panel panel, const Rect& rect, Rgb color) {
    ui.region(panel).rect = rect;
    ui.region(panel).background = color;
  };
  const auto edge = [&ui](Panel panel, const Rect& rect) {
    ui.region(panel).fills.push_back({rect, ui.colors().line});
  };
  const float line = std::max(1.0F, ui.Px(1.0F));
  const Rect& middle = at.middle_visible;
  ground(Panel::kTop, at.top, colors.panel);
  ground(Panel::kRail, at.rail, colors.panel);
  ground(Panel::kStatus, at.status, colors.panel);
  ground(Panel::kDetail, at.detail, colors.panel);
  ground(Panel::kToolbar, {middle.x, middle.y, middle.width, toolbar}, colors.background);
  ground(Panel::kMiddle,
         {middle.x, middle.y + toolbar, middle.width, std::max(0.0F, middle.height - toolbar)},
         colors.background);
  edge(Panel::kTop, {at.top.x, at.top.y + at.top.height - line, at.top.width, line});
  edge(Panel::kRail, {at.rail.x + at.rail.width - line, at.rail.y, line, at.rail.height});
  edge(Panel::kStatus, {at.status.x, at.status.y, at.status.width, line});
  if (toolbar > 0.0F) {
    edge(Panel::kToolbar, {middle.x, middle.y + toolbar - line, middle.width, line});
  }
  if (at.detail.width > 0.0F) {
    edge(Panel::kDetail, {at.detail.x, at.detail.y, line, at.detail.height});
  }
}

void DrawSplitter(Ui* ui) {
  const Rect& detail = ui->layout.detail;
  if (ui->layout.narrow || detail.width <= 0.0F) {
    return;
  }
  // A child of its own lies over both sides, scroll bars included: whatever stands beside the line
  // does not take the button from it.
  const float half = ui->Px(6.0F);
  const Rect rect{detail.x - half, detail.y, 2.0F * half, detail.height};
  BeginScroll("splitter place", rect);
  const Pressed area = Area(ui, "splitter", rect, "");
  if (ImGui::IsItemActive() || area.hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    ImGui::GetWindowDrawList()->AddLine({detail.x, detail.y},
                                        {detail.x, detail.y + detail.height},
                                        ToImGui(ui->colors().accent),
                                        2.0F * ui->scale);
  }
  if (ImGui::IsItemActive() && ImGui::GetIO().MouseDelta.x != 0.0F) {
    const float right = detail.x + detail.width;
    ui->Do(SetDetailWidth{(right - ImGui::GetIO().MousePos.x) / ui->scale});
  }
  EndScroll();
}

// Where the sheet is closed a tab below the maps opens it.
bool HasSheetTab(const Ui& ui) {
  const WindowLayout& at = ui.layout;
  return at.narrow && at.detail.width <= 0.0F && ShownLayers(ui.state) > 0 &&
         CurrentScreen(ui.state).kind.subject != ScreenSubject::kNothing;
}

// What the sheet shows.
std::string SheetName(const AppState& state) {
  if (IsWalking(state)) {
    return StageTitle(state.walk.stage);
  }
  if (CurrentScreen(state).kind.subject == ScreenSubject::kHeadCounts) {
    if (const std::optional<ChosenCount> chosen = ChosenOf(state)) {
      return CutName(state.counts.result->counts[chosen->count], chosen->head);
    }
  }
  return HeadName(state.selection.head);
}

void DrawSheetTab(Ui* ui) {
  const WindowLayout& at = ui->layout;
  const std::string name = SheetName(ui->state) + " ▸";
  const ButtonLook look{.text = name, .tooltip = "Show this map in full"};
  const float top = at.middle.y + at.middle.height - ui->Px(8.0F) - ui->Px(32.0F);
  Row row(ui, {at.middle.x, top, at.middle.width - ui->Px(16.0F), ui->Px(32.0F)});
  const Rect rect = row.Right(ButtonWidth(*ui, look));
  BeginScroll("sheet tab", rect);
  if (Button(ui, "open sheet", rect, look)) {
    ui->Do(ShowSheet{true});
  }
  EndScroll();
}

// Over the maps; where the sheet leaves nothing of them, over its lower half, which has no buttons
// that nothing else does.
Rect PlaceOfNotices(const Ui& ui, const Rect& body) {
  constexpr float kLeast = 240.0F;
  const Rect& sheet = ui.layout.detail;
  const float wide = ui.layout.middle_visible.width;
  if (wide < ui.Px(kLeast) && sheet.width > wide) {
    const float half = std::floor(sheet.height / 2.0F);
    return {sheet.x, sheet.y + half, sheet.width, sheet.height - half};
  }
  const float from = std::max(body.y, ui.notices_from);
  return {body.x, from, wide, body.y + body.height - from};
}

// A cross over the whole window that is seen from the last row, and how one leaves.
void DrawPresenter(const Ui& ui) {
  ImDrawList* const list = ImGui::GetForegroundDrawList();
  const Rect& window = ui.layout.window;
  const ImVec2 at = ImGui::GetIO().MousePos;
  if (Contains(window, at.x, at.y)) {
    const std::uint32_t ink = ToImGui(ui.colors().accent, 0.55F);
    const float gap = ui.Px(14.0F);
    const float thick = ui.Px(2.0F);
    list->AddLine({window.x, at.y}, {at.x - gap, at.y}, ink, thick);
    list->AddLine({at.x + gap, at.y}, {window.width, at.y}, ink, thick);
    list->AddLine({at.x, window.y}, {at.x, at.y - gap}, ink, thick);
    list->AddLine({at.x, at.y + gap}, {at.x, window.height}, ink, thick);
    list->AddCircle(at, gap, ink, 32, thick);
  }
  const std::string words = "F5 ends presenting";
  DrawText(ui, ui.Px(12.0F), window.height - ui.Px(22.0F), words, Type::kSmall, ui.colors().muted);
}

}  // namespace

void DrawWindow(Ui* ui) {
  const WindowLayout& at = ui->layout;
  ui->scene->theme = ui->state.theme;
  ui->scene->regions.assign(static_cast<std::size_t>(Panel::kCount), SceneRegion{});
  ImGui::SetNextWindowPos({0.0F, 0.0F});
  ImGui::SetNextWindowSize({at.window.width, at.window.height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0.0F, 0.0F));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0.0F);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0F);
  ImGui::Begin("Headscope",
               nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar(3);

  TakeTourKeys(ui);
  HandleKeys(ui);
  DrawTopBar(ui);
  const AppState& state = ui->state;
  if (!state.presenting) {
    DrawRail(ui);
    DrawStatusLine(ui);
  }
  const bool has_picture = state.shown.request != 0 || !state.pending.layers.empty();
  const Screen& screen = CurrentScreen(state);
  const bool has_maps = screen.kind.subject != ScreenSubject::kNothing;
  // The sheet covers all that reaches below it, to the eye and to the mouse.
  const Rect& seen = at.middle_visible;
  ImGui::PushClipRect({seen.x, seen.y}, {seen.x + seen.width, seen.y + seen.height}, true);
  float toolbar = 0.0F;
  if (screen.toolbar != nullptr && at.middle_visible.width > 0.0F && !state.presenting) {
    toolbar = screen.toolbar(ui, at.middle_visible);
  }
  toolbar = std::min(toolbar, at.middle.height);  // a window may be smaller than its toolbar
  PaintGrounds(*ui, toolbar);
  Pen notes{ui, at.middle.x, at.middle.y + toolbar, at.middle_visible.width};
  if (has_maps && notes.width > 0.0F) {
    DrawTokenizerNote(&notes);
    DrawOutdatedNote(&notes);
  }
  const float tab = HasSheetTab(*ui) ? ui->Px(48.0F) : 0.0F;
  const Rect body{at.middle.x,
                  notes.y,
                  at.middle.width,
                  std::max(0.0F, at.middle.y + at.middle.height - notes.y - tab)};
  if (!has_maps) {
    screen.body(ui, {body.x, body.y, at.middle_visible.width, body.height});
  } else if ((!has_picture || SelectedLayer(state).layer == nullptr) && !ShowsScoresAlone(state)) {
    DrawEmpty(ui, body);
  } else {
    screen.body(ui, body);
  }
  ImGui::PopClipRect();
  screen.detail(ui);
  DrawSplitter(ui);
  if (tab > 0.0F) {
    DrawSheetTab(ui);
  }
  DrawNotices(ui, PlaceOfNotices(*ui, body));
  if (state.presenting) {
    DrawPresenter(*ui);
  }
  DrawPopups(ui);
  ImGui::End();
  DrawTour(ui);
  if (ui->maps->Behind()) {
    ui->WakeIn(0.0);
  }
}

}  // namespace headscope

// The walk from one head to h heads: steps, matrices, keys.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/state/walk/words.h"
#include "app/views/kit/pen.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "app/views/walk/panels.h"
#include "app/views/walk/picture.h"

namespace headscope {
namespace {

WalkStage Stepped(WalkStage stage, int by) {
  return static_cast<WalkStage>(std::clamp(static_cast<int>(stage) + by, 0, kWalkStages - 1));
}

// "‹ Head 4 of 12 ›".
struct Stepper {
  const char* id;
  std::string words;
  const char* before;
  const char* after;
};
int DrawStepper(Ui* ui, Flow* flow, const Stepper& stepper) {
  const float side = ui->Px(28.0F);
  const float width = TextWidth(*ui, stepper.words, Type::kBody) + 2.0F * ui->Px(8.0F);
  Row row(ui, flow->Next(width + 2.0F * side, side));
  ImGui::PushID(stepper.id);
  const bool before =
      Button(ui, "before", row.Left(side), {.text = "‹", .tooltip = stepper.before});
  row.Skip(8.0F);
  row.Text(stepper.words, Type::kBody, ui->colors().text);
  const bool after = Button(ui, "after", row.Right(side), {.text = "›", .tooltip = stepper.after});
  ImGui::PopID();
  return after ? 1 : before ? -1 : 0;
}

// The six steps across the window; returns the height.
float DrawTabs(Ui* ui, const Rect& area, float y) {
  const ThemeColors& colors = ui->colors();
  const float height = ui->Px(36.0F);
  const float each = area.width / static_cast<float>(kWalkStages);
  const float pad = std::min(ui->Px(12.0F), each * 0.1F);
  const float number_width = TextWidth(*ui, "6", Type::kMonoSmall) + ui->Px(6.0F);
  // All names, or numbers alone.
  bool has_names = true;
  for (int i = 0; i < kWalkStages; ++i) {
    const float name = TextWidth(*ui, StageName(static_cast<WalkStage>(i)), Type::kBody);
    has_names = has_names && pad + number_width + name <= each;
  }
  for (int i = 0; i < kWalkStages; ++i) {
    const auto stage = static_cast<WalkStage>(i);
    const bool is_chosen = stage == ui->state.walk.stage;
    const Rect tab{area.x + each * static_cast<float>(i), y, each, height};
    const Pressed pressed =
        Area(ui, "step", i, tab, StageTitle(stage) + "\nleft and right go from step to step");
    if (pressed.clicked) {
      ui->Do(ShowStage{stage});
    }
    Row words(ui, tab);
    words.Left(pad);
    const Rgb color = is_chosen || pressed.hovered ? colors.text : colors.muted;
    words.Cell(
        number_width, fmt::format("{}", i + 1), Type::kMonoSmall, has_names ? colors.dim : color);
    if (has_names) {
      words.Text(StageName(stage), Type::kBody, color);
    }
    if (is_chosen) {
      const float thick = ui->Px(3.0F);
      FillRect(*ui, {tab.x, tab.y + height - thick, each, thick}, colors.accent, 0.0F);
    }
  }
  return height;
}

float DrawWalkToolbar(Ui* ui, const Rect& area) {
  Flow flow(ui, area);
  if (flow.Button(
          "tree",
          {.text = "Tree", .key = "W", .tooltip = "Back to the other head counts (W or Esc)"})) {
    ui->Do(ShowWalk{false});
  }
  DrawPartSwitch(ui, &flow);
  const HeadIndex& head = ui->state.selection.head;
  const std::int64_t layers = ShownLayers(ui->state);
  if (layers > 0) {
    const int layer_by = DrawStepper(ui,
                                     &flow,
                                     {"layer",
                                      fmt::format("Layer {} of {}", head.layer, layers),
                                      "Layer before (up arrow)",
                                      "Next layer (down arrow)"});
    const int head_by = DrawStepper(ui,
                                    &flow,
                                    {"head",
                                     fmt::format("Head {} of {}", head.head, ShownHeads(ui->state)),
                                     "Head before ([)",
                                     "Next head (])"});
    if (layer_by != 0 || head_by != 0) {
      ui->Do(StepHead{.layers = layer_by, .heads = head_by});
    }
  }
  const float top = flow.height();
  return top + DrawTabs(ui, area, area.y + top);
}

void DrawSigns(const Ui& ui, const WalkLayout& layout, float left, float top) {
  for (const WalkSign& sign : layout.signs) {
    const float width = TextWidth(ui, sign.text, Type::kBody);
    DrawText(ui,
             left + sign.place.x + (sign.place.width - width) / 2.0F,
             top + sign.place.y + sign.place.height / 2.0F - LineHeight(ui, Type::kBody) / 2.0F,
             sign.text,
             Type::kBody,
             ui.colors().muted);
  }
}

std::string RowsNote(const LayerWalk& walk) {
  return fmt::format("Rows {} to {} of {} tokens are drawn: those around the selected one.",
                     walk.first_row,
                     walk.first_row + walk.rows - 1,
                     walk.shape.queries);
}

void DrawMatrices(Ui* ui, const Rect& area, WalkFrame frame) {
  const LayerWalk& walk = *frame.walk;
  Rect view = area;
  view.width = std::min(area.width, ui->layout.middle_visible.width);
  const float note = walk.rows < walk.shape.queries ? ui->Px(22.0F) : 0.0F;
  const WalkLayout layout =
      LayOutWalk(walk, view.width, std::max(1.0F, view.height - note), ui->scale);
  BeginScroll("walk", view, layout.width > view.width + 1.0F);
  ImGui::Dummy({layout.width, layout.height + note});
  const float left = view.x - ImGui::GetScrollX();
  const float top = view.y - ImGui::GetScrollY() + note;
  if (note > 0.0F) {
    const float x = left + ui->Px(18.0F);
    DrawText(*ui, x, top - note + ui->Px(6.0F), RowsNote(walk), Type::kSmall, ui->colors().muted);
  }
  ui->region(Panel::kMiddle).maps_clip = view;
  frame.view = view;
  for (std::size_t i = 0; i < kWalkPieces; ++i) {
    WalkPlace place = layout.places[i];
    for (Rect* rect : {&place.caption, &place.picture}) {
      rect->x = std::round(rect->x + left);
      rect->y = std::round(rect->y + top);
    }
    DrawWalkPicture(ui, frame, static_cast<WalkPiece>(i), place);
  }
  DrawSigns(*ui, layout, left, top);
  EndScroll();
}

void DrawWalk(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  ui->memory->pointing = false;
  const std::string why_not = WhyNoWalk(state);
  const LayerWalk* const walk = WalkInView(state);
  if (!why_not.empty()) {
    DrawWordsInstead(ui, area, why_not);
  } else if (walk == nullptr) {
    DrawWordsInstead(ui, area, "Making this layer's matrices …");
  } else {
    DrawMatrices(ui, area, WalkFrameOf(state, *walk));
  }
  const Selection& selection = state.selection;
  if (!ui->memory->pointing) {
    ui->memory->pointed.reset();
    if (!selection.point_locked && selection.point) {
      ui->Do(PointNowhere);
    }
  }
}

}  // namespace

float DrawCountsOrWalkToolbar(Ui* ui, const Rect& area) {
  return ui->state.walk.is_open ? DrawWalkToolbar(ui, area) : DrawCountsToolbar(ui, area);
}

void DrawCountsOrWalk(Ui* ui, const Rect& area) {
  ui->state.walk.is_open ? DrawWalk(ui, area) : DrawCounts(ui, area);
}

void DrawCountsOrWalkDetail(Ui* ui) {
  ui->state.walk.is_open ? DrawWalkDetail(ui) : DrawCountsDetail(ui);
}

void DrawWalkButton(Ui* ui, Flow* flow) {
  if (flow->Button("line by line",
                   {.text = "Line by line",
                    .key = "W",
                    .tooltip = "Walk through this layer: every matrix, from what it reads to "
                               "what one head and all heads make of it"})) {
    ui->Do(ShowWalk{true});
  }
}

bool HandleWalkKey(Ui* ui, const KeyPress& press) {
  const AppState& state = ui->state;
  const auto is_typed = [&press](char32_t a, char32_t b) {
    return press.key == Key::kCharacter && (press.character == a || press.character == b);
  };
  // A screen with letters of its own has W for itself.
  if (is_typed(U'w', U'W') && CurrentScreen(state).take_letter == nullptr) {
    if (!IsWalking(state)) {
      ui->Do(SetScreen{&ScreenNamed("counts").kind});
    }
    ui->Do(ShowWalk{!IsWalking(state)});
    return true;
  }
  if (!IsWalking(state)) {
    return false;
  }
  if ((press.key == Key::kLeft || press.key == Key::kRight) && !press.shift) {
    ui->Do(ShowStage{Stepped(state.walk.stage, press.key == Key::kLeft ? -1 : 1)});
    return true;
  }
  if (is_typed(U'[', U']')) {
    ui->Do(StepHead{.heads = press.character == U'[' ? -1 : 1});
    return true;
  }
  return false;
}

}  // namespace headscope

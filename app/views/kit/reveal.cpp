#include "app/views/kit/reveal.h"

#include <utility>

#include <imgui.h>

namespace headscope {
namespace {

// How far to scroll so that [at, at + size] lies within [first, first + room]: as little as will
// do, or where it is quite out of sight to the middle.
float Needed(float at, float size, float first, float room) {
  const float end = at + size;
  const float last = first + room;
  if (at >= first && end <= last) {
    return 0.0F;
  }
  if (size > room || end <= first || at >= last) {
    return at + size / 2.0F - first - room / 2.0F;
  }
  return at < first ? at - first : end - last;
}

}  // namespace

void RevealHead(Ui* ui, const RevealWish& wish) {
  const RevealedHead now{.view = ImGui::GetID(wish.view),
                         .head = wish.head,
                         .count = wish.count,
                         .seen = wish.seen,
                         .locked = wish.is_chosen};
  if (ui->memory->revealed_head == now) {
    return;
  }
  ui->memory->revealed_head = now;
  if (!wish.is_chosen) {
    return;
  }
  const float bar = ImGui::GetStyle().ScrollbarSize;
  const float wide = wish.seen.width - (ImGui::GetScrollMaxY() > 0.0F ? bar : 0.0F);
  const float high = wish.seen.height - (ImGui::GetScrollMaxX() > 0.0F ? bar : 0.0F);
  const float frame = ui->Px(3.0F);
  const Rect whole = Inset(wish.cell, -frame, -frame);
  const float across = Needed(whole.x, whole.width, wish.seen.x, wide);
  const float down = Needed(whole.y, whole.height, wish.seen.y, high);
  if (across != 0.0F) {
    ImGui::SetScrollX(ImGui::GetScrollX() + across);
    ui->WakeIn(0.0);
  }
  if (down != 0.0F) {
    ImGui::SetScrollY(ImGui::GetScrollY() + down);
    ui->WakeIn(0.0);
  }
}

void PreviewHead(Ui* ui, const std::optional<HeadIndex>& head, bool clicked) {
  const Selection& selection = ui->state.selection;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::pair at{mouse.x, mouse.y};
  if (head && at != ui->memory->hovered_at && *head != selection.head && !selection.head_locked) {
    ui->Do(HoverHead{*head});
  }
  ui->memory->hovered_at = at;
  if (head && clicked) {
    ui->Do(ClickHead{*head});
  }
}

}  // namespace headscope

// Direct effects in Compare's Patching: where paths arrive, and how heads of the map are chosen for it.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/compare/patching.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kPathLine = 34.0F;
constexpr float kPathControl = 26.0F;

constexpr std::array<SegmentChoice, 4> kPathEnds = {{
    {"Logits", "What reaches the logits with no other head between: who writes the word"},
    {"Queries", "What reaches the queries of the heads that you choose: what they look for"},
    {"Keys", "What reaches their keys: what they find"},
    {"Values", "What reaches their values: what they carry along"},
}};

void EditPaths(Ui* ui, PathLook paths) {
  PatchLook look = ui->state.compare.patch_look;
  look.paths = std::move(paths);
  ui->Do(SetPatchLook{std::move(look)});
}

bool IsReceiver(const AppState& state, HeadIndex head) {
  return std::ranges::any_of(PathReceivers(state),
                             [head](const HeadReading& to) { return to.head == head; });
}

bool IsSender(const AppState& state, HeadIndex head) {
  const auto question = HeadsToPatch(state);
  return question && question->paths &&
         std::ranges::find(question->paths->from, head) != question->paths->from.end();
}

// The first heads of a stack have nothing before them.
bool CanReceive(const AppState& state, HeadIndex head) {
  const PathLook& look = state.compare.patch_look.paths;
  return FollowsPaths(state) && look.input && CanReceivePaths(state, {head, *look.input});
}

void ToggleReceiver(Ui* ui, HeadIndex head) {
  PathLook paths = ui->state.compare.patch_look.paths;
  if (std::erase(paths.to, head) == 0) {
    paths.to.push_back(head);
    std::ranges::sort(paths.to);
  }
  EditPaths(ui, std::move(paths));
}

}  // namespace

void DrawPathControls(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const PathLook& look = state.compare.patch_look.paths;
  const float pad = ui->Px(14.0F);
  Flow flow(ui, {pen->x - pad, pen->y, pen->width + 2.0F * pad, 0.0F}, kPathLine);
  const auto words = [&](std::string_view text) {
    const Rect place = flow.Next(TextWidth(*ui, text, Type::kBody), ui->Px(kPathControl));
    Row(ui, place).Text(text, Type::kBody, ui->colors().muted);
  };
  words("Direct effect on");
  const int end =
      flow.Segments("path end", kPathEnds, look.input ? static_cast<int>(*look.input) + 1 : 0);
  if (end >= 0) {
    PathLook paths = look;
    paths.input = end > 0 ? std::optional(static_cast<HeadInput>(end - 1)) : std::nullopt;
    const Selection& selection = state.selection;
    if (paths.input && paths.to.empty() && selection.head_locked &&
        CanReceivePaths(state, {selection.head, *paths.input})) {
      paths.to = {selection.head};  // the one that is looked at
    }
    EditPaths(ui, std::move(paths));
  }
  const std::vector<HeadReading> receivers = PathReceivers(state);
  if (!receivers.empty()) {
    words("of");
  }
  for (const HeadReading& to : receivers) {
    const std::string name = HeadName(to.head);
    const std::string tooltip = fmt::format("{}: no longer one of them", name);
    if (flow.Button(("receiver " + name).c_str(),
                    {.text = name + " ×", .tooltip = tooltip, .type = Type::kMono})) {
      ToggleReceiver(ui, to.head);
    }
  }
  if (flow.Button(
          "freeze MLPs",
          {.text = look.freezes_mlps ? "☑ MLPs frozen" : "☐ MLPs frozen",
           .tooltip = "MLPs keep what they gave, as all other heads do; else they are computed "
                      "anew, and paths lead through them, too",
           .bare = true})) {
    PathLook paths = look;
    paths.freezes_mlps = !paths.freezes_mlps;
    EditPaths(ui, std::move(paths));
  }
  pen->Take(flow.height());
}

bool TakeReceiver(Ui* ui, HeadIndex head) {
  const bool is_asked = ImGui::GetIO().KeyShift;
  const bool is_free = !IsSender(ui->state, head) && !IsReceiver(ui->state, head);
  if (!CanReceive(ui->state, head) || !(is_asked || is_free)) {
    return false;
  }
  ToggleReceiver(ui, head);
  return true;
}

std::string PathCellWords(const AppState& state, HeadIndex head) {
  if (!CanReceive(state, head)) {
    return "";
  }
  const std::string_view input = InputName(*state.compare.patch_look.paths.input);
  if (IsReceiver(state, head)) {
    return fmt::format("{}: paths arrive in its {}; Shift click: no longer", HeadName(head), input);
  }
  return IsSender(state, head)
             ? fmt::format("Shift click: let paths arrive in its {}", input)
             : fmt::format("{}: click lets paths arrive in its {}, too", HeadName(head), input);
}

std::optional<HeadsGridCell> PathCell(const Ui& ui, HeadIndex head) {
  if (!CanReceive(ui.state, head) || !IsReceiver(ui.state, head)) {
    return std::nullopt;
  }
  const ThemeColors& colors = ui.colors();
  return HeadsGridCell{
      .fill = colors.raised, .frame = colors.accent, .words = "to", .words_on = colors.raised};
}

}  // namespace headscope

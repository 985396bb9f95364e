// Keys that work wherever no text is being typed.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/keys.h"
#include "app/views/panels.h"
#include "app/views/popups.h"

namespace headscope {
namespace {

template <typename E>
E Following(E value, int count) {
  return static_cast<E>((static_cast<int>(value) + 1) % count);
}

void StepCell(Ui* ui, std::int64_t rows, std::int64_t columns) {
  const LayerView view = SelectedLayer(ui->state);
  if (view.layer == nullptr) {
    return;
  }
  const Selection& selection = ui->state.selection;
  const AttentionShape& shape = view.layer->shape();
  const MapPoint from = selection.point.value_or(MapPoint{.query = selection.row.value_or(0)});
  const std::int64_t query = std::clamp<std::int64_t>(from.query + rows, 0, shape.queries - 1);
  const std::int64_t key =
      std::clamp<std::int64_t>(from.key ? *from.key + columns : query, 0, shape.keys - 1);
  const MapPoint to{.query = query, .key = key};
  if (selection.point != to) {
    ui->Do(ClickCell{to});
  }
}

void HandleArrows(Ui* ui) {
  for (const KeyPress& press : ui->keys) {
    const std::int64_t right = press.key == Key::kRight ? 1 : (press.key == Key::kLeft ? -1 : 0);
    const std::int64_t down = press.key == Key::kDown ? 1 : (press.key == Key::kUp ? -1 : 0);
    if (right == 0 && down == 0) {
      continue;
    }
    if (press.shift) {
      StepCell(ui, down, right);
    } else {
      ui->Do(StepHead{.layers = down, .heads = right});
    }
  }
}

void ShowNextPart(Ui* ui) {
  const ModelInfo* model = ShownModel(ui->state);
  if (model == nullptr) {
    return;
  }
  const std::vector<PartShape> parts = PartsOf(*model);
  const auto now = std::ranges::find(parts, PartInView(ui->state), &PartShape::part);
  const bool is_last = now + 1 == parts.end();
  ui->Do(ShowPart{is_last ? parts.front().part : (now + 1)->part});
}

// "L" begins "L5H1"; an encoder-decoder's heads begin with E, D and X, too.
bool BeginsHeadName(const AppState& state, char typed) {
  const std::string_view letters = HasParts(state) ? "LlEeDdXx" : "Ll";
  return letters.find(typed) != std::string_view::npos;
}

void Open(Ui* ui, Popup popup) {
  ui->memory->popup_anchor = UsualAnchor(*ui, popup);
  ui->Do(OpenPopup{popup});
}

void OpenWithField(Ui* ui, Popup popup) {
  Open(ui, popup);
  ui->memory->typed_ahead.AwaitField();
}

void Focus(Ui* ui, TextBoxMemory* box) {
  box->focus = true;
  ui->memory->typed_ahead.AwaitField();
}

void HandleCharacter(Ui* ui, char typed) {
  const AppState& state = ui->state;
  const MapSettings& settings = state.settings;
  switch (typed) {
    case '1':
      return ui->Do(SetScreen{Screen::kInspect});
    case '2':
      return ui->Do(SetScreen{Screen::kCounts});
    case '6':
    case '?':
      return ui->Do(SetScreen{Screen::kHelp});
    case 'f':
    case 'F':
      return OpenWithField(ui, Popup::kFlag);
    case 'm':
    case 'M':
      return OpenWithField(ui, Popup::kModels);
    case 's':
    case 'S':
      return Open(ui, Popup::kSamples);
    case 't':
    case 'T':
      return ui->Do(SetTheme{state.theme == Theme::kDark ? Theme::kLight : Theme::kDark});
    case 'c':
    case 'C':
      return ui->Do(SetCurve{Following(settings.curve, 3)});
    case 'r':
    case 'R':
      return ui->Do(SetRange{Following(settings.range, 5)});
    case 'v':
    case 'V':
      return ui->Do(SetColormap{Following(settings.colormap, 4)});
    case 'p':
    case 'P':
      return ShowNextPart(ui);
    case '0':
      return ui->Do(ResetZoom{});
    case '+':
    case '=':
      return ui->Do(ZoomMap{1.5, 0.5, 0.5});
    case '-':
      return ui->Do(ZoomMap{1.0 / 1.5, 0.5, 0.5});
    case ' ':
      return ui->Do(ClickHead{state.selection.head});
    case '/':
      return Focus(ui, &ui->memory->sentence);
    default:
      return;
  }
}

void HandleJumpBox(Ui* ui) {
  const std::string& text = ui->state.dialogs.jump_text;
  const std::string typed = TakeTypedCharacters();
  if (!typed.empty()) {
    ui->Do(EditJump{text + typed});
  } else if (IsPressed(*ui, Key::kBackspace) && !text.empty()) {
    ui->Do(EditJump{text.substr(0, text.size() - 1)});
  }
  if (IsPressed(*ui, Key::kEnter)) {
    ui->Do(Jump{});
  }
}

}  // namespace

void HandleShortcuts(Ui* ui) {
  const AppState& state = ui->state;
  const bool popup = state.dialogs.popup != Popup::kNone;
  if (IsCtrlPressed(*ui, 'K')) {
    Open(ui, Popup::kJump);
    return;
  }
  if (IsCtrlPressed(*ui, 'E')) {
    Open(ui, Popup::kExport);
    return;
  }
  if (IsCtrlPressed(*ui, 'L') && !popup) {
    Focus(ui, &ui->memory->sentence);
    return;
  }
  if (IsCtrlPressed(*ui, 'T') && !popup && HasTarget(state)) {
    Focus(ui, &ui->memory->target);
    return;
  }
  if (IsCtrlPressed(*ui, 'Q')) {
    ui->Do(CloseWindow{});
    return;
  }
  if (KeysAreTaken() && !popup) {
    return;
  }
  if (IsPressed(*ui, Key::kEscape)) {
    if (!popup && !state.notices.empty()) {
      ui->Do(DismissNotice{state.notices.back().place});
    } else if (!popup && !state.pending.layers.empty()) {
      ui->Do(CancelWork{});
    } else {
      ui->Do(Escape{});
    }
    return;
  }
  if (state.dialogs.popup == Popup::kJump) {
    HandleJumpBox(ui);
  }
  if (popup) {
    return;
  }
  for (const KeyPress& press : ui->keys) {
    if (press.ctrl && press.letter == 'Z') {
      press.shift ? ui->Do(RedoFlag{}) : ui->Do(UndoFlag{});
    } else if (press.ctrl && press.letter == 'Y') {
      ui->Do(RedoFlag{});
    } else if (press.ctrl && press.letter == 'C') {
      ui->Do(CopyName{});
    }
  }
  HandleArrows(ui);
  const std::string typed = TakeTypedCharacters();
  for (std::size_t i = 0; i < typed.size(); ++i) {
    if (BeginsHeadName(state, typed[i])) {
      Open(ui, Popup::kJump);
      ui->Do(EditJump{typed.substr(i)});
      break;
    }
    HandleCharacter(ui, typed[i]);
    if (ui->memory->typed_ahead.awaits()) {
      ui->memory->typed_ahead.AwaitField(typed.substr(i + 1));
      break;
    }
  }
}

}  // namespace headscope

// What keys do: in the field that has them, else as shortcuts.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/state/counts/head_tree.h"
#include "app/state/inspect/cut_edges.h"
#include "app/state/inspect/grid_order.h"
#include "app/state/queries.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_box.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "app/views/walk/panels.h"

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

// Where the grid shows heads in an order of its own, arrows follow it; whether it does.
bool StepInOrder(Ui* ui, std::int64_t lines, std::int64_t places) {
  const std::int64_t columns = ui->memory->grid_columns;
  if (CurrentScreen(ui->state).body != DrawGrid || columns <= 0) {
    return false;
  }
  const std::vector<HeadIndex> heads = GridHeads(ui->state);
  if (heads.empty()) {
    return true;
  }
  const auto found = std::ranges::find(heads, ui->state.selection.head);
  const auto last = std::ssize(heads) - 1;
  // One that is not shown: the first of those that are.
  const std::int64_t at = found != heads.end() ? found - heads.begin() : -1;
  const std::int64_t next = at < 0 ? 0 : at + lines * columns + places;
  if (next >= 0 && next <= last) {
    ui->Do(ShowHead{heads[static_cast<std::size_t>(next)]});
  }
  return true;
}

void HandleArrow(Ui* ui, const KeyPress& press) {
  const std::int64_t right = press.key == Key::kRight ? 1 : (press.key == Key::kLeft ? -1 : 0);
  const std::int64_t down = press.key == Key::kDown ? 1 : (press.key == Key::kUp ? -1 : 0);
  if (press.shift) {
    StepCell(ui, down, right);
  } else if (!StepInOrder(ui, down, right)) {
    ui->Do(StepHead{.layers = down, .heads = right});
  }
}

void ShowNextPart(Ui* ui) {
  const ModelInfo* model = ShownModel(ui->state);
  if (model == nullptr) {
    return;
  }
  const std::vector<PartHeads> parts = PartsOf(*model);
  const auto now = std::ranges::find(parts, PartInView(ui->state), &PartHeads::part);
  const bool is_last = now + 1 == parts.end();
  ui->Do(ShowPart{is_last ? parts.front().part : (now + 1)->part});
}

// Of the head in full: map, lines, arcs and so on, or the one before.
void ShowNextView(Ui* ui, bool back) {
  constexpr int kViews = 5;
  HeadLook look = ui->state.head_look;
  look.view =
      static_cast<HeadView>((static_cast<int>(look.view) + (back ? kViews - 1 : 1)) % kViews);
  if (CurrentScreen(ui->state).body == DrawGrid) {
    ui->Do(SetHeadLook{std::move(look)});
  }
}

// The pointed key; of a row alone its query. In cross-attention only tokens of the text are hidden.
void HidePointed(Ui* ui) {
  const std::optional<MapPoint>& point = ui->state.selection.point;
  const FullMap full = MapInFull(ui->state);
  if (!ui->state.screen->looks_at_tokens || !point || full.map.layer == nullptr) {
    return;
  }
  const bool is_one_text = full.query_tokens == full.key_tokens;
  if (point->key || is_one_text) {
    ui->Do(HideToken{point->key.value_or(point->query)});
  }
}

// The pointed head of the grid, or the selected one.
void SwitchPointed(Ui* ui) {
  if (CurrentScreen(ui->state).body == DrawGrid && ShownLayers(ui->state) > 0) {
    ui->Do(SwitchHead{ui->memory->pointed_head.value_or(ui->state.selection.head)});
  }
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
  ui->memory->popup_anchor = UsualAnchor(*ui, popup);
  OpenForTyping(ui, popup);
}

void Focus(Ui* ui, const char* field) {
  static_cast<void>(ui->memory->fields.Focus(field));
}

void HandleCharacter(Ui* ui, char typed) {
  const AppState& state = ui->state;
  const MapSettings& settings = state.settings;
  if (const Screen& own = CurrentScreen(state);
      own.take_letter != nullptr && own.take_letter(ui, typed)) {
    return;
  }
  for (const Screen* screen : AllScreens()) {
    if (screen->kind.keys.find(typed) != std::string_view::npos) {
      return ui->Do(SetScreen{&screen->kind});
    }
  }
  switch (std::tolower(static_cast<unsigned char>(typed))) {
    case 'f':
      return Open(ui, Popup::kFlag);
    case 'm':
      return OpenWithField(ui, Popup::kModels);
    case 's':
      return Open(ui, Popup::kSamples);
    case 't':
      return ui->Do(ChooseTheme{state.theme == Theme::kDark ? Theme::kLight : Theme::kDark});
    case 'c':
      return ui->Do(SetCurve{Following(settings.curve, 3)});
    case 'r':
      return ui->Do(SetRange{Following(settings.range, 5)});
    case 'v':
      return ui->Do(SetColormap{Following(settings.colormap, 4)});
    case 'o':
      return ShowNextView(ui, typed == 'O');
    case 'h':
      return HidePointed(ui);
    case 'n':
      if (state.screen->subject == ScreenSubject::kHeadCounts && IsDrawn(state.tree.how)) {
        ui->Do(CutAs{DrawnAnew(state.tree.how)});
      }
      return;
    case 'x':
      return SwitchPointed(ui);
    case 'k':
      if (const auto edge = EdgeInView(state, typed == 'K' ? CutRows::kAll : CutRows::kOne)) {
        ui->Do(SwitchEdge{*edge});
      }
      return;
    case 'b':
      if (!state.heads_off.chosen.IsEmpty()) {
        ui->Do(ShowWhole{!state.heads_off.shows_whole});
      }
      return;
    case 'p':
      return ShowNextPart(ui);
    case '0':
      return ui->Do(ResetZoom);
    case '+':
    case '=':
      return ui->Do(ZoomMap{1.5, 0.5, 0.5});
    case '-':
      return ui->Do(ZoomMap{1.0 / 1.5, 0.5, 0.5});
    case ' ':
      return ui->Do(ClickHead{state.selection.head});
    case '/':
      return Focus(ui, kSentenceField);
    default:
      return;
  }
}

bool IsCtrl(const KeyPress& press, char letter) {
  return press.key == Key::kLetter && press.ctrl && press.letter == letter;
}

// Handles keys that work also while a text is typed; returns whether it was one.
bool HandleAnywhere(Ui* ui, const KeyPress& press) {
  const bool popup = ui->state.dialogs.popup != Popup::kNone;
  if (IsCtrl(press, 'K')) {
    OpenWithField(ui, Popup::kJump);
  } else if (IsCtrl(press, 'P') && press.shift) {
    OpenWithField(ui, Popup::kPalette);
  } else if (press.key == Key::kF5) {
    ui->Do(Present{!ui->state.presenting});
  } else if (IsCtrl(press, 'E') && press.shift) {
    popup ? ui->Do(KeepExported) : ui->Do(KeepShown);
  } else if (IsCtrl(press, 'E')) {
    OpenWithField(ui, Popup::kExport);
  } else if (IsCtrl(press, 'S')) {
    OpenWithField(ui, Popup::kSessions);
  } else if (IsCtrl(press, 'L') && !popup) {
    Focus(ui, kSentenceField);
  } else if (IsCtrl(press, 'T') && !popup && HasTarget(ui->state)) {
    Focus(ui, kTargetField);
  } else if (IsCtrl(press, '+') || IsCtrl(press, '=')) {
    ui->Do(ZoomText{1});
  } else if (IsCtrl(press, '-')) {
    ui->Do(ZoomText{-1});
  } else if (IsCtrl(press, '0')) {
    ui->Do(SetZoom{1.0});
  } else if (IsCtrl(press, 'Q')) {
    ui->Do(CloseWindow);
  } else if (IsCtrl(press, '.')) {
    ui->Do(CancelWork);
  } else {
    return false;
  }
  return true;
}

void HandleEscape(Ui* ui) {
  const AppState& state = ui->state;
  const bool popup = state.dialogs.popup != Popup::kNone;
  if (ui->memory->fields.has_focus() && !popup) {
    ui->memory->fields.Leave();
  } else if (!popup && !state.notices.empty()) {
    ui->Do(DismissNotice{state.notices.back().place});
  } else if (!popup && !state.pending.layers.empty()) {
    ui->Do(CancelWork);
  } else {
    ui->Do(Escape);
  }
}

// Where neither a field nor a popup has the keys.
void HandleShortcut(Ui* ui, const KeyPress& press) {
  if (IsCtrl(press, 'Z')) {
    press.shift ? ui->Do(RedoFlag) : ui->Do(UndoFlag);
  } else if (IsCtrl(press, 'Y')) {
    ui->Do(RedoFlag);
  } else if (IsCtrl(press, 'C')) {
    ui->Do(CopyName);
  } else if (press.key == Key::kCharacter && press.character >= 0x20 && press.character <= 0x7E) {
    const char typed = static_cast<char>(press.character);
    if (BeginsHeadName(ui->state, typed)) {
      OpenWithField(ui, Popup::kJump);
      ui->memory->keys.waiting.push_front(press);
    } else {
      HandleCharacter(ui, typed);
    }
  }
}

enum class Next { kSameFrame, kNextFrame };

// Held down, a key steps and zooms on; one that opens, switches or chooses does so once.
bool GoesOn(const KeyPress& press) {
  switch (press.key) {
    case Key::kEscape:
    case Key::kEnter:
    case Key::kDelete:
    case Key::kInsert:
    case Key::kF5:
      return false;
    case Key::kCharacter:
      return std::u32string_view(U"+=-[]").find(press.character) != std::u32string_view::npos;
    case Key::kLetter:
      return std::string_view("ZY+=-").find(press.letter) != std::string_view::npos;
    default:
      return true;
  }
}

// After a key that may open, close or change something, the others wait for the next frame.
Next HandleKey(Ui* ui, const KeyPress& press) {
  TextFields& fields = ui->memory->fields;
  if (Field* const field = fields.focused(); field != nullptr && field->Take(press)) {
    return Next::kSameFrame;
  }
  if (press.repeats && !GoesOn(press)) {
    return Next::kSameFrame;
  }
  if (HandleAnywhere(ui, press)) {
    return Next::kNextFrame;
  }
  if (press.key == Key::kEscape) {
    HandleEscape(ui);
    return Next::kNextFrame;
  }
  if (press.key == Key::kTab && fields.has_focus()) {
    fields.FocusNext(press.shift);
    return Next::kNextFrame;
  }
  const bool in_dialog = ui->state.dialogs.popup != Popup::kNone || fields.has_focus();
  if (in_dialog || ImGui::GetIO().WantTextInput) {
    ui->keys.push_back(press);
    return press.key == Key::kEnter ? Next::kNextFrame : Next::kSameFrame;
  }
  if (HandleWalkKey(ui, press)) {
    return Next::kNextFrame;
  }
  if (press.alt && (press.key == Key::kLeft || press.key == Key::kRight)) {
    ui->Do(StepView{press.key == Key::kLeft});
    return Next::kNextFrame;
  }
  if (const Screen& own = CurrentScreen(ui->state);
      own.take_key != nullptr && own.take_key(ui, press)) {
    return Next::kNextFrame;
  }
  switch (press.key) {
    case Key::kDelete:  // where X begins the name of a head
      SwitchPointed(ui);
      return Next::kNextFrame;
    case Key::kLeft:
    case Key::kRight:
    case Key::kUp:
    case Key::kDown:
      HandleArrow(ui, press);
      return Next::kSameFrame;
    default:
      HandleShortcut(ui, press);
      return Next::kNextFrame;
  }
}

}  // namespace

void OpenForTyping(Ui* ui, Popup popup) {
  constexpr int kMostFrames = 5;
  ui->Do(OpenPopup{popup});
  ui->memory->fields.Leave();
  ui->memory->keys.frames_for_field = kMostFrames;
}

void HandleKeys(Ui* ui) {
  KeyQueue& queue = ui->memory->keys;
  ui->memory->fields.BeginFrame();
  queue.waiting.insert(queue.waiting.end(), ui->keys.begin(), ui->keys.end());
  ui->keys.clear();
  if (ui->memory->fields.has_focus()) {
    queue.frames_for_field = 0;
  }
  Next next = queue.frames_for_field > 0 && --queue.frames_for_field > 0 ? Next::kNextFrame
                                                                         : Next::kSameFrame;
  while (next == Next::kSameFrame && !queue.waiting.empty()) {
    const KeyPress press = queue.waiting.front();
    queue.waiting.pop_front();
    next = HandleKey(ui, press);
  }
  if (!queue.waiting.empty()) {
    ui->WakeIn(0.0);  // what is kept is not kept until somebody touches something
  }
}

}  // namespace headscope

// Popups: flags, export, jump, models.
#include <algorithm>

#include <fmt/format.h>

#include "app/state/reducer_parts.h"
#include "core/heads/role.h"

namespace headscope {
namespace {

// "-The-cat-sat" of "The cat sat on the mat": its first words, safe on any file system.
std::string Slug(const std::string& text) {
  constexpr std::size_t kMost = 24;
  std::string slug;
  bool blank = true;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain && blank && !slug.empty() && slug.size() > kMost / 2) {
      break;
    }
    if (plain) {
      slug += blank ? "-" : "";
      slug += c;
    }
    blank = !plain;
    if (slug.size() > kMost) {
      break;
    }
  }
  return slug;
}

}  // namespace

std::string DefaultExportPath(const AppState& state, ExportWhat what) {
  const ModelInfo* model = ShownModel(state);
  const PictureSubject* of = PictureInView(state);
  LayerId layer{state.selection.head.part, state.selection.head.layer};
  if (what == ExportWhat::kCounts && state.counts.source != nullptr) {
    of = &state.counts.source_of;
    model = of->model.get();
    layer = {state.counts.source->part(), state.counts.source->layer()};
  }
  // Maps of a text that is no longer above say which one: a file of them would pass for the new.
  const std::string text = IsOutdated(state) && of != nullptr ? Slug(of->input.text) : "";
  const std::string name = (model != nullptr ? model->name : "headscope") + text;
  std::string part;
  switch (what) {
    case ExportWhat::kHead:
      part = HeadName(state.selection.head);
      break;
    case ExportWhat::kGrid:
      part = state.selection.head.part == ModelPart::kWhole
                 ? "all-heads"
                 : fmt::format("{}-heads", PartName(state.selection.head.part));
      break;
    case ExportWhat::kCounts:
      part = LayerName(layer) + "-counts";
      break;
  }
  return (state.exports_folder / fmt::format("{}-{}.png", name, part)).string();
}

void Reducer::On(const OpenPopup& action) {
  Dialogs& dialogs = state_.dialogs;
  if (action.popup == Popup::kFlag) {
    const ModelWork* const work = WorkInView();
    if (ShownLayers(state_) == 0 || work == nullptr) {
      return;
    }
    const HeadIndex head = state_.selection.head;
    state_.selection.head_locked = true;  // so that the flag stays with the head it was opened for
    dialogs.flag = FlagDraft{.model = work->model,
                             .head = head,
                             .role = std::string(kRoles.front().id),
                             .colour = fmt::format("#{:06X}", kRoles.front().rgb),
                             .note = {}};
    if (const HeadFlag* flag = FindFlag(work->flags, head)) {
      dialogs.flag.role = flag->role;
      dialogs.flag.colour = flag->colour;
      dialogs.flag.note = flag->note;
    }
  } else if (action.popup == Popup::kExport) {
    if (ShownLayers(state_) == 0) {
      return;
    }
    state_.selection.head_locked = true;
    ExportDraft& draft = dialogs.exporting;
    draft.what = state_.screen == Screen::kCounts ? ExportWhat::kCounts : ExportWhat::kHead;
    draft.path = DefaultExportPath(state_, draft.what);
    draft.ask_overwrite = false;
    draft.done.clear();
    ClearNotice(ErrorPlace::kExport);
  } else if (action.popup == Popup::kJump) {
    dialogs.jump_text.clear();
    dialogs.jump_error.clear();
  }
  dialogs.popup = action.popup;
}

void Reducer::On(const ClosePopup& /*action*/) {
  state_.dialogs.popup = Popup::kNone;
}

void Reducer::On(const EditModelPath& action) {
  state_.dialogs.model_path = action.path;
}

void Reducer::On(const EditJump& action) {
  state_.dialogs.jump_text = action.text;
  state_.dialogs.jump_error.clear();
}

void Reducer::On(const EditFlag& action) {
  std::shared_ptr<const ModelInfo> model = state_.dialogs.flag.model;
  state_.dialogs.flag = action.draft;
  state_.dialogs.flag.model = std::move(model);
}

// To the model that the editor was opened for, whatever is on screen by now.
void Reducer::On(const SaveFlag& /*action*/) {
  const FlagDraft& draft = state_.dialogs.flag;
  state_.dialogs.popup = Popup::kNone;
  ModelWork* const work = WorkOf(draft.model.get());
  if (work == nullptr) {
    return;
  }
  if (!HasHead(*work->model, draft.head)) {
    Notify(ErrorPlace::kFlags,
           fmt::format("{} is not flagged: {} has no such head, it has {}.",
                       HeadName(draft.head),
                       work->model->name,
                       HeadsWords(*work->model)));
    return;
  }
  const HeadFlag* const before = FindFlag(work->flags, draft.head);
  if (SetFlag(&work->flags,
              HeadFlag{.layer = draft.head.layer,
                       .head = draft.head.head,
                       .role = draft.role,
                       .colour = draft.colour,
                       .note = draft.note,
                       .part = draft.head.part,
                       .unknown_json = before != nullptr ? before->unknown_json : ""})) {
    StoreFlags(work);
  }
}

void Reducer::On(const ClearFlag& action) {
  const bool is_edited = state_.dialogs.popup == Popup::kFlag;
  state_.dialogs.popup = Popup::kNone;
  ModelWork* const work = is_edited ? WorkOf(state_.dialogs.flag.model.get()) : WorkInView();
  if (work != nullptr && RemoveFlag(&work->flags, action.head)) {
    StoreFlags(work);
  }
}

void Reducer::On(const UndoFlag& /*action*/) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && Undo(&work->flags)) {
    StoreFlags(work);
  }
}

void Reducer::On(const RedoFlag& /*action*/) {
  ModelWork* const work = WorkInView();
  if (work != nullptr && Redo(&work->flags)) {
    StoreFlags(work);
  }
}

void Reducer::On(const EditExport& action) {
  ExportDraft& draft = state_.dialogs.exporting;
  const bool path_is_default = draft.path == DefaultExportPath(state_, draft.what);
  draft.what = action.draft.what;
  draft.size_px = std::clamp(action.draft.size_px, 64, 16384);
  draft.theme = action.draft.theme;
  const bool path_edited = draft.path != action.draft.path;
  draft.path =
      !path_edited && path_is_default ? DefaultExportPath(state_, draft.what) : action.draft.path;
  draft.ask_overwrite = false;
  draft.done.clear();
  ClearNotice(ErrorPlace::kExport);
}

void Reducer::On(const StartExport& action) {
  ClearNotice(ErrorPlace::kExport);
  state_.dialogs.exporting.ask_overwrite = false;
  state_.dialogs.exporting.done.clear();
  effects_.push_back(MakeFigure{action.overwrite});
}

void Reducer::On(const OverwriteNeeded& /*action*/) {
  state_.dialogs.exporting.ask_overwrite = true;
}

void Reducer::On(const CopyName& /*action*/) {
  effects_.push_back(CopyText{HeadName(state_.selection.head)});
}

}  // namespace headscope

// Popups: export, jump, models.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/state/figures/kept.h"
#include "app/state/files/export_draft.h"
#include "app/state/files/export_kind.h"
#include "app/state/files/model_list.h"
#include "app/state/work.h"

namespace headscope {
namespace {

// That of the draft's file, which stays from one export to the next; PNG at first.
std::string_view EndingInUse(const ExportDraft& draft) {
  if (const NumbersFormat* const numbers = NumbersOf(draft)) {
    return numbers->ending;
  }
  const FigureFormat* format = FormatOf(draft);
  return format != nullptr ? format->ending : AllFigureFormats().front().ending;
}

// "probe-L5H1.png", in the folder that exports go to.
std::string DefaultExportPath(const AppState& state, const ExportDraft& draft) {
  const KeptFigure* const chosen = ChosenFigure(state);
  const std::string name = draft.of == ExportOf::kAllKept ? "figures"
                           : draft.of == ExportOf::kChosenKept && chosen != nullptr
                               ? chosen->file
                               : FileOf(state, *draft.kind);
  return (state.exports_folder / (name + std::string(EndingInUse(draft)))).string();
}

// Kept figures stand for themselves; elsewhere it is what the screen shows.
void ChooseWhatToExport(const AppState& state, ExportDraft* draft) {
  const KeptFigure* const chosen = state.screen->shows_figures ? ChosenFigure(state) : nullptr;
  draft->of = chosen == nullptr                ? ExportOf::kShown
              : state.figures.kept.size() == 1 ? ExportOf::kChosenKept
                                               : ExportOf::kAllKept;
  draft->kind = chosen != nullptr ? chosen->kind : KindOfScreen(state);
}

}  // namespace

void OpenPopup::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  Dialogs& dialogs = state.dialogs;
  if (popup == Popup::kFlag) {
    const ModelWork* const work = reducer->WorkInView();
    if (ShownLayers(state) == 0 || work == nullptr) {
      return;
    }
    state.selection.head_locked = true;  // so that the flag stays with the head it was opened for
    reducer->OpenFlagEditor(*work, state.selection.head);
  } else if (popup == Popup::kExport) {
    if (!CanExportSomething(state)) {
      return;
    }
    state.selection.head_locked = true;
    ExportDraft& draft = dialogs.exporting;
    ChooseWhatToExport(state, &draft);
    draft.path = DefaultExportPath(state, draft);
    draft.ask_overwrite = false;
    draft.is_kept = false;
    draft.done.clear();
    draft.preview = {};  // what it was of may have changed since
    reducer->ClearNotice(ErrorPlace::kExport);
  } else if (popup == Popup::kFlagExport) {
    reducer->OpenFlagExport();
  } else if (popup == Popup::kScanSave) {
    reducer->OpenScanSave();
  } else if (popup == Popup::kSessions) {
    reducer->OpenSessions();
  } else if (popup == Popup::kModels || popup == Popup::kCompare) {
    // A path stays for another try; words that filtered a list would hide what opens now.
    if (!LooksLikePath(dialogs.model_path)) {
      dialogs.model_path.clear();
    }
  } else if (popup == Popup::kJump) {
    dialogs.jump_text.clear();
    dialogs.jump_error.clear();
  } else if (popup == Popup::kPalette) {
    dialogs.palette_text.clear();
  }
  dialogs.popup = popup;
}

void ExportKind::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (!IsThere(state, *kind)) {
    return;
  }
  OpenPopup{Popup::kExport}.Do(reducer);
  ExportDraft& draft = state.dialogs.exporting;
  draft.of = ExportOf::kShown;
  draft.kind = kind;
  draft.path = DefaultExportPath(state, draft);
}

// A list of files goes back to what it was opened from.
void ClosePopup(Reducer* reducer) {
  Dialogs& dialogs = reducer->state().dialogs;
  dialogs.popup = dialogs.popup == Popup::kFiles ? dialogs.files.before : Popup::kNone;
}

void EditJump::Do(Reducer* reducer) const {
  reducer->state().dialogs.jump_text = text;
  reducer->state().dialogs.jump_error.clear();
}

void EditExport::Do(Reducer* reducer) const {
  ExportDraft& edited = reducer->state().dialogs.exporting;
  const auto default_path = [&] { return DefaultExportPath(reducer->state(), edited); };
  const bool path_is_default = edited.path == default_path();
  edited.of = draft.of;
  edited.kind = draft.kind;
  edited.size = draft.size;
  edited.points = draft.points;
  edited.has_labels = draft.has_labels;
  edited.has_bar = draft.has_bar;
  edited.has_caption = draft.has_caption;
  edited.theme = draft.theme;
  edited.each = draft.each;
  edited.taken.clear();
  const bool path_edited = edited.path != draft.path;
  edited.path = !path_edited && path_is_default ? default_path() : draft.path;
  edited.ask_overwrite = false;
  edited.done.clear();
  edited.copied = false;
  edited.is_kept = false;
  reducer->ClearNotice(ErrorPlace::kExport);
}

void StartExport::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (!CanExport(state.dialogs.exporting) || !WaitsFor(state).empty()) {
    return;  // the dialog says why
  }
  reducer->ClearNotice(ErrorPlace::kExport);
  state.dialogs.exporting.ask_overwrite = false;
  state.dialogs.exporting.done.clear();
  state.dialogs.exporting.copied = false;
  reducer->Emit(MakeFigure{overwrite});
}

void StopExport(Reducer* reducer) {
  reducer->Stop(reducer->state().dialogs.exporting.request);
}

void PreviewAsked::Do(Reducer* reducer) const {
  reducer->state().dialogs.exporting.preview.Begin(reducer->Send(job));
}

void PreviewRefused::Do(Reducer* reducer) const {
  reducer->state().dialogs.exporting.preview.Fail(Error{ErrorCode::kInput, why});
}

void OverwriteNeeded::Do(Reducer* reducer) const {
  reducer->state().dialogs.exporting.taken = taken;
  reducer->state().dialogs.exporting.ask_overwrite = true;
}

void FigureAsked::Do(Reducer* reducer) const {
  reducer->state().dialogs.exporting.Begin(reducer->Send(job));
  reducer->state().dialogs.exporting.done.clear();
  reducer->state().dialogs.exporting.written = 0;
}

void CopyPicture(Reducer* reducer) {
  AppState& state = reducer->state();
  if (!WaitsFor(state).empty() || SizeOf(state.dialogs.exporting) == 0) {
    return;
  }
  reducer->ClearNotice(ErrorPlace::kExport);
  state.dialogs.exporting.done.clear();
  state.dialogs.exporting.copied = false;
  reducer->Emit(MakeFigure{.overwrite = true, .copies = true});
}

void CopyAsked::Do(Reducer* reducer) const {
  FigureAsked{job}.Do(reducer);
  reducer->state().dialogs.exporting.clipboard = job.files.front().path;
}

void PictureCopied::Do(Reducer* reducer) const {
  reducer->state().dialogs.exporting.copied = offered.has_value();
  if (!offered) {
    reducer->Notify(ErrorPlace::kExport, offered.error().message);
  }
}

void CopyName(Reducer* reducer) {
  reducer->Emit(PutOnClipboard{HeadName(reducer->state().selection.head)});
}

void CopyValues(Reducer* reducer) {
  reducer->ClearNotice(ErrorPlace::kExport);
  reducer->state().dialogs.exporting.done.clear();
  reducer->Emit(CopyTable{});
}

namespace {

void HearFigure(Reducer* reducer, const Event& event) {
  if (const auto* written = std::get_if<FigureWritten>(&event.what)) {
    ExportDraft& draft = reducer->state().dialogs.exporting;
    draft.written = written->files;
    const auto total = std::max<std::int64_t>(1, draft.progress.total);
    if (total > 1) {
      draft.done = draft.written == total
                       ? fmt::format("{} files; the last is {}", total, written->path.string())
                       : "";
    } else if (written->path == draft.clipboard) {
      reducer->Emit(PutPictureOnClipboard{std::exchange(draft.clipboard, {})});
    } else {
      draft.done = written->path.string();
    }
    reducer->ClearNotice(ErrorPlace::kExport);
  } else if (const Error* error = FailureOf(event); error != nullptr) {
    const ExportDraft& draft = reducer->state().dialogs.exporting;
    const bool is_cancelled = error->code == ErrorCode::kCancelled;
    const std::string before =
        draft.written > 0
            ? fmt::format("{} of {} files are written. ", draft.written, draft.progress.total)
            : "";
    if (!is_cancelled || !before.empty()) {
      reducer->Notify(ErrorPlace::kExport,
                      is_cancelled ? "Stopped: " + before : before + error->message);
    }
  }
}

// What the dialog shows is made by whoever knows all of it.
void EnsurePreview(Reducer* reducer) {
  const std::string key = PreviewKey(reducer->state());
  ExportPreview& preview = reducer->state().dialogs.exporting.preview;
  if (!key.empty() && !preview.IsAsked(key)) {
    preview.wanted = key;
    reducer->Emit(DrawPreviewNow{});
  }
}

void HearPreview(Reducer* reducer, const Event& event) {
  ExportDraft& draft = reducer->state().dialogs.exporting;
  if (const auto* const made = std::get_if<PreviewMade>(&event.what)) {
    draft.preview.Take(made->preview);
    ++draft.preview_revision;
  } else if (const Error* const error = FailureOf(event)) {
    draft.preview.Fail(*error);
  }
}

}  // namespace

template <>
std::vector<Work> WorksOf<FigureJob>() {
  constexpr auto kExporting = [](auto& state) -> auto& {
    auto& dialogs = state.dialogs;
    return dialogs.exporting;
  };
  return {At<kExporting>({.words = "writing the picture", .is_long = true, .hear = HearFigure})};
}

template <>
std::vector<Work> WorksOf<PreviewJob>() {
  constexpr auto kPreview = [](auto& state) -> auto& {
    auto& dialogs = state.dialogs;
    return dialogs.exporting.preview;
  };
  return {
      At<kPreview>({.words = "drawing the preview", .ensure = EnsurePreview, .hear = HearPreview}),
      PreviewsOfKept()};
}

}  // namespace headscope

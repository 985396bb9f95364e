// Popups: export, jump, models.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/state/compare/patching.h"
#include "app/state/files/export_draft.h"
#include "app/state/files/model_list.h"
#include "app/state/work.h"

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

// What a figure's file is called after: "L5H1", "all-heads".
std::string PartOfName(const FigureKind& kind, HeadIndex head) {
  switch (kind.of) {
    case FigureOf::kHead:
      return HeadName(head);
    case FigureOf::kLayer:
      return LayerName({head.part, head.layer}) + "-heads";
    case FigureOf::kAll:
      return head.part == ModelPart::kWhole ? "all-heads"
                                            : fmt::format("{}-heads", PartName(head.part));
    case FigureOf::kComparison:
      return "comparison";
    case FigureOf::kPair:
      return HeadName(head) + "-beside";
    case FigureOf::kScores:
      return "scores";
    case FigureOf::kSeries:
      return "series";
    case FigureOf::kAblation:
      return HeadName(head) + "-ablation";
    case FigureOf::kEffects:
      return "patching";
    case FigureOf::kTraining:
      return "training";
    case FigureOf::kCounts:
      break;
  }
  return LayerName({head.part, head.layer}) + "-counts";
}

// That of the draft's file, which stays from one export to the next; PNG at first.
std::string_view EndingInUse(const ExportDraft& draft) {
  if (const NumbersFormat* const numbers = NumbersFormatOf(*draft.kind, draft.path)) {
    return numbers->ending;
  }
  const FigureFormat* format = FormatOf(draft);
  return format != nullptr ? format->ending : AllFigureFormats().front().ending;
}

// What the Heads screen shows.
const FigureKind* KindOfScores(const AppState& state) {
  switch (state.heads_look.view) {
    case HeadsView::kRoles:
      return FindFigureKind(FigureOf::kScores, "roles");
    case HeadsView::kScatter:
      return FindFigureKind(FigureOf::kScores, "scatter");
    case HeadsView::kList:
      return FindFigureKind(FigureOf::kScores, "list");
    case HeadsView::kSeries:
      return FindFigureKind(FigureOf::kSeries);
    case HeadsView::kAcross:
      return FindFigureKind(FigureOf::kSeries, "across");
    case HeadsView::kRelations:
      return FindFigureKind(FigureOf::kScores, "relations");
    case HeadsView::kMap:
      break;
  }
  return FindFigureKind(FigureOf::kScores);
}

// Null: the head as it is.
const FigureKind* KindOfMapOf(MapOf of) {
  switch (of) {
    case MapOf::kHead:
      return nullptr;
    case MapOf::kValues:
      return FindFigureKind(FigureOf::kHead, "values");
    case MapOf::kOutputs:
      return FindFigureKind(FigureOf::kHead, "outputs");
    case MapOf::kMean:
      return FindFigureKind(FigureOf::kLayer, "mean");
    case MapOf::kRollout:
      return FindFigureKind(FigureOf::kLayer, "rollout");
  }
  return nullptr;
}

// As the head is seen in Inspect; null: there is no figure of it.
const FigureKind* KindOfHeadLook(const AppState& state) {
  if (!state.screen->looks_at_tokens) {
    return nullptr;
  }
  const HeadLook& look = state.head_look;
  switch (look.view) {
    case HeadView::kMap:
      return KindOfMapOf(look.map_of);
    case HeadView::kLines:
      return FindFigureKind(FigureOf::kHead, "lines");
    case HeadView::kArcs:
      return FindFigureKind(FigureOf::kHead, "arcs");
    case HeadView::kText:
      return FindFigureKind(FigureOf::kHead, "text");
    case HeadView::kSteps:
      return FindFigureKind(FigureOf::kHead, "filmstrip");
    case HeadView::kPair:
      break;
  }
  return nullptr;
}

// What the screen shows, where it can be drawn; else the selected head.
const FigureKind* KindOfScreen(const AppState& state) {
  if (state.screen->wants_scores) {
    const FigureKind* const kind = KindOfScores(state);
    return IsThere(state, *kind) ? kind : FindFigureKind(FigureOf::kHead);
  }
  if (state.screen->trains && IsThere(state, *FindFigureKind(FigureOf::kTraining))) {
    return FindFigureKind(FigureOf::kTraining);
  }
  if (state.screen->compares && HeadsToDraw(state) != nullptr) {
    return FindFigureKind(FigureOf::kEffects);
  }
  if (state.screen->compares && state.compare.result != nullptr) {
    return FindFigureKind(FigureOf::kComparison);
  }
  if (state.screen->subject == ScreenSubject::kHeadCounts) {
    return FindFigureKind(FigureOf::kCounts);
  }
  const FigureKind* const kind = KindOfHeadLook(state);
  return kind != nullptr && IsThere(state, *kind) ? kind : FindFigureKind(FigureOf::kHead);
}

}  // namespace

std::string DefaultExportPath(const AppState& state,
                              const FigureKind& kind,
                              std::string_view ending) {
  const ModelInfo* model = ShownModel(state);
  const PictureSubject* of = PictureInView(state);
  const HeadIndex head = state.selection.head;
  // Maps of a text that is no longer above say which one: a file of them would pass for the new.
  const std::string text = IsOutdated(state) && of != nullptr ? Slug(of->input.text) : "";
  std::string name = (model != nullptr ? model->name : "headscope") + text;
  if (IsOfTwo(kind) && state.compare.result != nullptr) {
    name += Slug(state.compare.result->comparison.b);
  }
  const std::string view = kind.view == kPlainView ? "" : fmt::format("-{}", kind.view);
  const std::string file = fmt::format("{}-{}{}{}", name, PartOfName(kind, head), view, ending);
  return (state.exports_folder / file).string();
}

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
    const bool has_curves = state.screen->trains && state.train.curves.curves != nullptr;
    if (ShownLayers(state) == 0 && !has_curves) {
      return;
    }
    state.selection.head_locked = true;
    ExportDraft& draft = dialogs.exporting;
    draft.kind = KindOfScreen(state);
    draft.path = DefaultExportPath(state, *draft.kind, EndingInUse(draft));
    draft.ask_overwrite = false;
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
  const auto default_path = [&] {
    return DefaultExportPath(reducer->state(), *edited.kind, EndingInUse(edited));
  };
  const bool path_is_default = edited.path == default_path();
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
  reducer->state().dialogs.exporting.clipboard = job.path;
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
      At<kPreview>({.words = "drawing the preview", .ensure = EnsurePreview, .hear = HearPreview})};
}

}  // namespace headscope

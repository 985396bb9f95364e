// Popups: export, jump, models.
#include <fmt/format.h>

#include "app/state/files/export_draft.h"
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

FigureOf SubjectOfScreen(const AppState& state) {
  if (state.screen->compares && state.compare.result != nullptr) {
    return FigureOf::kComparison;
  }
  return state.screen->subject == ScreenSubject::kHeadCounts ? FigureOf::kCounts : FigureOf::kHead;
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

void Reducer::On(const OpenPopup& action) {
  Dialogs& dialogs = state_.dialogs;
  if (action.popup == Popup::kFlag) {
    const ModelWork* const work = WorkInView();
    if (ShownLayers(state_) == 0 || work == nullptr) {
      return;
    }
    state_.selection.head_locked = true;  // so that the flag stays with the head it was opened for
    OpenFlagEditor(*work, state_.selection.head);
  } else if (action.popup == Popup::kExport) {
    if (ShownLayers(state_) == 0) {
      return;
    }
    state_.selection.head_locked = true;
    ExportDraft& draft = dialogs.exporting;
    draft.kind = FindFigureKind(SubjectOfScreen(state_));
    draft.path = DefaultExportPath(state_, *draft.kind, EndingInUse(draft));
    draft.ask_overwrite = false;
    draft.done.clear();
    ClearNotice(ErrorPlace::kExport);
  } else if (action.popup == Popup::kFlagExport) {
    OpenFlagExport();
  } else if (action.popup == Popup::kScanSave) {
    OpenScanSave();
  } else if (action.popup == Popup::kJump) {
    dialogs.jump_text.clear();
    dialogs.jump_error.clear();
  }
  dialogs.popup = action.popup;
}

// A list of files goes back to what it was opened from.
void Reducer::On(const ClosePopup& /*action*/) {
  Dialogs& dialogs = state_.dialogs;
  dialogs.popup = dialogs.popup == Popup::kFiles ? dialogs.files.before : Popup::kNone;
}

void Reducer::On(const EditModelPath& action) {
  state_.dialogs.model_path = action.path;
}

void Reducer::On(const EditJump& action) {
  state_.dialogs.jump_text = action.text;
  state_.dialogs.jump_error.clear();
}

void Reducer::On(const EditExport& action) {
  ExportDraft& draft = state_.dialogs.exporting;
  const auto default_path = [&] {
    return DefaultExportPath(state_, *draft.kind, EndingInUse(draft));
  };
  const bool path_is_default = draft.path == default_path();
  draft.kind = action.draft.kind;
  draft.size = action.draft.size;
  draft.theme = action.draft.theme;
  const bool path_edited = draft.path != action.draft.path;
  draft.path = !path_edited && path_is_default ? default_path() : action.draft.path;
  draft.ask_overwrite = false;
  draft.done.clear();
  ClearNotice(ErrorPlace::kExport);
}

void Reducer::On(const StartExport& action) {
  if (!CanExport(state_.dialogs.exporting) || !WaitsFor(state_).empty()) {
    return;  // the dialog says why
  }
  ClearNotice(ErrorPlace::kExport);
  state_.dialogs.exporting.ask_overwrite = false;
  state_.dialogs.exporting.done.clear();
  effects_.push_back(MakeFigure{action.overwrite});
}

void Reducer::On(const OverwriteNeeded& /*action*/) {
  state_.dialogs.exporting.ask_overwrite = true;
}

void Reducer::On(const FigureAsked& action) {
  state_.dialogs.exporting.Begin(Send(action.job));
  state_.dialogs.exporting.done.clear();
}

void Reducer::On(const CopyName& /*action*/) {
  effects_.push_back(PutOnClipboard{HeadName(state_.selection.head)});
}

namespace {

void HearFigure(Reducer* reducer, const Event& event) {
  if (const auto* written = std::get_if<FigureWritten>(&event.what)) {
    reducer->state().dialogs.exporting.done = written->path.string();
    reducer->ClearNotice(ErrorPlace::kExport);
  } else if (const Error* error = FailureOf(event);
             error != nullptr && error->code != ErrorCode::kCancelled) {
    reducer->Notify(ErrorPlace::kExport, error->message);
  }
}

}  // namespace

template <>
std::vector<Work> WorksOf<FigureJob>() {
  constexpr auto kExporting = [](auto& state) -> auto& {
    return state.dialogs.exporting;
  };
  return {At<kExporting>({.words = "writing the picture", .is_long = true, .hear = HearFigure})};
}

}  // namespace headscope

#include "app/state/figures/kept.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/files/export_draft.h"

namespace headscope {
namespace {

constexpr FigureSize kMostPreview{720, 720};

// Of their own: a dialog's preview would take their turn, and they its own.
void Ensure(Reducer* reducer) {
  AppState& state = reducer->state();
  FiguresState& figures = state.figures;
  const bool is_wanted = state.screen->shows_figures && state.dialogs.popup != Popup::kExport;
  if (!is_wanted || figures.request != 0 || figures.kept.empty()) {
    return;
  }
  const std::string look = LookKey(state.dialogs.exporting);
  if (look.empty()) {
    return;
  }
  ExportDraft draft = state.dialogs.exporting;
  draft.path = "preview.png";  // whatever file was written last
  for (KeptFigure& figure : figures.kept) {
    if (figure.waits || figure.drawn_as == look) {
      continue;
    }
    auto subject = SubjectOf(figure, draft);
    if (!subject) {
      figure.drawn_as = look;
      figure.preview = nullptr;
      figure.fault = subject.error().message;
      continue;
    }
    figures.drawing = figure.number;
    figures.drawing_as = look;
    figures.Begin(reducer->Send(
        PreviewJob{.kind = figure.kind, .subject = std::move(*subject), .most = kMostPreview}));
    return;
  }
}

void Hear(Reducer* reducer, const Event& event) {
  FiguresState& figures = reducer->state().figures;
  const auto found = std::ranges::find(figures.kept, figures.drawing, &KeptFigure::number);
  if (found == figures.kept.end()) {
    return;  // removed since
  }
  const auto* const made = std::get_if<PreviewMade>(&event.what);
  const Error* const error = FailureOf(event);
  if (made != nullptr) {
    found->preview = made->preview;
    found->fault.clear();
    ++found->revision;
  } else if (error != nullptr && error->code != ErrorCode::kCancelled) {
    found->preview = nullptr;
    found->fault = error->message;
  } else {
    return;
  }
  found->drawn_as = figures.drawing_as;
}

}  // namespace

const KeptFigure* ChosenFigure(const AppState& state) {
  const FiguresState& figures = state.figures;
  return figures.chosen < figures.kept.size() ? &figures.kept[figures.chosen] : nullptr;
}

std::string KeptTitle(const AppState& state, std::size_t place) {
  return fmt::format("Figure {}: {}", place + 1, state.figures.kept.at(place).title);
}

Status CheckSaid(const KeptFigure& figure, bool has_caption) {
  return !figure.needs_caption || has_caption
             ? Status()
             : Fail(
                   ErrorCode::kInput,
                   fmt::format("Heads were off when {} was kept, and this would not say so: save a "
                               "picture or a page with its caption.",
                               figure.title));
}

Result<FigureSubject> SubjectOf(const KeptFigure& figure, const ExportDraft& draft) {
  if (figure.waits) {
    return Fail(ErrorCode::kInput, fmt::format("{}: {}", figure.title, figure.fault));
  }
  HEADSCOPE_TRY(CheckSaid(figure, draft.has_caption && HasGround(draft)));
  FigureSubject subject = figure.subject;
  PutLook(draft, &subject.context);
  return subject;
}

std::vector<std::filesystem::path> FilesOfKept(const AppState& state, const ExportDraft& draft) {
  const std::filesystem::path path = draft.path;
  const std::size_t digits = fmt::format("{}", state.figures.kept.size()).size();
  std::vector<std::filesystem::path> files;
  for (const KeptFigure& figure : state.figures.kept) {
    files.push_back(path.parent_path() / fmt::format("{}-{:0{}}-{}{}",
                                                     path.stem().string(),
                                                     files.size() + 1,
                                                     digits,
                                                     figure.file,
                                                     path.extension().string()));
  }
  return files;
}

Work PreviewsOfKept() {
  return At<&AppState::figures>({.words = "drawing kept figures", .ensure = Ensure, .hear = Hear});
}

}  // namespace headscope

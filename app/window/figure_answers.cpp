#include "app/window/figure_answers.h"

#include <utility>

#include <fmt/format.h>

#include "app/state/files/export_draft.h"
#include "app/state/files/export_kind.h"
#include "app/state/queries.h"
#include "app/window/exports.h"

namespace headscope {

Result<KeptFigure> FigureToKeep(const AppState& state) {
  ExportDraft draft = state.dialogs.exporting;
  draft.of = ExportOf::kShown;
  draft.path = "kept.png";  // what a caption must say is asked of each file
  draft.has_caption = true;
  HEADSCOPE_TRY(auto subject, SubjectFor(state, draft));
  KeptFigure kept;
  kept.kind = draft.kind;
  kept.title = ChoiceName(state, *draft.kind);
  kept.about = subject.context.text.empty()
                   ? subject.context.model
                   : fmt::format("{}: {}", ShownModel(state)->name, subject.context.text);
  kept.file = FileOf(state, *draft.kind);
  kept.needs_caption = ShowsHeadsOff(state, *draft.kind);
  kept.recipe = RecipeOf(state);
  kept.subject = std::move(subject);
  return kept;
}

Action KeepFigure(const AppState& state) {
  Result<KeptFigure> figure = FigureToKeep(state);
  return figure ? Action(FigureKept{std::move(*figure)})
                : Action(FigureNotKept{figure.error().message});
}

Action AskPreview(const AppState& state) {
  Result<PreviewJob> job = PreviewToMake(state);
  return job ? Action(PreviewAsked{std::move(*job)}) : Action(PreviewRefused{job.error().message});
}

}  // namespace headscope

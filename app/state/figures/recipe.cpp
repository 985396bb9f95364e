#include "app/state/figures/recipe.h"

#include <algorithm>
#include <tuple>

#include "app/state/queries.h"
#include "app/state/text/typed_ids.h"

namespace headscope {
namespace {

constexpr const char* kWaits =
    "Kept in the session, and not made again yet: “Make again” goes to where it was kept and takes it "
    "from there.";

}  // namespace

std::optional<FigureRecipe> RecipeOf(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr || !state.shown.input.embeddings.empty()) {
    return std::nullopt;
  }
  FigureRecipe recipe{.model = model->folder.string(),
                      .head = state.selection.head,
                      .view_json = SessionViewText(PlainViewOf(state))};
  std::tie(recipe.text, recipe.pair, recipe.target) = TextsOfInput(state.shown.input);
  return recipe;
}

std::vector<RememberedFigure> FiguresToRemember(const AppState& state) {
  std::vector<RememberedFigure> figures;
  for (const KeptFigure& figure : state.figures.kept) {
    if (figure.recipe) {
      figures.push_back({.of = figure.kind->of,
                         .view = std::string(figure.kind->view),
                         .title = figure.title,
                         .about = figure.about,
                         .file = figure.file,
                         .needs_caption = figure.needs_caption,
                         .recipe = *figure.recipe});
    }
  }
  return figures;
}

std::size_t TakeRemembered(const std::vector<RememberedFigure>& figures, AppState* state) {
  std::vector<KeptFigure>& kept = state->figures.kept;
  const std::vector<RememberedFigure> known = FiguresToRemember(*state);
  std::size_t left_out = 0;
  for (const RememberedFigure& figure : figures) {
    const FigureKind* const kind = FindFigureKind(figure.of, figure.view);
    if (kind == nullptr || std::ranges::find(known, figure) != known.end()) {
      continue;
    }
    if (kept.size() == kMostKeptFigures) {
      ++left_out;
      continue;
    }
    KeptFigure& taken = kept.emplace_back();
    taken.number = ++state->figures.last_number;
    taken.kind = kind;
    taken.title = figure.title;
    taken.about = figure.about;
    taken.file = figure.file;
    taken.needs_caption = figure.needs_caption;
    taken.recipe = figure.recipe;
    taken.waits = true;
    taken.fault = kWaits;
  }
  return left_out;
}

std::size_t WaitingFigures(const AppState& state) {
  return static_cast<std::size_t>(std::ranges::count(state.figures.kept, true, &KeptFigure::waits));
}

}  // namespace headscope

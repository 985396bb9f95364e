// Kept figures of a session are made again, one after another: the window goes to where each was kept,
// waits until all of it is computed and drawn, and takes it from there.
#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/state/files/export_draft.h"
#include "app/state/reducer_class.h"
#include "app/state/text/typed_ids.h"

namespace headscope {
namespace {

// The screen that computes what such figures are of.
std::string_view ScreenFor(FigureOf of) {
  switch (of) {
    case FigureOf::kCounts:
      return "counts";
    case FigureOf::kComparison:
    case FigureOf::kPair:
    case FigureOf::kEffects:
      return "compare";
    case FigureOf::kScores:
    case FigureOf::kSeries:
    case FigureOf::kAblation:
      return "heads";
    case FigureOf::kTraining:
      return "train";
    default:
      return "inspect";
  }
}

bool IsOfSame(const FigureRecipe& a, const FigureRecipe& b) {
  const auto what = [](const FigureRecipe& one) {
    return std::tie(one.model, one.text, one.pair, one.target);
  };
  return what(a) == what(b);
}

Status GoTo(const FigureRecipe& recipe, std::string_view screen, Reducer* reducer) {
  AppState& state = reducer->state();
  HEADSCOPE_TRY(auto view, ReadSessionView(recipe.view_json, "the session"));
  view.screen = screen;
  const std::optional<FigureRecipe> now = RecipeOf(state);
  const bool is_open = now && now->model == recipe.model && IsSettled(state);
  if (is_open && IsOfSame(*now, recipe)) {
    reducer->SelectHead(recipe.head);
    reducer->TakeView(view);
    return {};
  }
  const InputText input = InputOfTexts(recipe.text, recipe.pair, recipe.target);
  if (is_open) {
    SetInput{input}.Do(reducer);
  } else {
    reducer->OpenModel(recipe.model, input);
  }
  state.arriving_head = recipe.head;
  state.arriving_view = std::move(view);
  return {};
}

// Goes to the next one that waits, or back to where it began.
void GoOn(Reducer* reducer) {
  AppState& state = reducer->state();
  FiguresState& figures = state.figures;
  FiguresBeingMade& making = *figures.making;
  while (!making.numbers.empty()) {
    const auto found = std::ranges::find(figures.kept, making.numbers.front(), &KeptFigure::number);
    if (found != figures.kept.end()) {
      const Status went = GoTo(*found->recipe, ScreenFor(found->kind->of), reducer);
      if (went) {
        return;
      }
      found->fault = went.error().message;
    }
    making.numbers.erase(making.numbers.begin());
  }
  const std::optional<FigureRecipe> back = std::move(making.back);
  const ScreenKind* const screen = making.screen;
  figures.making.reset();
  if (!back || !GoTo(*back, screen->id, reducer)) {
    state.screen = screen;
  }
}

KeptFigure* BeingMade(FiguresState* figures) {
  const auto found =
      std::ranges::find(figures->kept, figures->making->numbers.front(), &KeptFigure::number);
  return found != figures->kept.end() ? &*found : nullptr;
}

void Finish(std::string fault, Reducer* reducer) {
  AppState& state = reducer->state();
  if (KeptFigure* const figure = BeingMade(&state.figures)) {
    figure->fault = std::move(fault);
  }
  state.arriving_view.reset();
  state.figures.making->numbers.erase(state.figures.making->numbers.begin());
  GoOn(reducer);
}

}  // namespace

void MakeAgain::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  FiguresState& figures = state.figures;
  FiguresBeingMade making{.numbers = {}, .back = RecipeOf(state), .screen = state.screen};
  for (const KeptFigure& figure : figures.kept) {
    if (figure.waits && (number == 0 || number == figure.number)) {
      making.numbers.push_back(figure.number);
    }
  }
  if (!figures.making && !making.numbers.empty()) {
    figures.making = std::move(making);
    GoOn(reducer);
  }
}

void StopMaking(Reducer* reducer) {
  if (auto& making = reducer->state().figures.making) {
    making->numbers.clear();
    GoOn(reducer);
  }
}

void TakeSettled(Reducer* reducer) {
  AppState& state = reducer->state();
  if (!state.figures.making) {
    return;
  }
  const KeptFigure* const figure = BeingMade(&state.figures);
  if (figure == nullptr || !IsThere(state, *figure->kind)) {
    Finish(
        "It could not be made again: it is not shown where it was kept. What a scan, a training or a "
        "file of pairs gave has to be run first.",
        reducer);
    return;
  }
  reducer->ClearNotice(ErrorPlace::kFigures);
  state.dialogs.exporting.of = ExportOf::kShown;
  state.dialogs.exporting.kind = figure->kind;
  reducer->Emit(KeepFigureNow{});
}

void TakeMade(const KeptFigure& made, Reducer* reducer) {
  KeptFigure* const figure = BeingMade(&reducer->state().figures);
  std::string fault;
  const bool is_of_same =
      figure != nullptr && made.recipe && IsOfSame(*made.recipe, *figure->recipe);
  if (is_of_same && made.title == figure->title && made.about == figure->about) {
    const KeptFigure waiting = std::exchange(*figure, made);
    figure->number = waiting.number;
    figure->recipe = waiting.recipe;
  } else if (figure != nullptr) {
    fault = is_of_same
                ? fmt::format(
                      "It could not be made again: where it was kept, there is now “{}” of “{}”.",
                      made.title,
                      made.about)
                : fmt::format("It could not be made again: its text does not open in {}.",
                              figure->recipe->model);
  }
  Finish(std::move(fault), reducer);
}

void TakeNotMade(const std::string& why, Reducer* reducer) {
  Finish("It could not be made again: " + why, reducer);
}

}  // namespace headscope

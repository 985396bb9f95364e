// Keeping figures, and their order.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/state/figures/kept.h"
#include "app/state/files/export_kind.h"
#include "app/state/reducer_class.h"

namespace headscope {
namespace {

void Keep(const FigureKind* kind, Reducer* reducer) {
  AppState& state = reducer->state();
  reducer->ClearNotice(ErrorPlace::kFigures);
  state.dialogs.exporting.is_kept = false;
  if (state.figures.kept.size() == kMostKeptFigures) {
    FigureNotKept{fmt::format("{} figures are kept, which is the most: export them and remove some "
                              "in Figures.",
                              kMostKeptFigures)}
        .Do(reducer);
    return;
  }
  state.dialogs.exporting.of = ExportOf::kShown;
  state.dialogs.exporting.kind = kind;
  reducer->Emit(KeepFigureNow{});
}

std::size_t Within(const FiguresState& figures, std::int64_t place) {
  const std::int64_t last = std::ssize(figures.kept) - 1;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(place, 0, std::max<std::int64_t>(0, last)));
}

}  // namespace

void KeepShown(Reducer* reducer) {
  const AppState& state = reducer->state();
  if (CanExportSomething(state) && !state.screen->shows_figures) {
    Keep(KindOfScreen(state), reducer);
  }
}

void KeepExported(Reducer* reducer) {
  const Dialogs& dialogs = reducer->state().dialogs;
  if (dialogs.popup == Popup::kExport && dialogs.exporting.of == ExportOf::kShown) {
    Keep(dialogs.exporting.kind, reducer);
  }
}

void KeepKind::Do(Reducer* reducer) const {
  Keep(kind, reducer);
}

void FigureKept::Do(Reducer* reducer) const {
  FiguresState& figures = reducer->state().figures;
  if (figures.making) {
    TakeMade(figure, reducer);
    return;
  }
  figures.kept.push_back(figure);
  figures.kept.back().number = ++figures.last_number;
  figures.chosen = figures.kept.size() - 1;
  reducer->state().dialogs.exporting.is_kept = true;
}

void FigureNotKept::Do(Reducer* reducer) const {
  if (reducer->state().figures.making) {
    TakeNotMade(why, reducer);
    return;
  }
  reducer->Notify(ErrorPlace::kFigures, why);
}

void ChooseKept::Do(Reducer* reducer) const {
  FiguresState& figures = reducer->state().figures;
  figures.chosen = Within(figures, place);
}

void MoveKept::Do(Reducer* reducer) const {
  FiguresState& figures = reducer->state().figures;
  if (figures.kept.empty()) {
    return;
  }
  const auto begin = figures.kept.begin();
  const auto from = static_cast<std::int64_t>(figures.chosen);
  const auto to = static_cast<std::int64_t>(Within(figures, from + by));
  if (from < to) {
    std::rotate(begin + from, begin + from + 1, begin + to + 1);
  } else {
    std::rotate(begin + to, begin + from, begin + from + 1);
  }
  figures.chosen = static_cast<std::size_t>(to);
}

void RemoveKept(Reducer* reducer) {
  FiguresState& figures = reducer->state().figures;
  if (figures.chosen < figures.kept.size()) {
    figures.kept.erase(figures.kept.begin() + static_cast<std::int64_t>(figures.chosen));
    figures.chosen = Within(figures, static_cast<std::int64_t>(figures.chosen));
  }
}

}  // namespace headscope

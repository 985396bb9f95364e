// Where a person has been, and how the window is shown to others.
#include <algorithm>
#include <utility>

#include "app/state/reducer_class.h"

namespace headscope {

ViewPlace PlaceOf(const AppState& state) {
  return {.screen = state.screen,
          .kept = state.selection.head_locked ? std::optional(state.selection.head) : std::nullopt,
          .head = state.head_look,
          .grid = state.grid_look,
          .tokens = state.token_look,
          .map = state.settings,
          .heads = state.heads_look,
          .compare = state.compare.look,
          .off = state.heads_off.chosen,
          .edges_of = state.heads_off.edges_of};
}

void Reducer::GoToPlace(const ViewPlace& place) {
  AppState& state = state_;
  // Tokens that were hidden by hand, and chosen words, are of one text.
  std::vector<std::int64_t> hidden = std::move(state.token_look.hidden);
  state.screen = place.screen;
  state.head_look = place.head;
  state.grid_look = place.grid;
  state.token_look = place.tokens;
  state.token_look.hidden = std::move(hidden);
  state.settings = place.map;
  state.heads_look = place.heads;
  state.compare.look = place.compare;
  state.heads_off.chosen = place.off;
  state.heads_off.edges_of = place.edges_of;
  state.selection.head_locked = place.kept.has_value();
  if (place.kept && ShownLayers(state) > 0) {
    SelectHead(*place.kept);
  }
}

// A line that is dragged changes its place with every move: one step back undoes all of it.
ViewWatch::ViewWatch(const AppState& state)
    : before_(PlaceOf(state)), makes_figures_(state.figures.making.has_value()) {}

void ViewWatch::Remember(const Action& action, AppState* state) const {
  ViewPlace now = PlaceOf(*state);
  if (makes_figures_ || state->figures.making || state->shown.request == 0 ||
      action.As<StepView>() != nullptr || now == before_) {
    return;
  }
  ViewHistory& history = state->view_history;
  history.future.clear();
  const auto is_dragged = [](ViewPlace one, const ViewPlace& other) {
    one.head.keep = other.head.keep;
    one.compare.divider = other.compare.divider;
    one.grid.least = other.grid.least;
    one.tokens.stop_words = other.tokens.stop_words;  // typed
    return one == other;
  };
  const bool goes_on =
      !history.past.empty() && is_dragged(before_, now) && is_dragged(history.past.back(), before_);
  if (goes_on) {
    return;
  }
  history.past.push_back(before_);
  if (history.past.size() > kMostPlaces) {
    history.past.erase(history.past.begin());
  }
}

void StepView::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  std::vector<ViewPlace>& from = back ? state.view_history.past : state.view_history.future;
  std::vector<ViewPlace>& to = back ? state.view_history.future : state.view_history.past;
  if (from.empty()) {
    return;
  }
  to.push_back(PlaceOf(state));
  const ViewPlace place = std::move(from.back());
  from.pop_back();
  reducer->GoToPlace(place);
}

void SetRange::Do(Reducer* reducer) const {
  reducer->state().settings.range = range;
  reducer->state().settings.high = high;
}

void Present::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (on == state.presenting.has_value()) {
    return;
  }
  if (on) {
    state.presenting = state.theme;
    state.theme = Theme::kLight;
  } else {
    state.theme = *std::exchange(state.presenting, std::nullopt);
  }
}

void ChooseTheme::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.follows_desktop = !theme.has_value();
  state.theme = theme.value_or(state.desktop_theme.value_or(state.theme));
}

void DesktopThemeIs::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.desktop_theme = theme;
  if (!state.follows_desktop || !theme) {
    return;
  }
  (state.presenting ? *state.presenting : state.theme) = *theme;
}

}  // namespace headscope

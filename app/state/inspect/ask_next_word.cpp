// What the model says at a held row.
#include "app/state/work.h"

namespace headscope {
namespace {

std::optional<WordPlace> WantedNextWord(const AppState& state) {
  const std::optional<WordPlace> place = HeldRow(state);
  return place && IsSettled(state) && SelectedLayer(state).from->model == state.model
             ? place
             : std::nullopt;
}

Request RequestOfNextWord(const AppState& state, const WordPlace& place) {
  return NextWordJob{.row = place.row,
                     .opening = state.model->opening,
                     .off = place.off,
                     .probes = state.probes_folder};
}

}  // namespace

template <>
std::vector<Work> WorksOf<NextWordJob>() {
  Work work =
      Answered<&AppState::next_word, &NextWordSaid::word, WantedNextWord, RequestOfNextWord>(
          {.words = "finding the next word"});
  work.ensure = [](Reducer* reducer) {
    if (!HeldRow(reducer->state())) {
      reducer->state().next_word = {};  // it goes with the row
    }
    AskFor<&AppState::next_word, WantedNextWord, RequestOfNextWord>(reducer);
  };
  return {work};
}

}  // namespace headscope

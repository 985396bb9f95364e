// Heads that look as the selected one does on the text of the picture.
#include "app/state/work.h"

namespace headscope {
namespace {

// Weights from a file will do: the maps are all that it takes.
std::optional<AlikeQuestion> WantedAlike(const AppState& state) {
  return state.screen->wants_scores && IsSettled(state) && state.shown.request != 0
             ? std::optional(AlikeQuestion{state.shown.request, state.selection.head})
             : std::nullopt;
}

Request RequestOfAlike(const AppState& state, const AlikeQuestion& question) {
  return AlikeJob{.layers = state.shown.layers, .head = question.head};
}

}  // namespace

template <>
std::vector<Work> WorksOf<AlikeJob>() {
  return {Answered<&AppState::alike, &AlikeFound::heads, WantedAlike, RequestOfAlike>(
      {.words = "finding heads that look alike"})};
}

}  // namespace headscope

// All heads, placed by how alike they look on the text of the picture, while Heads shows them so.
#include "app/state/queries.h"
#include "app/state/work.h"

namespace headscope {
namespace {

std::optional<HeadPlacesQuestion> WantedPlaces(const AppState& state) {
  return state.screen->wants_scores && state.heads_look.view == HeadsView::kAlike &&
                 IsSettled(state) && state.shown.request != 0
             ? std::optional(HeadPlacesQuestion{state.shown.request, PartInView(state)})
             : std::nullopt;
}

Request RequestOfPlaces(const AppState& state, const HeadPlacesQuestion& question) {
  return PlaceHeadsJob{.layers = state.shown.layers, .part = question.part};
}

}  // namespace

template <>
std::vector<Work> WorksOf<PlaceHeadsJob>() {
  return {Answered<&AppState::head_places, &HeadsPlaced::places, WantedPlaces, RequestOfPlaces>(
      {.words = "placing heads by how alike they look"})};
}

}  // namespace headscope

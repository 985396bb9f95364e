// Who wrote what the score of a held cell is made of.
#include "app/state/work.h"

namespace headscope {
namespace {

std::optional<WhyCell> WantedSources(const AppState& state) {
  const std::optional<WhyCell> cell = HeldCell(state);
  return cell && IsSettled(state) && SelectedLayer(state).from->model == state.model ? cell
                                                                                     : std::nullopt;
}

Request RequestOfSources(const AppState& state, const WhyCell& cell) {
  const LayerAttention& layer = *cell.map.layer;
  return SourcesJob{.cell = {.layer = {layer.part(), layer.layer()},
                             .head = cell.map.head,
                             .query = cell.cell.query,
                             .key = cell.cell.key},
                    .opening = state.model->opening};
}

}  // namespace

template <>
std::vector<Work> WorksOf<SourcesJob>() {
  Work work = Answered<&AppState::why, &SourcesReady::sources, WantedSources, RequestOfSources>(
      {.words = "taking the score of the cell apart"});
  work.ensure = [](Reducer* reducer) {
    if (!HeldCell(reducer->state())) {
      reducer->state().why = {};  // it goes with the cell
    }
    AskFor<&AppState::why, WantedSources, RequestOfSources>(reducer);
  };
  return {work};
}

}  // namespace headscope

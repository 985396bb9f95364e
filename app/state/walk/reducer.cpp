// The walk from one head to h heads.
#include <algorithm>

#include "app/state/work.h"
#include "core/headcount/walk.h"

namespace headscope {

namespace {

std::optional<WalkSubject> WantedWalk(const AppState& state) {
  const LayerView view = SelectedLayer(state);
  if (!state.walk.is_open || state.screen->subject != ScreenSubject::kHeadCounts ||
      view.layer == nullptr || !view.layer->has_scores()) {
    return std::nullopt;
  }
  // The worker has the model that is open, and its last text.
  if (view.stale || view.from->model != state.model || !IsSettled(state)) {
    return std::nullopt;
  }
  const AttentionShape& shape = view.layer->shape();
  const std::int64_t row = std::min(state.selection.row.value_or(shape.queries), shape.queries - 1);
  return WalkSubject{.layer = view.layer,
                     .head = state.selection.head.head,
                     .first_row = WalkRowsOf(shape.queries, shape.keys, row).first};
}

Request RequestOfWalk(const AppState& state, const WalkSubject& question) {
  return WalkJob{.layer = {question.layer->part(), question.layer->layer()},
                 .head = question.head,
                 .first_row = question.first_row,
                 .opening = state.model->opening};
}

}  // namespace

template <>
std::vector<Work> WorksOf<WalkJob>() {
  return {Answered<&AppState::walk, &WalkReady::walk, WantedWalk, RequestOfWalk>(
      {.words = "computing the layer line by line"})};
}

}  // namespace headscope

// The walk from one head to h heads.
#include <algorithm>
#include <utility>

#include "app/state/reducer_class.h"
#include "core/headcount/walk.h"

namespace headscope {

void Reducer::On(const ShowWalk& action) {
  state_.walk.is_open = action.open;
}

void Reducer::On(const ShowStage& action) {
  state_.walk.stage = action.stage;
}

void Reducer::EnsureWalk() {
  WalkState& walk = state_.walk;
  const LayerView view = SelectedLayer(state_);
  if (!walk.is_open || state_.screen->subject != ScreenSubject::kHeadCounts ||
      view.layer == nullptr || !view.layer->has_scores()) {
    return;
  }
  // The worker has the model that is open, and its last text.
  if (view.stale || view.from->model != state_.model || !state_.opening_folder.empty() ||
      state_.pending.request != 0) {
    return;
  }
  const AttentionShape& shape = view.layer->shape();
  const std::int64_t row =
      std::min(state_.selection.row.value_or(shape.queries), shape.queries - 1);
  const WalkState::Question question{.layer = view.layer,
                                     .head = state_.selection.head.head,
                                     .first_row = WalkRowsOf(shape.queries, shape.keys, row).first};
  if (walk.of == question || walk.wanted == question) {
    return;
  }
  walk.wanted = question;
  walk.request = Send(WalkJob{.layer = {view.layer->part(), view.layer->layer()},
                              .head = question.head,
                              .first_row = question.first_row,
                              .opening = state_.model->opening});
}

void Reducer::WalkEvent(const Event& event) {
  WalkState& walk = state_.walk;
  if (const auto* ready = std::get_if<WalkReady>(&event.what)) {
    walk.walk = ready->walk;
    walk.fault.clear();
    walk.of = walk.wanted;
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    walk.request = 0;
    if (failed->error.code == ErrorCode::kCancelled) {
      walk.wanted.reset();
    } else if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));  // wanted stays: the text goes with its picture
    } else {
      walk.walk = nullptr;
      walk.fault = failed->error.message;
      walk.of = std::exchange(walk.wanted, std::nullopt);
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    walk.request = 0;
    walk.wanted.reset();
  }
}

}  // namespace headscope

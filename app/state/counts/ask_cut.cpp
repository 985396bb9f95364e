// The selected layer under other head counts.
#include <utility>

#include "app/state/counts/head_tree.h"
#include "app/state/files/export_draft.h"
#include "app/state/work.h"

namespace headscope {
namespace {

constexpr std::size_t kMostMeasured = 16;  // ways to cut a layer

void EnsureCut(Reducer* reducer) {
  AppState& state = reducer->state();
  const bool is_shown = state.screen->subject == ScreenSubject::kHeadCounts && !state.walk.is_open;
  if (!is_shown && !ExportsCounts(state)) {
    return;
  }
  const LayerView view = SelectedLayer(state);
  if (view.layer != nullptr && !view.layer->has_scores()) {
    return;  // the screen says why
  }
  // The worker cuts the layers of the model that is open.
  if (view.layer == nullptr || view.stale || view.from->model != state.model || !IsSettled(state)) {
    return;
  }
  Counts& counts = state.counts;
  const SplitRequest how = CutOf(state, *view.layer);
  const bool is_made = counts.source == view.layer && state.tree.how_made == how &&
                       (IsWhole(counts) || counts.request == 0);
  if (is_made || (counts.wanted == view.layer && state.tree.wanted_how == how)) {
    return;
  }
  state.tree.wanted_how = how;
  counts.wanted = view.layer;
  counts.wanted_of = *view.from;
  reducer->ClearNotice(ErrorPlace::kCounts);
  counts.Begin(reducer->Send(SplitJob{.layer = view.layer->layer(),
                                      .split = how,
                                      .part = view.layer->part(),
                                      .opening = state.model->opening,
                                      .known = view.layer,
                                      .step_zero = state.model->step_zero}));
}

// Numbers alone: the maps of a cut go with it.
void RememberCut(const SplitResult& result, HeadTreeState* tree) {
  auto& measured = tree->measured;
  std::erase_if(measured, [&](const auto& one) { return one->request == result.request; });
  if (measured.size() >= kMostMeasured) {
    measured.erase(measured.begin());
  }
  auto numbers = std::make_shared<SplitResult>(result);
  for (SplitCount& count : numbers->counts) {
    count.attention = nullptr;
  }
  measured.push_back(std::move(numbers));
}

// It grows count by count: what is chosen and measured goes with the first of another cut.
void TakeCut(const std::shared_ptr<const SplitResult>& split, AppState* state) {
  Counts& counts = state->counts;
  HeadTreeState& tree = state->tree;
  if (counts.source != counts.wanted) {
    counts.chosen.reset();
    tree.pinned.reset();
    tree.zeroed.clear();
    tree.measured.clear();
  }
  if (counts.source != counts.wanted || tree.how_made != tree.wanted_how) {
    tree.answers.clear();
  }
  counts.result = split;
  counts.source = counts.wanted;
  counts.source_of = counts.wanted_of;
  tree.how_made = tree.wanted_how;
  tree.tree = std::make_shared<const SplitTree>(MakeSplitTree(*counts.result));
}

void HearCut(Reducer* reducer, const Event& event) {
  Counts& counts = reducer->state().counts;
  HeadTreeState& tree = reducer->state().tree;
  if (const auto* ready = std::get_if<SplitReady>(&event.what)) {
    TakeCut(ready->split, &reducer->state());
    reducer->ForgetMaps();
  } else if (const Error* error = FailureOf(event)) {
    if (error->code == ErrorCode::kCancelled) {
      counts.wanted.reset();
      if (!IsWhole(counts)) {
        tree.how_made = {};  // asked for again
      }
    } else if (error->code != ErrorCode::kGone) {  // then it is asked for again once it is open
      reducer->Notify(ErrorPlace::kCounts, error->message);
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    counts.wanted.reset();
    if (counts.result != nullptr) {
      RememberCut(*counts.result, &tree);
    }
  }
}

}  // namespace

template <>
std::vector<Work> WorksOf<SplitJob>() {
  return {At<&AppState::counts>(
      {.words = "computing head counts", .is_long = true, .ensure = EnsureCut, .hear = HearCut})};
}

}  // namespace headscope

// The largest weights of the heads that are shown as lines.
#include <optional>

#include "app/state/inspect/head_views.h"
#include "app/state/work.h"

namespace headscope {

bool ShowsLines(const AppState& state) {
  const HeadView view = state.head_look.view;
  return state.screen->id == "inspect" && (view == HeadView::kLines || view == HeadView::kArcs);
}

bool ShowsLargeMap(const AppState& state) {
  return state.screen->id != "inspect" || state.head_look.view == HeadView::kMap;
}

std::vector<std::int64_t> HeadsInView(const AppState& state) {
  if (state.head_look.heads == LineHeads::kOne) {
    return {state.selection.head.head};
  }
  std::vector<std::int64_t> heads;
  for (std::int64_t head = 0; head < ShownHeads(state); ++head) {
    if (!state.head_look.hidden.contains(head)) {
      heads.push_back(head);
    }
  }
  return heads;
}

std::vector<MapView> MapsShown(const AppState& state) {
  const MapView selected = MapInFull(state).map;
  std::vector<MapView> maps;
  if (selected.layer != nullptr) {
    for (const std::int64_t head : HeadsInView(state)) {
      maps.push_back({selected.layer, head});
    }
  }
  return maps;
}

namespace {

std::optional<KeptQuestion> QuestionInView(const AppState& state) {
  if (!ShowsLines(state) || MapInFull(state).map.layer == nullptr) {
    return std::nullopt;
  }
  return KeptQuestion{.maps = MapsShown(state), .rule = state.head_look.keep};
}

// An older picture's answer is shown while it is, but not asked for any more.
std::optional<KeptQuestion> WantedKept(const AppState& state) {
  return MapInFull(state).stale ? std::nullopt : QuestionInView(state);
}

Request RequestOfKept(const AppState& /*state*/, const KeptQuestion& question) {
  return KeepJob{.maps = question.maps, .rule = question.rule};
}

}  // namespace

const KeptWeights* KeptInView(const AppState& state) {
  const auto wanted = QuestionInView(state);
  return wanted && state.kept.of == wanted ? state.kept.answer.get() : nullptr;
}

template <>
std::vector<Work> WorksOf<KeepJob>() {
  Work work = Answered<&AppState::kept, &WeightsKept::kept, WantedKept, RequestOfKept>(
      {.words = "finding the largest weights"});
  work.ensure = [](Reducer* reducer) {
    if (!QuestionInView(reducer->state())) {
      reducer->state().kept = {};  // it goes with the view
    }
    AskFor<&AppState::kept, WantedKept, RequestOfKept>(reducer);
  };
  return {work};
}

}  // namespace headscope

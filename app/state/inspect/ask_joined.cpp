// Heads that are joined into one map: the mean of a layer, and rollout.
#include "app/state/inspect/cell_words.h"
#include "app/state/inspect/joined.h"
#include "app/state/queries.h"
#include "app/state/work.h"

namespace headscope {
namespace {

// Layers of the selected part up to the selected one, as they are shown; a mean needs the last.
std::vector<std::shared_ptr<const LayerAttention>> LayersUpTo(const AppState& state) {
  const std::int64_t last = state.selection.head.layer;
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  const bool is_mean = state.head_look.map_of == MapOf::kMean;
  for (std::int64_t layer = is_mean ? last : 0; layer <= last; ++layer) {
    layers.push_back(LayerAt(state, layer).layer);
  }
  return layers;
}

std::optional<JoinQuestion> WantedJoin(const AppState& state) {
  if (!JoinsHeads(state) || !WhyNoMapOf(state).empty() || SelectedLayer(state).stale ||
      ShownLayers(state) == 0) {
    return std::nullopt;
  }
  JoinQuestion question{
      LayersUpTo(state),
      state.head_look.map_of == MapOf::kMean ? HeadsJoin::kMean : HeadsJoin::kRollout};
  for (const auto& layer : question.layers) {
    if (layer == nullptr) {
      return std::nullopt;  // not computed yet
    }
  }
  return question;
}

Request RequestOfJoin(const AppState& /*state*/, const JoinQuestion& question) {
  return JoinJob{.layers = question.layers, .join = question.join};
}

}  // namespace

bool JoinsHeads(const AppState& state) {
  const MapOf of = state.head_look.map_of;
  return state.screen->looks_at_tokens && state.head_look.view == HeadView::kMap &&
         (of == MapOf::kMean || of == MapOf::kRollout);
}

std::string WhyNoMapOf(const AppState& state) {
  if (WeighsHead(state)) {
    return WhyNoWeighing(state);
  }
  return state.head_look.map_of == MapOf::kRollout && PartInView(state) == ModelPart::kCross
             ? "Rollout follows one text through its layers; these heads look from one text into "
               "another."
             : "";
}

std::shared_ptr<const LayerAttention> JoinedInView(const AppState& state) {
  if (const auto weighed = WeighedInView(state)) {
    return weighed->layer;
  }
  const auto question = WantedJoin(state);
  return question && state.joined.of == question ? state.joined.answer : nullptr;
}

const std::string& FaultOfMapOf(const AppState& state) {
  return WeighsHead(state) ? state.weighed.fault : state.joined.fault;
}

std::string_view CellOfMapOf(const AppState& state) {
  switch (state.head_look.map_of) {
    case MapOf::kValues:
    case MapOf::kOutputs:
      return "weight × length";
    case MapOf::kMean:
      return "mean weight";
    case MapOf::kRollout:
      return "rollout";
    case MapOf::kHead:
      break;
  }
  return kPlainCell;
}

std::string JoinedBriefly(const AppState& state) {
  const HeadIndex head = state.selection.head;
  const std::string layer = LayerName({head.part, head.layer});
  switch (state.head_look.map_of) {
    case MapOf::kValues:
      return HeadName(head) + " × values";
    case MapOf::kOutputs:
      return HeadName(head) + " × outputs";
    case MapOf::kMean:
      return "Mean " + layer;
    case MapOf::kRollout:
      return "Rollout " + layer;
    case MapOf::kHead:
      break;
  }
  return HeadName(head);
}

template <>
std::vector<Work> WorksOf<JoinJob>() {
  return {Answered<&AppState::joined, &HeadsJoined::layer, WantedJoin, RequestOfJoin>(
      {.words = "joining heads"})};
}

}  // namespace headscope

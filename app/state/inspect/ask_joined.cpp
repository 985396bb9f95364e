// Heads that are joined into one map: the mean of a layer, and rollout.
#include <fmt/format.h>

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
  if (!JoinsHeads(state) || !WhyNoRollout(state).empty() || SelectedLayer(state).stale ||
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
  return state.screen->looks_at_tokens && state.head_look.view == HeadView::kMap &&
         state.head_look.map_of != MapOf::kHead;
}

std::string WhyNoRollout(const AppState& state) {
  if (state.head_look.map_of != MapOf::kRollout) {
    return "";
  }
  return PartInView(state) == ModelPart::kCross
             ? "Rollout follows one text through its layers; these heads look from one text into "
               "another."
             : "";
}

std::shared_ptr<const LayerAttention> JoinedInView(const AppState& state) {
  const auto question = WantedJoin(state);
  return question && state.joined.of == question ? state.joined.answer : nullptr;
}

std::string JoinedBriefly(const AppState& state) {
  const HeadIndex head = state.selection.head;
  return fmt::format("{} {}",
                     state.head_look.map_of == MapOf::kMean ? "Mean" : "Rollout",
                     LayerName({head.part, head.layer}));
}

template <>
std::vector<Work> WorksOf<JoinJob>() {
  return {Answered<&AppState::joined, &HeadsJoined::layer, WantedJoin, RequestOfJoin>(
      {.words = "joining heads"})};
}

}  // namespace headscope

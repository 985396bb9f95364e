// The selected head's map, its weights times the length of what each key brings.
#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/joined.h"
#include "app/state/queries.h"
#include "app/state/work.h"

namespace headscope {
namespace {

std::optional<WeighQuestion> WantedWeighing(const AppState& state) {
  const LayerView selected = SelectedLayer(state);
  const HeadIndex head = state.selection.head;
  const bool is_there = WeighsHead(state) && WhyNoMapOf(state).empty() && IsSettled(state) &&
                        selected.layer != nullptr && !selected.stale &&
                        selected.from->model == state.model &&
                        head.head < selected.layer->shape().heads;
  if (!is_there) {
    return std::nullopt;
  }
  return WeighQuestion{
      .map = {.layer = selected.layer, .head = head.head},
      .by = state.head_look.map_of == MapOf::kValues ? WeighedBy::kValues : WeighedBy::kOutputs};
}

Request RequestOfWeighing(const AppState& state, const WeighQuestion& question) {
  const LayerAttention& layer = *question.map.layer;
  return WeighJob{.head = {layer.layer(), question.map.head, layer.part()},
                  .by = question.by,
                  .opening = state.model->opening};
}

}  // namespace

bool WeighsHead(const AppState& state) {
  const MapOf of = state.head_look.map_of;
  return state.screen->looks_at_tokens && state.head_look.view == HeadView::kMap &&
         (of == MapOf::kValues || of == MapOf::kOutputs);
}

std::string WhyNoWeighing(const AppState& state) {
  if (ShownModel(state) == nullptr || state.model != state.shown.model || state.model == nullptr ||
      state.model->file != nullptr) {
    return "There are weights only, no values that they could be times: open a model.";
  }
  if (LooksAtTokens(state)) {
    return "Values are of single tokens: show all of them (Tokens, above).";
  }
  if (HeadsOffInView(state) != nullptr) {
    return "Values are the whole model's: put the heads that are off back.";
  }
  return "";
}

std::shared_ptr<const WeighedHead> WeighedInView(const AppState& state) {
  const auto question = WantedWeighing(state);
  return question && state.weighed.of == question ? state.weighed.answer : nullptr;
}

template <>
std::vector<Work> WorksOf<WeighJob>() {
  return {Answered<&AppState::weighed, &HeadWeighed::head, WantedWeighing, RequestOfWeighing>(
      {.words = "weighing weights by values"})};
}

}  // namespace headscope

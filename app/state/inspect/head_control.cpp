#include "app/state/inspect/head_control.h"

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/inspect/head_cost.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/state/work.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

std::optional<ControlPlace> WantedControl(const AppState& state) {
  const std::optional<ControlPlace> place = ControlInView(state);
  const bool is_asked = place && (!IsControlOnRequest(state) || state.control_asked == place);
  return is_asked && state.shown.model == state.model && IsSettled(state) ? place : std::nullopt;
}

Request RequestOfControl(const AppState& state, const ControlPlace& place) {
  return HeadControlJob{
      .off = place.off, .opening = state.model->opening, .probes = state.probes_folder};
}

}  // namespace

std::optional<ControlPlace> ControlInView(const AppState& state) {
  if (const HeadsOff* const off = HeadsOffInView(state)) {
    return ControlPlace{state.shown.request, *off};
  }
  if (const std::optional<CostPlace> cost = CostPlaceInView(state)) {
    return ControlPlace{cost->picture, {.heads = {cost->head}}};
  }
  return std::nullopt;
}

bool IsControlOnRequest(const AppState& state) {
  return !IsQuickToScan(state.shown.model->description);
}

std::string ControlWords(const AppState& state) {
  const ControlOfHeads& asked = state.head_control;
  const std::optional<ControlPlace> place = ControlInView(state);
  if (!place || asked.of != place || asked.answer == nullptr) {
    return place && state.control_asked == place ? "measuring other heads…" : "";
  }
  const HeadControl& control = *asked.answer;
  if (!control.cost) {
    return "no control: " + control.why_not;
  }
  const RandomCost& cost = *control.cost;
  const std::string spread =
      cost.others.size() > 1 ? fmt::format(" ± {:.3f}", cost.deviation()) : std::string();
  return fmt::format("others of the layer, {}: {:+.3f}{}",
                     Counted(std::ssize(cost.others), "draw"),
                     cost.mean(),
                     spread);
}

std::string ControlMore() {
  return "Control: as many other heads of the same layers, drawn at random, at most ten times: how much "
         "the loss changes without them, their mean and standard deviation. Losing any head does "
         "some harm.";
}

void AskControl(Reducer* reducer) {
  reducer->state().control_asked = ControlInView(reducer->state());
}

template <>
std::vector<Work> WorksOf<HeadControlJob>() {
  Work work = At<&AppState::head_control>({.words = "measuring other heads", .is_long = true});
  work.ensure = AskFor<&AppState::head_control, WantedControl, RequestOfControl>;
  work.hear = [](Reducer* reducer, const Event& event) {
    HearAnswer<&AppState::head_control>(reducer, event, &HeadControls::control);
    // What a person asked for and stopped is not asked again.
    if (const Error* const error = FailureOf(event);
        error != nullptr && error->code == ErrorCode::kCancelled) {
      reducer->state().control_asked.reset();
    }
  };
  return {work};
}

}  // namespace headscope

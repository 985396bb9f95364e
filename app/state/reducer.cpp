#include "app/state/reducer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "app/state/cause_numbers.h"
#include "app/state/work.h"

namespace headscope {

AppState& StateOf(Reducer* reducer) {
  return reducer->state();
}

std::vector<Effect> Reduce(AppState* state, const Action& action) {
  Reducer reducer(state);
  const ViewWatch watch(*state);
  action.Do(&reducer);
  reducer.KeepWithin();
  watch.Remember(action, state);
  reducer.ForgetWorks();
  reducer.EnsureShown();
  return reducer.TakeEffects();
}

void SetDetailWidth::Do(Reducer* reducer) const {
  reducer->state().detail_width = std::clamp(width, 380.0F, 900.0F);
}

void ZoomText::Do(Reducer* reducer) const {
  constexpr std::array kZooms = {0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5};
  double& zoom = reducer->state().zoom;
  const auto now = std::ranges::lower_bound(kZooms, zoom - 1e-9) - kZooms.begin();
  const auto next = std::clamp<std::ptrdiff_t>(now + steps, 0, std::ssize(kZooms) - 1);
  zoom = kZooms.at(static_cast<std::size_t>(next));
}

void Reducer::EnsureShown() {
  KeepSaidWord(&state_);
  for (const Work& work : Works()) {
    if (work.ensure != nullptr) {
      work.ensure(this);
    }
  }
}

RequestId Reducer::Send(Request request) {
  const RequestId id = ++state_.last_request;
  effects_.push_back(Submit{id, std::move(request)});
  return id;
}

void Reducer::Stop(RequestId request) {
  if (request != 0) {
    effects_.emplace_back(std::in_place_type<Cancel>, Cancel{request});
  }
}

void Reducer::Notify(ErrorPlace place, std::string sentence) {
  ClearNotice(place);
  state_.notices.push_back({place, std::move(sentence)});
}

void Reducer::ClearNotice(ErrorPlace place) {
  std::erase_if(state_.notices, [place](const Notice& notice) { return notice.place == place; });
}

}  // namespace headscope

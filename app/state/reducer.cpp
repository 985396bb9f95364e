#include "app/state/reducer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/state/work.h"

namespace headscope {

std::vector<Effect> Reduce(AppState* state, const Action& action) {
  Reducer reducer(state);
  action.Visit([&reducer](const auto& what) { reducer.On(what); });
  reducer.KeepWithin();
  reducer.ForgetWorks();
  reducer.EnsureShown();
  return reducer.TakeEffects();
}

void Reducer::On(const SetScreen& action) {
  state_.screen = action.screen;
}
void Reducer::On(const SetGridLook& action) {
  state_.grid_look = action.look;
}
void Reducer::On(const SetTheme& action) {
  state_.theme = action.theme;
}
void Reducer::On(const SetCurve& action) {
  state_.settings.curve = action.curve;
}
void Reducer::On(const SetRange& action) {
  state_.settings.range = action.range;
}
void Reducer::On(const SetColormap& action) {
  state_.settings.colormap = action.colormap;
}
void Reducer::On(const SetPooling& action) {
  state_.settings.pooling = action.pooling;
}
void Reducer::On(const SetDetailWidth& action) {
  state_.detail_width = std::clamp(action.width, 380.0F, 900.0F);
}
void Reducer::On(const ShowSheet& action) {
  state_.sheet_open = action.open;
}

void Reducer::EnsureShown() {
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

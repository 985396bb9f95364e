#include "app/state/reducer.h"

#include <algorithm>

#include "app/state/reducer_parts.h"

namespace headscope {

std::vector<Effect> Reduce(AppState* state, const Action& action) {
  Reducer reducer(state);
  std::visit([&reducer](const auto& what) { reducer.On(what); }, action);
  reducer.EnsureShown();
  return reducer.TakeEffects();
}

void Reducer::On(const SetScreen& action) {
  state_.screen = action.screen;
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
  EnsureMap();
  EnsureCounts();
}

void Reducer::EnsureMap() {
  const LayerView view = SelectedLayer(state_);
  const std::int64_t head = state_.selection.head.head;
  if (view.layer == nullptr || view.stale || head >= view.layer->shape().heads ||
      !view.layer->thumbnail(head).pooled) {
    return;
  }
  auto& cache = state_.maps.cache;
  const auto found = std::find_if(cache.begin(), cache.end(), [&](const CachedMap& entry) {
    return entry.layer == view.layer && entry.map->head == head;
  });
  if (found != cache.end()) {
    std::rotate(found, found + 1, cache.end());  // used last
    return;
  }
  if (state_.maps.wanted_layer == view.layer && state_.maps.wanted_head == head) {
    return;
  }
  state_.maps.wanted_layer = view.layer;
  state_.maps.wanted_head = head;
  state_.maps.request = 0;
  effects_.push_back(Submit{MapRequest{.layer = view.layer, .head = head}});
}

void Reducer::EnsureCounts() {
  if (state_.screen != Screen::kCounts) {
    return;
  }
  const LayerView view = SelectedLayer(state_);
  if (view.layer == nullptr || view.stale || state_.pending.request != 0 ||
      state_.counts.source == view.layer || state_.counts.wanted == view.layer) {
    return;
  }
  state_.counts.wanted = view.layer;
  state_.counts.request = 0;
  ClearNotice(ErrorPlace::kCounts);
  effects_.push_back(Submit{
      SplitJob{.layer = view.layer->layer(), .split = {.head_counts = CountsFor(*view.layer)}}});
}

void Reducer::Notify(ErrorPlace place, std::string sentence) {
  ClearNotice(place);
  state_.notices.push_back({place, std::move(sentence)});
}

void Reducer::ClearNotice(ErrorPlace place) {
  std::erase_if(state_.notices, [place](const Notice& notice) { return notice.place == place; });
}

}  // namespace headscope

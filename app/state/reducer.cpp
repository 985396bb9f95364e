#include "app/state/reducer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/state/counts/head_tree.h"
#include "app/state/files/export_draft.h"
#include "app/state/reducer_class.h"

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
  EnsureMap();
  EnsureCounts();
  EnsureLineage();
  EnsureWalk();
  EnsureSources();
  EnsureScores();
  EnsureCompared();
}

void Reducer::EnsureMap() {
  const FullMap full = MapInFull(state_);
  const MapView& map = full.map;
  if (map.layer == nullptr || full.stale || !map.thumbnail().pooled) {
    return;
  }
  if (IsDrawnFromTiles(*map.layer)) {
    EnsureTiles(map);
    return;
  }
  auto& cache = state_.maps.cache;
  const auto found =
      std::ranges::find_if(cache, [&map](const auto& entry) { return entry->of == map; });
  if (found != cache.end()) {
    std::rotate(found, found + 1, cache.end());  // used last
    return;
  }
  if (state_.maps.wanted == map) {
    return;
  }
  state_.maps.wanted = map;
  state_.maps.wanted_tiles.clear();
  state_.maps.request = Send(MapRequest{.map = map});
}

// A request under way goes on for as long as it has what is missing on screen: one replaced at
// every move would never get done.
void Reducer::EnsureTiles(const MapView& map) {
  MapsInFull& maps = state_.maps;
  const AttentionShape& shape = map.layer->shape();
  const TileRange shown = TilesShown(shape, state_.selection.zoom, maps.size);
  const TileRange wider = WithNeighbours(shown, shape);
  maps.tiles.Use(map.layer.get(), map.head, wider);
  const bool is_asked = maps.wanted == map;
  std::vector<TileIndex> missing;
  bool is_new = false;
  for (const TileRange& range : {shown, wider}) {
    for (const TileIndex& index : InOrder(range)) {
      if (maps.tiles.Find(map.layer.get(), map.head, index) != nullptr ||
          std::ranges::find(missing, index) != missing.end()) {
        continue;
      }
      missing.push_back(index);
      is_new = is_new ||
               (shown.Holds(index) && !(is_asked && std::ranges::find(maps.wanted_tiles, index) !=
                                                        maps.wanted_tiles.end()));
    }
  }
  if (!is_new) {
    return;
  }
  maps.wanted = map;
  maps.wanted_tiles = std::move(missing);
  maps.request = Send(MapRequest{.map = map, .tiles = maps.wanted_tiles});
}

void Reducer::EnsureCounts() {
  const bool is_shown =
      state_.screen->subject == ScreenSubject::kHeadCounts && !state_.walk.is_open;
  if (!is_shown && !ExportsCounts(state_)) {
    return;
  }
  const LayerView view = SelectedLayer(state_);
  if (view.layer != nullptr && !view.layer->has_scores()) {
    return;  // the screen says why
  }
  // The worker cuts the layers of the model that is open.
  if (view.layer == nullptr || view.stale || view.from->model != state_.model ||
      !state_.opening_folder.empty() || state_.pending.request != 0) {
    return;
  }
  HeadTreeState& tree = state_.tree;
  const SplitRequest how = CutOf(state_, *view.layer);
  const bool is_made = state_.counts.source == view.layer && tree.how_made == how &&
                       (IsWhole(state_.counts) || state_.counts.request == 0);
  if (is_made || (state_.counts.wanted == view.layer && tree.wanted_how == how)) {
    return;
  }
  tree.wanted_how = how;
  state_.counts.wanted = view.layer;
  state_.counts.wanted_of = *view.from;
  ClearNotice(ErrorPlace::kCounts);
  state_.counts.request = Send(SplitJob{.layer = view.layer->layer(),
                                        .split = how,
                                        .part = view.layer->part(),
                                        .opening = state_.model->opening,
                                        .known = view.layer,
                                        .step_zero = state_.model->step_zero});
}

void Reducer::EnsureSources() {
  const std::optional<WhyCell> cell = HeldCell(state_);
  Why& why = state_.why;
  if (!cell) {
    why = {};
    return;
  }
  // The worker has the model that is open, and its last text.
  const LayerView view = SelectedLayer(state_);
  if (why.of == cell || why.wanted == cell || view.from->model != state_.model ||
      !state_.opening_folder.empty() || state_.pending.request != 0) {
    return;
  }
  const LayerAttention& layer = *cell->map.layer;
  why.wanted = cell;
  why.request = Send(SourcesJob{.cell = {.layer = {layer.part(), layer.layer()},
                                         .head = cell->map.head,
                                         .query = cell->cell.query,
                                         .key = cell->cell.key},
                                .opening = state_.model->opening});
}

RequestId Reducer::Send(Request request) {
  const RequestId id = ++state_.last_request;
  effects_.push_back(Submit{id, std::move(request)});
  return id;
}

void Reducer::Notify(ErrorPlace place, std::string sentence) {
  ClearNotice(place);
  state_.notices.push_back({place, std::move(sentence)});
}

void Reducer::ClearNotice(ErrorPlace place) {
  std::erase_if(state_.notices, [place](const Notice& notice) { return notice.place == place; });
}

}  // namespace headscope

// Heads, cells, zoom.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "app/state/reducer_class.h"

namespace headscope {
namespace {

// Until about three cells fill the map.
double MostZoom(const AppState& state) {
  const LayerView view = SelectedLayer(state);
  const MapView map = MapInFull(state).map;
  const LayerAttention* const layer = map.layer != nullptr ? map.layer.get() : view.layer.get();
  const std::int64_t longest =
      layer != nullptr ? std::max(layer->shape().queries, layer->shape().keys) : 1;
  return std::max(1.0, static_cast<double>(longest) / 3.0);
}

bool HasCount(const Counts& counts, const CountHead& chosen) {
  const auto is_it = [&chosen](const SplitCount& count) { return count.heads == chosen.heads; };
  return counts.result != nullptr && chosen.head >= 0 && chosen.head < chosen.heads &&
         (std::ranges::any_of(counts.result->counts, is_it) ||
          std::ranges::find(counts.result->planned, chosen.heads) != counts.result->planned.end());
}

void ClampRows(const LayerView& view, Reducer* reducer) {
  Selection& selection = reducer->state().selection;
  const AttentionShape& shape = view.layer->shape();
  const auto is_row = [](std::optional<std::int64_t> row, std::int64_t count) {
    return row && *row >= 0 && *row < count;
  };
  if (!is_row(selection.row, shape.queries)) {
    selection.row = shape.queries - 1;
  }
  const auto& other = HasTargetQueries(view.layer->part()) ? view.source : view.target;
  if (!is_row(selection.other_row, other != nullptr ? std::ssize(other->tokens) : 0)) {
    selection.other_row.reset();
  }
  selection.point = Within(selection.point, shape.queries, shape.keys);
}

// A file may hold some layers only: the nearest of them.
void SelectLayerOfFile(Reducer* reducer) {
  AppState& state = reducer->state();
  const ModelInfo* model = ShownModel(state);
  if (model == nullptr || model->file == nullptr) {
    return;
  }
  const std::vector<GivenPart>& parts = model->file->parts();
  const auto part = std::ranges::find(parts, PartInView(state), &GivenPart::part);
  std::int64_t& layer = state.selection.head.layer;
  layer = *std::ranges::min_element(
      part->layers, {}, [layer](std::int64_t each) { return std::abs(each - layer); });
}

// In the head counts: up and down to the count before and after, left and right along it.
void StepCount(std::int64_t rows, std::int64_t columns, Reducer* reducer) {
  Counts& counts = reducer->state().counts;
  const auto& all = counts.result->counts;
  if (all.empty()) {
    return;
  }
  const CountHead at = counts.chosen.value_or(CountHead{
      .heads = counts.result->trained_heads, .head = reducer->state().selection.head.head});
  std::int64_t row = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    row = all[i].heads == at.heads ? static_cast<std::int64_t>(i) : row;
  }
  const std::int64_t next_row =
      std::clamp<std::int64_t>(row + rows, 0, static_cast<std::int64_t>(all.size()) - 1);
  const std::int64_t next_heads = all[static_cast<std::size_t>(next_row)].heads;
  const std::int64_t moved =
      rows != 0 ? at.head * next_heads / std::max<std::int64_t>(1, at.heads) : at.head;
  SelectCount{next_heads, std::clamp<std::int64_t>(moved + columns, 0, next_heads - 1)}.Do(reducer);
}

}  // namespace

// A head without a part is one of the part in view. Going to another part keeps what both have: a
// decoder's queries are those of cross-attention, whose keys are the encoder's.
void Reducer::SelectHead(HeadIndex head) {
  Selection& selection = state_.selection;
  const ModelPart before = PartInView(state_);
  if (head.part == ModelPart::kWhole) {
    head.part = before;
  }
  selection.head = head;
  const ModelPart after = PartInView(state_);
  if (after != before) {
    if (HasTargetQueries(after) != HasTargetQueries(before)) {
      std::swap(selection.row, selection.other_row);
      selection.point.reset();
    } else if (selection.point && HasTargetKeys(after) != HasTargetKeys(before)) {
      selection.point->key.reset();
    }
    selection.zoom = MapZoom{};
    state_.counts.chosen.reset();
  }
  ClampSelection();
}

void Reducer::ClampSelection() {
  Selection& selection = state_.selection;
  const std::int64_t layers = ShownLayers(state_);
  const std::int64_t heads = ShownHeads(state_);
  if (layers <= 0 || heads <= 0) {
    selection = Selection{};
    return;
  }
  selection.head.part = PartInView(state_);
  selection.head.layer = std::clamp<std::int64_t>(selection.head.layer, 0, layers - 1);
  selection.head.head = std::clamp<std::int64_t>(selection.head.head, 0, heads - 1);
  SelectLayerOfFile(this);
  const LayerView view = SelectedLayer(state_);
  if (view.layer != nullptr) {
    ClampRows(view, this);
    selection.zoom = ClampZoom(selection.zoom, MostZoom(state_));
  }
  selection.point_locked = selection.point_locked && selection.point;
}

void Reducer::KeepWithin() {
  ClampSelection();
  Counts& counts = state_.counts;
  if (counts.chosen && !HasCount(counts, *counts.chosen)) {
    counts.chosen.reset();
  }
  if (state_.tree.pinned && !HasCount(counts, *state_.tree.pinned)) {
    state_.tree.pinned.reset();
  }
}

void HoverHead::Do(Reducer* reducer) const {
  if (!reducer->state().selection.head_locked) {
    reducer->SelectHead(head);
  }
}

void ClickHead::Do(Reducer* reducer) const {
  Selection& selection = reducer->state().selection;
  if (selection.head_locked && selection.head == head) {
    selection.head_locked = false;
    return;
  }
  reducer->SelectHead(head);
  selection.head_locked = true;
  reducer->state().sheet_open = true;
}

void Escape(Reducer* reducer) {
  AppState& state = reducer->state();
  Selection& selection = state.selection;
  if (state.dialogs.popup != Popup::kNone) {
    ClosePopup(reducer);
  } else if (state.screen->compares && state.compare.point_locked) {
    state.compare.point_locked = false;
    state.compare.point.reset();
  } else if (selection.point_locked) {
    selection.point_locked = false;
    selection.point.reset();
  } else if (state.walk.is_open && state.screen->subject == ScreenSubject::kHeadCounts) {
    state.walk.is_open = false;
  } else if (selection.head_locked) {
    selection.head_locked = false;
  } else if (state.sheet_open) {
    state.sheet_open = false;
  } else {
    Present{false}.Do(reducer);
  }
}

void StepHead::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  if (ShownLayers(state) == 0) {
    return;
  }
  if (state.screen->subject == ScreenSubject::kHeadCounts && !state.walk.is_open &&
      state.counts.result != nullptr) {
    StepCount(layers, heads, reducer);
    return;
  }
  const HeadIndex at = state.selection.head;
  // Past layers that a file leaves out.
  const std::vector<std::int64_t> all = LayersInView(state);
  const auto here = std::ranges::lower_bound(all, at.layer) - all.begin();
  const auto there = std::clamp<std::int64_t>(here + layers, 0, std::ssize(all) - 1);
  reducer->SelectHead(
      {all[static_cast<std::size_t>(there)], std::max<std::int64_t>(0, at.head + heads)});
  state.selection.head_locked = true;
}

void ShowHead::Do(Reducer* reducer) const {
  if (ShownLayers(reducer->state()) > 0) {
    reducer->SelectHead(head);
    reducer->state().selection.head_locked = true;
  }
}

void ShowPart::Do(Reducer* reducer) const {
  reducer->SelectHead(
      {reducer->state().selection.head.layer, reducer->state().selection.head.head, part});
}

void SelectCount::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  const CountHead chosen{.heads = heads, .head = head};
  if (!HasCount(state.counts, chosen)) {
    return;
  }
  state.counts.chosen = chosen;
  state.sheet_open = true;
  if (heads == state.counts.result->trained_heads) {
    reducer->SelectHead({state.selection.head.layer, head});  // the same head on every screen
  }
}

void SelectLayer::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  reducer->SelectHead({layer, state.selection.head.head});
  state.selection.head_locked = true;
  state.counts.chosen.reset();
}

void Reducer::PointAt(const std::optional<MapPoint>& point) {
  Selection& selection = state_.selection;
  if (selection.point_locked) {
    return;
  }
  const LayerView view = SelectedLayer(state_);
  const AttentionShape shape = view.layer != nullptr ? view.layer->shape() : AttentionShape{};
  selection.point = view.layer != nullptr ? Within(point, shape.queries, shape.keys) : std::nullopt;
  if (selection.point) {
    selection.row = selection.point->query;
  }
}

void PointCell::Do(Reducer* reducer) const {
  reducer->PointAt(point);
}

void PointNowhere(Reducer* reducer) {
  reducer->PointAt(std::nullopt);
}

void ClickCell::Do(Reducer* reducer) const {
  Selection& selection = reducer->state().selection;
  if (selection.point_locked && selection.point == point) {
    selection.point_locked = false;
    return;
  }
  selection.point_locked = false;
  reducer->PointAt(point);
  selection.point_locked = selection.point.has_value();
}

void ZoomMap::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.selection.zoom = ZoomAbout(state.selection.zoom, factor, x, y, MostZoom(state));
}

void PanMap::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  state.selection.zoom = Panned(state.selection.zoom, x, y, MostZoom(state), state.maps.size);
}

void ResetZoom(Reducer* reducer) {
  reducer->state().selection.zoom = MapZoom{};
}

void Jump(Reducer* reducer) {
  AppState& state = reducer->state();
  std::optional<HeadIndex> head = ParseHeadName(state.dialogs.jump_text);
  const ModelInfo* model = ShownModel(state);
  if (!head || model == nullptr) {
    state.dialogs.jump_error =
        HasParts(state)
            ? "Write a head as E5H1, D5H1 or X5H1, as \"cross layer 5 head 1\", or as 5.1."
            : "Write a head as L5H1, 5.1, 5-1 or \"layer 5 head 1\".";
    return;
  }
  if (head->part == ModelPart::kWhole) {
    head->part = PartInView(state);
  }
  const std::vector<PartHeads> parts = PartsOf(*model);
  const auto shape = std::ranges::find(parts, head->part, &PartHeads::part);
  if (shape == parts.end()) {
    state.dialogs.jump_error = fmt::format("There is no {}: this model has one part, write {}.",
                                           HeadName(*head),
                                           HeadName({head->layer, head->head}));
  } else if (!shape->HasLayer(head->layer) || head->head >= shape->heads) {
    state.dialogs.jump_error = fmt::format("There is no {}: layers are {}, heads 0 to {}.",
                                           HeadName(*head),
                                           LayersText(shape->layers),
                                           shape->heads - 1);
  } else {
    state.dialogs.popup = Popup::kNone;
    reducer->SelectHead(*head);
    state.selection.head_locked = true;
    state.sheet_open = true;
    state.counts.chosen.reset();
  }
}

}  // namespace headscope

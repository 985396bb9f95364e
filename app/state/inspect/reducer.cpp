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

// A file may hold some layers only: the nearest of them.
void Reducer::SelectLayerOfFile() {
  const ModelInfo* model = ShownModel(state_);
  if (model == nullptr || model->file == nullptr) {
    return;
  }
  const std::vector<GivenPart>& parts = model->file->parts();
  const auto part = std::ranges::find(parts, PartInView(state_), &GivenPart::part);
  std::int64_t& layer = state_.selection.head.layer;
  layer = *std::ranges::min_element(
      part->layers, {}, [layer](std::int64_t each) { return std::abs(each - layer); });
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
  SelectLayerOfFile();
  const LayerView view = SelectedLayer(state_);
  if (view.layer != nullptr) {
    ClampRows(view);
    selection.zoom = ClampZoom(selection.zoom, MostZoom(state_));
  }
  selection.point_locked = selection.point_locked && selection.point;
}

void Reducer::ClampRows(const LayerView& view) {
  Selection& selection = state_.selection;
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

void Reducer::On(const HoverHead& action) {
  if (!state_.selection.head_locked) {
    SelectHead(action.head);
  }
}

void Reducer::On(const ClickHead& action) {
  Selection& selection = state_.selection;
  if (selection.head_locked && selection.head == action.head) {
    selection.head_locked = false;
    return;
  }
  SelectHead(action.head);
  selection.head_locked = true;
  state_.sheet_open = true;
}

void Reducer::On(const Escape& /*action*/) {
  Selection& selection = state_.selection;
  if (state_.dialogs.popup != Popup::kNone) {
    On(ClosePopup{});
  } else if (state_.screen->compares && state_.compare.point_locked) {
    state_.compare.point_locked = false;
    state_.compare.point.reset();
  } else if (selection.point_locked) {
    selection.point_locked = false;
    selection.point.reset();
  } else if (state_.walk.is_open && state_.screen->subject == ScreenSubject::kHeadCounts) {
    state_.walk.is_open = false;
  } else if (selection.head_locked) {
    selection.head_locked = false;
  } else {
    state_.sheet_open = false;
  }
}

void Reducer::On(const StepHead& action) {
  if (ShownLayers(state_) == 0) {
    return;
  }
  if (state_.screen->subject == ScreenSubject::kHeadCounts && !state_.walk.is_open &&
      state_.counts.result != nullptr) {
    StepCount(action.layers, action.heads);
    return;
  }
  const HeadIndex at = state_.selection.head;
  // Past layers that a file leaves out.
  const std::vector<std::int64_t> layers = LayersInView(state_);
  const auto here = std::ranges::lower_bound(layers, at.layer) - layers.begin();
  const auto there = std::clamp<std::int64_t>(here + action.layers, 0, std::ssize(layers) - 1);
  SelectHead(
      {layers[static_cast<std::size_t>(there)], std::max<std::int64_t>(0, at.head + action.heads)});
  state_.selection.head_locked = true;
}

void Reducer::On(const ShowHead& action) {
  if (ShownLayers(state_) > 0) {
    SelectHead(action.head);
    state_.selection.head_locked = true;
  }
}

void Reducer::On(const ShowPart& action) {
  SelectHead({state_.selection.head.layer, state_.selection.head.head, action.part});
}

// In the head counts: up and down to the count before and after, left and right along it.
void Reducer::StepCount(std::int64_t rows, std::int64_t columns) {
  Counts& counts = state_.counts;
  const auto& all = counts.result->counts;
  if (all.empty()) {
    return;
  }
  const CountHead at = counts.chosen.value_or(
      CountHead{.heads = counts.result->trained_heads, .head = state_.selection.head.head});
  std::int64_t row = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    row = all[i].heads == at.heads ? static_cast<std::int64_t>(i) : row;
  }
  const std::int64_t next_row =
      std::clamp<std::int64_t>(row + rows, 0, static_cast<std::int64_t>(all.size()) - 1);
  const std::int64_t next_heads = all[static_cast<std::size_t>(next_row)].heads;
  const std::int64_t moved =
      rows != 0 ? at.head * next_heads / std::max<std::int64_t>(1, at.heads) : at.head;
  On(SelectCount{next_heads, std::clamp<std::int64_t>(moved + columns, 0, next_heads - 1)});
}

void Reducer::On(const SelectCount& action) {
  const CountHead chosen{.heads = action.heads, .head = action.head};
  if (!HasCount(state_.counts, chosen)) {
    return;
  }
  state_.counts.chosen = chosen;
  state_.sheet_open = true;
  if (action.heads == state_.counts.result->trained_heads) {
    SelectHead({state_.selection.head.layer, action.head});  // the same head on every screen
  }
}

void Reducer::On(const SelectLayer& action) {
  SelectHead({action.layer, state_.selection.head.head});
  state_.selection.head_locked = true;
  state_.counts.chosen.reset();
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

void Reducer::On(const PointCell& action) {
  PointAt(action.point);
}

void Reducer::On(const PointNowhere& /*action*/) {
  PointAt(std::nullopt);
}

void Reducer::On(const ClickCell& action) {
  Selection& selection = state_.selection;
  if (selection.point_locked && selection.point == action.point) {
    selection.point_locked = false;
    return;
  }
  selection.point_locked = false;
  PointAt(action.point);
  selection.point_locked = selection.point.has_value();
}

void Reducer::On(const ZoomMap& action) {
  state_.selection.zoom =
      ZoomAbout(state_.selection.zoom, action.factor, action.x, action.y, MostZoom(state_));
}

void Reducer::On(const PanMap& action) {
  state_.selection.zoom =
      Panned(state_.selection.zoom, action.x, action.y, MostZoom(state_), state_.maps.size);
}

void Reducer::On(const ResetZoom& /*action*/) {
  state_.selection.zoom = MapZoom{};
}

void Reducer::On(const MapDrawn& action) {
  state_.maps.size = action.size;
}

void Reducer::On(const Jump& /*action*/) {
  std::optional<HeadIndex> head = ParseHeadName(state_.dialogs.jump_text);
  const ModelInfo* model = ShownModel(state_);
  if (!head || model == nullptr) {
    state_.dialogs.jump_error =
        HasParts(state_)
            ? "Write a head as E5H1, D5H1 or X5H1, as \"cross layer 5 head 1\", or as 5.1."
            : "Write a head as L5H1, 5.1, 5-1 or \"layer 5 head 1\".";
    return;
  }
  if (head->part == ModelPart::kWhole) {
    head->part = PartInView(state_);
  }
  const std::vector<PartHeads> parts = PartsOf(*model);
  const auto shape = std::ranges::find(parts, head->part, &PartHeads::part);
  if (shape == parts.end()) {
    state_.dialogs.jump_error = fmt::format("There is no {}: this model has one part, write {}.",
                                            HeadName(*head),
                                            HeadName({head->layer, head->head}));
  } else if (!shape->HasLayer(head->layer) || head->head >= shape->heads) {
    state_.dialogs.jump_error = fmt::format("There is no {}: layers are {}, heads 0 to {}.",
                                            HeadName(*head),
                                            LayersText(shape->layers),
                                            shape->heads - 1);
  } else {
    state_.dialogs.popup = Popup::kNone;
    SelectHead(*head);
    state_.selection.head_locked = true;
    state_.sheet_open = true;
    state_.counts.chosen.reset();
  }
}

}  // namespace headscope

// Two things side by side.
#include <algorithm>
#include <utility>

#include "app/state/compare/compared.h"
#include "app/state/reducer_class.h"

namespace headscope {
namespace {

// A place that side A has, as a point of its maps.
std::optional<MapPoint> PointOfA(const ComparedPair& pair, const MapPoint& point) {
  const auto& queries = pair.queries.places[static_cast<std::size_t>(point.query)].a;
  if (queries.empty()) {
    return std::nullopt;
  }
  if (!point.key) {
    return MapPoint{.query = queries.front()};
  }
  const auto& keys = pair.keys.places[static_cast<std::size_t>(*point.key)].a;
  return keys.empty() ? MapPoint{.query = queries.front()}
                      : MapPoint{.query = queries.front(), .key = keys.front()};
}

}  // namespace

void Reducer::On(const CompareWith& action) {
  CompareState& compare = state_.compare;
  state_.dialogs.popup = Popup::kNone;
  if (compare.other && compare.other->model == action.other.model &&
      compare.other->cut_heads == action.other.cut_heads) {
    compare.other = action.other;  // pairs by hand stay: the heads are the same
    compare.of.reset();
    compare.wanted.reset();
    compare.fault.clear();
    return;
  }
  ForgetCompared();
  compare.other = action.other;
}

void Reducer::On(const CompareNothing& /*action*/) {
  state_.dialogs.popup = Popup::kNone;
  ForgetCompared();
  if (state_.compare.request != 0) {
    effects_.emplace_back(std::in_place_type<Cancel>, Cancel{state_.compare.request});
  }
  state_.compare.other.reset();
  state_.compare.request = Send(CompareJob{});  // side B's model is let go
}

void Reducer::ForgetCompared() {
  CompareState& compare = state_.compare;
  compare.of.reset();
  compare.wanted.reset();
  compare.result = nullptr;
  compare.result_of = nullptr;
  compare.fault.clear();
  compare.by_hand.clear();
  compare.maps = nullptr;
  compare.maps_of.reset();
  compare.maps_wanted.reset();
  compare.part = nullptr;
  compare.part_of.reset();
  compare.point.reset();
  compare.point_locked = false;
}

void Reducer::On(const EditOther& action) {
  CompareState& compare = state_.compare;
  if (!compare.other) {
    compare.other = ComparedSide{};
  }
  InputText input = compare.other->input.value_or(state_.input);
  input.text = action.text;
  input.ids.clear();
  compare.other->input = std::move(input);
}

// Side B is opened, and what was open stands beside it.
void Reducer::On(const SwapSides& /*action*/) {
  CompareState& compare = state_.compare;
  if (!compare.other || compare.other->cut_heads > 0 || state_.model == nullptr ||
      !state_.opening_folder.empty()) {
    return;
  }
  const ComparedSide before = *compare.other;
  ComparedSide other;
  const InputText own = state_.input;
  if (before.input) {
    other.input = own;
  }
  if (before.model.empty()) {
    compare.other = std::move(other);
    ForgetCompared();
    if (before.input) {
      On(SetInput{*before.input});
    }
    return;
  }
  other.model = state_.model->folder;
  ForgetCompared();
  compare.other = std::move(other);
  state_.text_made_for.reset();
  OpenModel(OpenModelRequest{.folder = before.model}, before.input.value_or(own));
}

void Reducer::On(const SetCompareLook& action) {
  state_.compare.look = action.look;
  state_.compare.look.divider = std::clamp(action.look.divider, 0.0F, 1.0F);
}

void Reducer::On(const PairByHand& action) {
  CompareState& compare = state_.compare;
  const ComparedHeads pair = ComparedAt(state_, action.head);
  if (pair.layer == nullptr || action.other < 0 || action.other >= pair.layer->heads_b) {
    return;
  }
  std::erase_if(compare.by_hand, [&](const auto& each) { return each.head == action.head; });
  const HeadPair* const matched = pair.layer->PairOf(action.head.head);
  if (matched == nullptr || matched->b != action.other) {
    compare.by_hand.push_back({action.head, action.other});
  }
}

void Reducer::On(const ResetPairs& /*action*/) {
  state_.compare.by_hand.clear();
}

// The selection follows, so that other screens show the same row and cell.
void Reducer::On(const PointPlace& action) {
  CompareState& compare = state_.compare;
  if (compare.point_locked || compare.result == nullptr) {
    return;
  }
  const ComparedPair& pair = *compare.result;
  compare.point = Within(action.point, pair.queries.size(), pair.keys.size());
  if (compare.point) {
    PointAt(PointOfA(pair, *compare.point));
  }
}

void Reducer::On(const ClickPlace& action) {
  CompareState& compare = state_.compare;
  if (compare.point_locked && compare.point == action.point) {
    compare.point_locked = false;
    return;
  }
  compare.point_locked = false;
  On(PointPlace{action.point});
  compare.point_locked = compare.point.has_value();
}

void Reducer::EnsureCompared() {
  CompareState& compare = state_.compare;
  if (compare.result != nullptr && compare.result_of != state_.shown.model) {
    ForgetCompared();  // of a model that is gone
  }
  if (!state_.screen->compares) {
    return;
  }
  EnsurePairMaps();
  const auto question = QuestionNow(state_);
  if (!question || compare.of == question || compare.wanted == question) {
    return;
  }
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  for (const auto& layer : state_.shown.layers) {
    if (layer != nullptr && layer->part() == question->part) {
      layers.push_back(layer);
    }
  }
  if (layers.empty()) {
    return;
  }
  const LayerView view{.layer = layers.front(),
                       .source = state_.shown.encoding,
                       .target = state_.shown.target,
                       .keys = state_.shown.keys};
  const AttentionFile* const file = state_.shown.model->file.get();
  InputText input = state_.shown.input;
  if (file != nullptr) {
    input = InputText{};
    input.text = file->text();
  }
  compare.wanted = question;
  compare.progress = {};
  compare.request = Send(CompareJob{.layers = std::move(layers),
                                    .queries = QueryTokens(view),
                                    .keys = KeyTokens(view),
                                    .input = std::move(input),
                                    .name = state_.shown.model->name,
                                    .other = question->other,
                                    .precision = state_.shown.precision,
                                    .opening = state_.model->opening});
}

void Reducer::EnsurePairMaps() {
  CompareState& compare = state_.compare;
  const ComparedHeads pair = SelectedPair(state_);
  if (compare.result == nullptr || pair.layer == nullptr || !pair.other) {
    return;
  }
  CompareState::MapsQuestion question{compare.result, pair.head.layer, pair.head.head, *pair.other};
  if (compare.maps_of == question) {
    question.part = PartNeeded(state_);
    if (!question.part || compare.part_of == question) {
      return;
    }
  }
  if (compare.maps_wanted == question) {
    return;
  }
  compare.maps_wanted = question;
  compare.maps_request = Send(PairMapsJob{.pair = question.pair,
                                          .layer = question.layer,
                                          .a = question.a,
                                          .b = question.b,
                                          .part = question.part});
}

void Reducer::CompareEvent(const Event& event) {
  CompareState& compare = state_.compare;
  if (const auto* compared = std::get_if<SidesCompared>(&event.what)) {
    compare.result = compared->pair;
    compare.result_of = state_.shown.model;
    compare.of = compare.wanted;
    compare.fault.clear();
    compare.maps_of.reset();
    // Two maps to begin with: a head without a partner has nothing beside it.
    if (const auto furthest = FurthestPairs(state_);
        !SelectedPair(state_).other && !furthest.empty()) {
      SelectHead(furthest.front().head);
    }
    if (compare.point) {
      compare.point =
          Within(compare.point, compare.result->queries.size(), compare.result->keys.size());
      compare.point_locked = compare.point_locked && compare.point;
    }
  } else if (const auto* progress = std::get_if<Progress>(&event.what)) {
    compare.progress = *progress;
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    compare.request = 0;
    const auto wanted = std::exchange(compare.wanted, std::nullopt);
    if (failed->error.code == ErrorCode::kGone) {
      OpenAgain(WorkOf(state_.model.get()));
    } else if (failed->error.code != ErrorCode::kCancelled) {
      ForgetCompared();
      compare.of = wanted;
      compare.fault = failed->error.message;
    } else if (wanted && wanted == QuestionNow(state_)) {
      // By a person; what a new text or model stops is asked for again when that is there.
      ForgetCompared();
      compare.of = wanted;
      compare.fault = "Stopped before it was done. Choose side B again to compare.";
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    compare.request = 0;
    compare.wanted.reset();
  }
}

void Reducer::PairMapsEvent(const Event& event) {
  CompareState& compare = state_.compare;
  if (const auto* ready = std::get_if<PairMapsReady>(&event.what)) {
    if (compare.maps_wanted && compare.maps_wanted->part) {
      compare.part = ready->maps;
      compare.part_of = compare.maps_wanted;
    } else {
      compare.maps = ready->maps;
      compare.maps_of = compare.maps_wanted;
      compare.part = nullptr;  // of another pair
      compare.part_of.reset();
    }
  } else if (const auto* failed = std::get_if<Failed>(&event.what)) {
    compare.maps_request = 0;
    if (failed->error.code == ErrorCode::kCancelled) {
      compare.maps_wanted.reset();
    } else {
      compare.fault = failed->error.message;
    }
  } else if (std::holds_alternative<Finished>(event.what)) {
    compare.maps_request = 0;
    compare.maps_wanted.reset();
  }
}

}  // namespace headscope

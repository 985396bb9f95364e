// Two things side by side.
#include <algorithm>
#include <utility>

#include "app/state/compare/compared.h"
#include "app/state/work.h"

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
  Stop(state_.compare.request);
  state_.compare.other.reset();
  state_.compare.Begin(Send(CompareJob{}));  // side B's model is let go
}

void Reducer::ForgetCompared() {
  CompareState& compare = state_.compare;
  compare.of.reset();
  compare.wanted.reset();
  compare.result = nullptr;
  compare.result_of = nullptr;
  compare.fault.clear();
  compare.by_hand.clear();
  compare.maps.answer = nullptr;
  compare.maps.of.reset();
  compare.maps.wanted.reset();
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

namespace {

void EnsureCompared(Reducer* reducer) {
  const AppState& state = reducer->state();
  CompareState& compare = reducer->state().compare;
  if (compare.result != nullptr && compare.result_of != state.shown.model) {
    reducer->ForgetCompared();  // of a model that is gone
  }
  const auto question = state.screen->compares ? QuestionNow(state) : std::nullopt;
  if (!question || compare.of == question || compare.wanted == question) {
    return;
  }
  std::vector<std::shared_ptr<const LayerAttention>> layers;
  for (const auto& layer : state.shown.layers) {
    if (layer != nullptr && layer->part() == question->part) {
      layers.push_back(layer);
    }
  }
  if (layers.empty()) {
    return;
  }
  const LayerView view{.layer = layers.front(),
                       .source = state.shown.encoding,
                       .target = state.shown.target,
                       .keys = state.shown.keys};
  const AttentionFile* const file = state.shown.model->file.get();
  InputText input = state.shown.input;
  if (file != nullptr) {
    input = InputText{};
    input.text = file->text();
  }
  compare.wanted = question;
  compare.Begin(reducer->Send(CompareJob{.layers = std::move(layers),
                                         .queries = QueryTokens(view),
                                         .keys = KeyTokens(view),
                                         .input = std::move(input),
                                         .name = state.shown.model->name,
                                         .other = question->other,
                                         .precision = state.shown.precision,
                                         .opening = state.model->opening}));
}

void TakeCompared(const std::shared_ptr<const ComparedPair>& pair, Reducer* reducer) {
  const AppState& state = reducer->state();
  CompareState& compare = reducer->state().compare;
  compare.result = pair;
  compare.result_of = state.shown.model;
  compare.of = compare.wanted;
  compare.fault.clear();
  compare.maps.of.reset();
  // Two maps to begin with: a head without a partner has nothing beside it.
  if (const auto furthest = FurthestPairs(state); !SelectedPair(state).other && !furthest.empty()) {
    reducer->SelectHead(furthest.front().head);
  }
  if (compare.point) {
    compare.point = Within(compare.point, pair->queries.size(), pair->keys.size());
    compare.point_locked = compare.point_locked && compare.point;
  }
}

void HearCompared(Reducer* reducer, const Event& event) {
  CompareState& compare = reducer->state().compare;
  if (const auto* compared = std::get_if<SidesCompared>(&event.what)) {
    TakeCompared(compared->pair, reducer);
    return;
  }
  const auto wanted = std::exchange(compare.wanted, std::nullopt);
  const Error* const error = FailureOf(event);
  if (error == nullptr || error->code == ErrorCode::kGone) {
    return;
  }
  // By a person; what a new text or model stops is asked for again when that is there.
  const bool is_stopped = error->code == ErrorCode::kCancelled;
  if (!is_stopped || (wanted && wanted == QuestionNow(reducer->state()))) {
    reducer->ForgetCompared();
    compare.of = wanted;
    compare.fault =
        is_stopped ? "Stopped before it was done. Choose side B again to compare." : error->message;
  }
}

Progress ComparisonProgress(const AppState& state) {
  Progress progress = state.compare.progress;
  progress.what = progress.what.empty() ? "comparing" : "comparing: " + progress.what;
  return progress;
}

// The maps as a whole, then what is looked at of long ones.
std::optional<CompareState::MapsQuestion> WantedPairMaps(const AppState& state) {
  const CompareState& compare = state.compare;
  const ComparedHeads pair = SelectedPair(state);
  if (!state.screen->compares || compare.result == nullptr || pair.layer == nullptr ||
      !pair.other) {
    return std::nullopt;
  }
  CompareState::MapsQuestion question{compare.result, pair.head.layer, pair.head.head, *pair.other};
  if (compare.maps.of == question) {
    question.part = PartNeeded(state);
  }
  return compare.part_of == question ? std::nullopt : std::optional(std::move(question));
}

Request RequestOfPairMaps(const AppState& /*state*/, const CompareState::MapsQuestion& question) {
  return PairMapsJob{.pair = question.pair,
                     .layer = question.layer,
                     .a = question.a,
                     .b = question.b,
                     .part = question.part};
}

void HearPairMaps(Reducer* reducer, const Event& event) {
  CompareState& compare = reducer->state().compare;
  const Error* const error = FailureOf(event);
  if (const auto* ready = std::get_if<PairMapsReady>(&event.what)) {
    if (compare.maps.wanted && compare.maps.wanted->part) {
      compare.part = ready->maps;
      compare.part_of = compare.maps.wanted;
    } else {
      compare.maps.Take(ready->maps);
      compare.part = nullptr;  // of another pair
      compare.part_of.reset();
    }
  } else if (error != nullptr && error->code != ErrorCode::kCancelled) {
    compare.fault = error->message;
  } else {
    compare.maps.wanted.reset();
  }
}

constexpr auto kPairMaps = [](auto& state) -> auto& {
  return state.compare.maps;
};

}  // namespace

template <>
std::vector<Work> WorksOf<CompareJob>() {
  return {At<&AppState::compare>({.progress = ComparisonProgress,
                                  .is_long = true,
                                  .ensure = EnsureCompared,
                                  .hear = HearCompared})};
}

template <>
std::vector<Work> WorksOf<PairMapsJob>() {
  return {At<kPairMaps>({.words = "making the maps of the pair",
                         .ensure = AskFor<kPairMaps, WantedPairMaps, RequestOfPairMaps>,
                         .hear = HearPairMaps})};
}

}  // namespace headscope

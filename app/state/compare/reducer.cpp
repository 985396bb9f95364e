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

void ForgetCompared(Reducer* reducer) {
  CompareState& compare = reducer->state().compare;
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
  compare.patching.answers.clear();
}

// What was chosen of other texts says nothing of these.
void ForgetPatchTokens(PatchLook* look) {
  look->right.clear();
  look->wrong.clear();
  look->row.reset();
  look->at.reset();
}

}  // namespace

void CompareWith::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  reducer->state().dialogs.popup = Popup::kNone;
  ForgetPatchTokens(&compare.patch_look);
  if (compare.other && compare.other->model == other.model &&
      compare.other->cut_heads == other.cut_heads) {
    compare.other = other;  // pairs by hand stay: the heads are the same
    compare.of.reset();
    compare.wanted.reset();
    compare.fault.clear();
    return;
  }
  ForgetCompared(reducer);
  compare.other = other;
}

void CompareNothing(Reducer* reducer) {
  AppState& state = reducer->state();
  state.dialogs.popup = Popup::kNone;
  ForgetCompared(reducer);
  reducer->Stop(state.compare.request);
  state.compare.other.reset();
  state.compare.Begin(reducer->Send(CompareJob{}));  // side B's model is let go
}

void EditOther::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  if (!compare.other) {
    compare.other = ComparedSide{};
  }
  InputText input = compare.other->input.value_or(reducer->state().input);
  input.text = text;
  input.ids.clear();
  compare.other->input = std::move(input);
}

// Side B is opened, and what was open stands beside it.
void SwapSides(Reducer* reducer) {
  AppState& state = reducer->state();
  CompareState& compare = state.compare;
  if (!compare.other || compare.other->cut_heads > 0 || state.model == nullptr ||
      !state.opening_folder.empty()) {
    return;
  }
  const ComparedSide before = *compare.other;
  std::swap(compare.patch_look.right, compare.patch_look.wrong);
  ComparedSide other;
  const InputText own = state.input;
  if (before.input) {
    other.input = own;
  }
  if (before.model.empty()) {
    compare.other = std::move(other);
    ForgetCompared(reducer);
    if (before.input) {
      SetInput{*before.input}.Do(reducer);
    }
    return;
  }
  other.model = state.model->folder;
  ForgetCompared(reducer);
  compare.other = std::move(other);
  state.text_made_for.reset();
  reducer->OpenModel(OpenModelRequest{.folder = before.model}, before.input.value_or(own));
}

void SetCompareLook::Do(Reducer* reducer) const {
  reducer->state().compare.look = look;
  reducer->state().compare.look.divider = std::clamp(look.divider, 0.0F, 1.0F);
}

void PairByHand::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  const ComparedHeads pair = ComparedAt(reducer->state(), head);
  if (pair.layer == nullptr || other < 0 || other >= pair.layer->heads_b) {
    return;
  }
  std::erase_if(compare.by_hand, [&](const auto& each) { return each.head == head; });
  const HeadPair* const matched = pair.layer->PairOf(head.head);
  if (matched == nullptr || matched->b != other) {
    compare.by_hand.push_back({head, other});
  }
}

void ResetPairs(Reducer* reducer) {
  reducer->state().compare.by_hand.clear();
}

// The selection follows, so that other screens show the same row and cell.
void PointPlace::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  if (compare.point_locked || compare.result == nullptr) {
    return;
  }
  const ComparedPair& pair = *compare.result;
  compare.point = Within(point, pair.queries.size(), pair.keys.size());
  if (compare.point) {
    reducer->PointAt(PointOfA(pair, *compare.point));
  }
}

void ClickPlace::Do(Reducer* reducer) const {
  CompareState& compare = reducer->state().compare;
  if (compare.point_locked && compare.point == point) {
    compare.point_locked = false;
    return;
  }
  compare.point_locked = false;
  PointPlace{point}.Do(reducer);
  compare.point_locked = compare.point.has_value();
}

namespace {

void EnsureCompared(Reducer* reducer) {
  const AppState& state = reducer->state();
  CompareState& compare = reducer->state().compare;
  if (compare.result != nullptr && compare.result_of != state.shown.model) {
    ForgetCompared(reducer);  // of a model that is gone
    compare.patch_look.file = {};
    compare.patch_look.paths.to.clear();
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
                                         .opening = state.model->opening,
                                         .look = question->look}));
}

void TakeCompared(const std::shared_ptr<const ComparedPair>& pair, Reducer* reducer) {
  const AppState& state = reducer->state();
  CompareState& compare = reducer->state().compare;
  if (compare.result != nullptr && compare.result->tokens_a != pair->tokens_a) {
    compare.patch_look.row.reset();  // it was of another text
  }
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
    ForgetCompared(reducer);
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
  auto& compare = state.compare;
  return compare.maps;
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

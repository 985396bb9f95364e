#include "app/state/compare/weights.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "app/state/work.h"
#include "core/worker/requests.h"

namespace headscope {
namespace {

constexpr auto kWeightsPlace = [](auto& state) -> auto& {
  auto& compare = state.compare;
  return compare.weights;
};

std::optional<CompareState::WeightsQuestion> WantedWeights(const AppState& state) {
  return state.screen->compares && ShowsWeights(state) ? WeightsToCompare(state) : std::nullopt;
}

Request RequestOfWeights(const AppState& state, const CompareState::WeightsQuestion& question) {
  return WeightsJob{.folder = question.other, .opening = state.model->opening};
}

void HearWeights(Reducer* reducer, const Event& event) {
  auto& weights = reducer->state().compare.weights;
  const Error* const error = FailureOf(event);
  // By a person: it would begin again at once.
  if (error != nullptr && error->code == ErrorCode::kCancelled && weights.wanted &&
      weights.wanted == WantedWeights(reducer->state())) {
    weights.Fail({ErrorCode::kInput, "stopped before it was done"});
    return;
  }
  HearAnswer<kWeightsPlace>(reducer, event, &WeightsCompared::changes);
}

Progress WeightsProgress(const AppState& state) {
  Progress progress = state.compare.weights.progress;
  progress.what = progress.what.empty() ? "comparing weights" : "comparing " + progress.what;
  return progress;
}

std::string Lower(std::string text) {
  std::ranges::transform(
      text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

bool ShowsWeights(const AppState& state) {
  return state.compare.look.shows_weights && state.compare.other.has_value();
}

std::string WhyNoWeights(const AppState& state) {
  const auto& other = state.compare.other;
  const ModelInfo* const model = state.model.get();
  if (!other || model == nullptr) {
    return "Weights are compared between two models: choose another model or checkpoint as side B";
  }
  if (model->file != nullptr) {
    return "Side A is attention from a file, which holds no weights: open the model";
  }
  if (other->cut_heads > 0 || other->model.empty() || other->model == model->folder) {
    return "Both sides have the same model's weights: choose another model or checkpoint as side B";
  }
  return "";
}

std::optional<CompareState::WeightsQuestion> WeightsToCompare(const AppState& state) {
  if (!WhyNoWeights(state).empty() || !state.opening_folder.empty()) {
    return std::nullopt;
  }
  return CompareState::WeightsQuestion{state.model->fingerprint, state.compare.other->model};
}

std::shared_ptr<const WeightChanges> WeightsInView(const AppState& state) {
  const auto& weights = state.compare.weights;
  const auto question = WeightsToCompare(state);
  return question && weights.of == question ? weights.answer : nullptr;
}

std::vector<std::size_t> SoughtWeights(const WeightChanges& changes, const std::string& typed) {
  const auto head = ParseHeadName(typed);
  const std::string sought = Lower(typed);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < changes.parts.size(); ++i) {
    const WeightChange& part = changes.parts[i];
    const bool is_head = head && part.head && part.head->layer == head->layer &&
                         part.head->head == head->head &&
                         (head->part == ModelPart::kWhole || head->part == part.head->part);
    if (is_head || (!head && Lower(part.name).find(sought) != std::string::npos)) {
      places.push_back(i);
    }
  }
  return places;
}

void ShowWeights::Do(Reducer* reducer) const {
  reducer->state().compare.look.shows_weights = shows;
}

void CompareWeightsAgain(Reducer* reducer) {
  reducer->state().compare.weights.of.reset();
}

void ShowComparedHead::Do(Reducer* reducer) const {
  reducer->state().compare.look.shows_weights = false;
  reducer->state().compare.patch_look.is_shown = false;
  ShowHead{head}.Do(reducer);
}

template <>
std::vector<Work> WorksOf<WeightsJob>() {
  return {At<kWeightsPlace>({.progress = WeightsProgress,
                             .is_long = true,
                             .ensure = AskFor<kWeightsPlace, WantedWeights, RequestOfWeights>,
                             .hear = HearWeights})};
}

}  // namespace headscope

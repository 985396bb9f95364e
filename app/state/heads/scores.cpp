#include "app/state/heads/scores.h"

#include "app/state/heads/own_probe.h"
#include "app/state/queries.h"

namespace headscope {

std::string MetricInView(const AppState& state) {
  return MetricOfPart(state.heads_look.metric, PartInView(state));
}

std::string SecondMetricInView(const AppState& state) {
  return MetricOfPart(state.heads_look.second, PartInView(state));
}

const HeadScanReport* ScanInView(const AppState& state) {
  const HeadScanState& scan = state.scan;
  const ModelInfo* const shown = ShownModel(state);
  return !state.flag_files.is_blind && scan.report != nullptr && scan.of != nullptr &&
                 shown != nullptr && scan.of->fingerprint == shown->fingerprint
             ? scan.report.get()
             : nullptr;
}

const HeadScanReport* PartScanInView(const AppState& state) {
  const HeadScanReport* const report = ScanInView(state);
  return report != nullptr ? &report->Of(PartInView(state)) : nullptr;
}

bool CanScore(const AppState& state) {
  return state.model != nullptr && state.model->reads_tokens();
}

bool WantsScores(const AppState& state) {
  return CanScore(state) && state.screen->wants_scores;
}

bool IsQuickToScan(const ModelDescription& model) {
  constexpr double kMostWeights = 2e7;
  const auto weights_of = [](const StackDescription& stack) {
    const auto width = static_cast<double>(stack.model_dim);
    return 12.0 * static_cast<double>(stack.layers) * width * width;
  };
  return weights_of(model) + (model.decoder ? weights_of(*model.decoder) : 0.0) < kMostWeights;
}

bool WantsScan(const AppState& state) {
  return WantsScores(state) ||
         (CanScore(state) && state.screen->shows_roles && !state.flag_files.is_blind &&
          (state.scan.asked_for == state.model || IsQuickToScan(state.model->description)));
}

const ScoreReport* TextScoresInView(const AppState& state) {
  const TextScoresState& text = state.text_scores;
  const Attendance* const picture = PictureInView(state);
  if (state.flag_files.is_blind || picture == nullptr || text.of != picture->request ||
      text.answer == nullptr) {
    return nullptr;
  }
  for (const ScoreReport& part : text.answer->more) {
    if (part.about.heads.part == PartInView(state)) {
      return &part;
    }
  }
  return text.answer.get();
}

const ExamplesState* ExamplesInView(const AppState& state) {
  const ExamplesState& examples = state.examples;
  const bool is_it =
      examples.of && examples.of->scan != nullptr && examples.of->scan == ShownScan(state) &&
      examples.of->head == state.selection.head && examples.of->metric == MetricInView(state);
  return is_it ? &examples : nullptr;
}

const AlikeState* AlikeInView(const AppState& state) {
  const AlikeState& alike = state.alike;
  const bool is_it = alike.of && alike.of->picture == state.shown.request &&
                     alike.of->head == state.selection.head;
  return is_it ? &alike : nullptr;
}

const HeadPlacesState* HeadPlacesInView(const AppState& state) {
  const HeadPlacesState& places = state.head_places;
  const bool is_it = places.of && places.of->picture == state.shown.request &&
                     places.of->part == PartInView(state);
  return is_it ? &places : nullptr;
}

}  // namespace headscope

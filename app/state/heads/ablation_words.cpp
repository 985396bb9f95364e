#include "app/state/heads/ablation_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/heads/scores.h"
#include "app/state/queries.h"
#include "app/state/time_left.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

const std::shared_ptr<const AblationReport>* FindAnswer(const AblationState& ablation,
                                                        const AblationState::Question& question) {
  const auto found = std::ranges::find(
      ablation.found,
      question,
      &std::pair<AblationState::Question, std::shared_ptr<const AblationReport>>::first);
  return found != ablation.found.end() ? &found->second : nullptr;
}

}  // namespace

std::optional<AblationState::Question> AblationQuestion(const AppState& state) {
  const HeadScanReport* const scan = ScanInView(state);
  const auto heads = scan != nullptr ? ScannedHeads(*scan) : std::nullopt;
  if (!heads || !scan->is_whole() || !PlaceOf(*heads, state.selection.head) ||
      !WhyNotAblated(state).empty()) {
    return std::nullopt;
  }
  AblationState::Question question{.fingerprint = state.scan.of->fingerprint,
                                   .head = state.selection.head,
                                   .on_repeats = state.ablation.on_repeats,
                                   .texts = scan->settings};
  question.texts.twins = 0;
  if (!HasBothProbes(state)) {
    question.on_repeats = scan->repeats.has_value();
  }
  return question;
}

std::string WhyNotAblated(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr) {
    return "";
  }
  const ModelDescription& shape = model->description;
  if (shape.decoder) {
    return "A head is taken away in models of one part only: this one has an encoder and a "
           "decoder.";
  }
  if (!shape.output_layer || !shape.causal) {
    return fmt::format(
        "A {} model predicts no next token: it has no loss that a head taken away could change.",
        shape.family);
  }
  if (!shape.output_layer->is_stored) {
    return "The file holds no output layer: without it there is no loss to measure.";
  }
  if (!shape.final_norm) {
    return "The loss is read behind a norm at the model's end, and this one has none.";
  }
  return "";
}

bool HasBothProbes(const AppState& state) {
  const HeadScanReport* const scan = ScanInView(state);
  return scan != nullptr && scan->repeats && scan->sentences;
}

const AblationReport* AblationInView(const AppState& state) {
  const auto question = AblationQuestion(state);
  const auto* const found = question ? FindAnswer(state.ablation, *question) : nullptr;
  return found != nullptr ? found->get() : nullptr;
}

const AblationReport* AblationUnderWay(const AppState& state) {
  const AblationState& ablation = state.ablation;
  const auto* const found =
      ablation.request != 0 && ablation.wanted ? FindAnswer(ablation, *ablation.wanted) : nullptr;
  return found != nullptr ? found->get() : nullptr;
}

std::string AblatingWords(const AppState& state) {
  const AblationState& ablation = state.ablation;
  std::string words = "taking a head away";
  if (ablation.wanted) {
    words = fmt::format("without {}", HeadName(ablation.wanted->head));
  }
  const AblationReport* const report = AblationUnderWay(state);
  if (report == nullptr) {
    return words;
  }
  words += fmt::format(
      " and others of its layer: {} of {}", report->done, Counted(report->total, "head"));
  if (report->seconds_left > 0.0) {
    words += ", " + TimeLeft(report->seconds_left);
  }
  return words;
}

}  // namespace headscope

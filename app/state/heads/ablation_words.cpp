#include "app/state/heads/ablation_words.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/state/app_state.h"
#include "app/state/heads/scores.h"
#include "app/state/queries.h"
#include "app/state/time_left.h"
#include "core/base/counted.h"
#include "core/base/grouped.h"

namespace headscope {
namespace {

constexpr const char* kRepeatsProbe = "repeats";

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

std::string ChangeErrorText(const std::optional<double>& nats) {
  return nats ? fmt::format(" ± {:.3f}", *nats) : "";
}

std::string ChangeText(double nats) {
  return fmt::format("{:+.3f}", nats);
}

std::string AblatedTexts(const AblationReport& report) {
  const AblatedHead& own = report.own;
  return fmt::format("{}, {} predicted: with all heads the loss is {:.2f} nats a token.",
                     Counted(own.texts, report.probe == kRepeatsProbe ? "repeat" : "sentence"),
                     own.tokens == 1 ? "1 token" : Grouped(own.tokens) + " tokens",
                     own.loss);
}

std::string AblationWords(const AblationReport& report) {
  const AblatedHead::Change& own = report.own.changes.front();
  if (!own.change) {
    return "";
  }
  const bool is_clear = !own.error || std::abs(*own.change) >= 2.0 * *own.error;
  std::string words = "Where it gives nothing the loss ";
  if (is_clear) {
    words += fmt::format("{} by {:.3f}{} nats a token: ",
                         *own.change >= 0.0 ? "rises" : "falls",
                         std::abs(*own.change),
                         ChangeErrorText(own.error));
  } else {
    words += fmt::format("moves by {}{} nats a token, within two errors of 0: ",
                         ChangeText(*own.change),
                         ChangeErrorText(own.error));
  }
  if (report.controls.empty()) {
    return words + (report.is_whole() ? "the layer has no other head to hold it against."
                                      : "others of its layer follow.");
  }
  const auto as_much = std::ranges::count_if(report.controls, [&](const AblatedHead& other) {
    const auto& change = other.changes.front().change;
    return change && *change >= *own.change;
  });
  const auto others = std::ssize(report.controls);
  const std::string layer = fmt::format("of its layer{}", report.is_whole() ? "" : " so far");
  if (as_much == 0) {
    return words + (others == 1
                        ? fmt::format("more than without the only other {}.", layer)
                        : fmt::format("more than without any of {} others {}.", others, layer));
  }
  return words + fmt::format("without {} of {} {} it rises as much or more.",
                             as_much,
                             Counted(others, "other"),
                             layer);
}

AblationKindWords WordsOf(AblationKind kind) {
  switch (kind) {
    case AblationKind::kZero:
      return {"gives nothing", "It gives nothing at all, as if it had been cut out."};
    case AblationKind::kMean:
      return {"gives its mean",
              "It always gives what it gives on average: what depends on the text goes."};
    case AblationKind::kPattern:
      break;
  }
  return {"patterns kept",
          "It gives nothing, but later heads look where they looked: only what they read changes."};
}

}  // namespace headscope

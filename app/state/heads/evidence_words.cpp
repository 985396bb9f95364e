#include "app/state/heads/evidence_words.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "app/state/work.h"
#include "core/base/counted.h"
#include "core/model/masked_output.h"

namespace headscope {
namespace {

constexpr std::array<const char*, kEvidenceKinds> kMeanings = {
    "After “When Mary and John went home, John gave a drink to”: what the head adds to the lead of "
    "Mary over John through the key Mary, in logits, norms held. Control: the same through any "
    "other key. A name mover is far above it.",
    "How much the head lowers the name that it looks at, beside a token that is not in the text: "
    "logits through that name's key. Control: through any other key. Above it the head writes "
    "copies down; below 0 it copies.",
    "How much of the lead is lost if what those heads that move names ask for no longer hears of "
    "this head (noising along direct paths to their queries). Control: the queries of other heads "
    "of their layers.",
    "After “two three four”: what the head adds to the lead of “five” over another number through "
    "the key “four”, in logits, norms held. Control: through any other key. Numbers, days and "
    "months of the bundled tables.",
    "A function vector: five words, each beside another's plural (or capital, past tense, "
    "successor), then a sixth. By how much its own plural leads more if the head writes what it "
    "writes on the mean where words stand beside their own. Control: its mean over prompts such "
    "as these."};  // in the order of EvidenceKind

// "+0.031", and never "-0.000".
std::string SignedNumber(double number) {
  return fmt::format("{:+.3f}", std::abs(number) < 5e-4 ? 0.0 : number);
}

std::optional<EvidenceAsk> WantedEvidence(const AppState& state) {
  const bool is_asked = state.evidence_asked != nullptr && state.evidence_asked == state.model &&
                        state.screen->subject == ScreenSubject::kHeads && IsSettled(state) &&
                        WhyNoEvidence(state).empty();
  return is_asked ? std::optional(EvidenceAsk{state.model}) : std::nullopt;
}

Request RequestOfEvidence(const AppState& state, const EvidenceAsk& ask) {
  return EvidenceJob{.pairs = state.probes_folder / "names.tsv",
                     .token_maps = TokenMapsOf(state),
                     .opening = ask.model->opening};
}

}  // namespace

std::string WhyNoEvidence(const AppState& state) {
  const ModelInfo* const model = ShownModel(state);
  if (model == nullptr || model->file != nullptr || model->reads_embeddings()) {
    return "There is no model here that could say a name.";
  }
  if (model->has_decoder() || IsMasked(model->description)) {
    return "These are roles of models that say the next word, without an encoder.";
  }
  if (state.precision != Precision::kF32) {
    return "What single heads do is lost in bfloat16's rounding: compute in float32.";
  }
  return "";
}

const FoundEvidence* EvidenceInView(const AppState& state) {
  const EvidenceState& evidence = state.evidence;
  const bool is_of_model =
      evidence.of && state.model != nullptr && evidence.of->model == state.model;
  return is_of_model ? evidence.answer.get() : nullptr;
}

std::vector<EvidenceLine> LinesOfEvidence(const FoundEvidence& found, HeadIndex head) {
  std::vector<EvidenceLine> lines;
  for (std::size_t place = 0; place < kEvidenceKinds; ++place) {
    const auto kind = static_cast<EvidenceKind>(place);
    EvidenceLine& line = lines.emplace_back();
    line.name = EvidenceWords(kind);
    line.meaning = kMeanings.at(place);
    const Evidence* const one = found.evidence.Find(kind, head);
    if (one == nullptr) {
      line.number = "–";
      const auto why = found.evidence.why_not.find(kind);
      line.beside = why == found.evidence.why_not.end() ? "not before the heads that move names"
                                                        : why->second;
      continue;
    }
    line.number = SignedNumber(one->score);
    if (one->error) {
      line.number += fmt::format(" ±{:.3f}", *one->error);
    }
    line.beside =
        fmt::format("control {}, chance {:g}, {}",
                    one->control ? SignedNumber(*one->control) : "none",
                    one->chance,
                    Counted(one->cases, kind < EvidenceKind::kSaysSuccessor ? "pair" : "prompt"));
    const double lift = one->score - one->control.value_or(one->chance);
    line.is_clear = one->error && lift > 3.0 * *one->error;
  }
  return lines;
}

std::string EvidenceSource(const FoundEvidence& found) {
  std::string words =
      fmt::format("on {} of the {} pairs of {}", found.pairs, found.of, found.input);
  std::vector<std::string> names;
  std::ranges::transform(found.evidence.receivers, std::back_inserter(names), HeadName);
  return names.empty()
             ? words
             : fmt::format("{}; those that move names most: {}", words, fmt::join(names, ", "));
}

void FindEvidence(Reducer* reducer) {
  reducer->state().evidence_asked = reducer->state().model;
}

template <>
std::vector<Work> WorksOf<EvidenceJob>() {
  Work work = At<&AppState::evidence>({.words = "measuring evidence for roles", .is_long = true});
  work.ensure = AskFor<&AppState::evidence, WantedEvidence, RequestOfEvidence>;
  work.hear = [](Reducer* reducer, const Event& event) {
    HearAnswer<&AppState::evidence>(reducer, event, &EvidenceFound::found);
    // What a person stopped is not asked again.
    if (const Error* const error = FailureOf(event);
        error != nullptr && error->code == ErrorCode::kCancelled) {
      reducer->state().evidence_asked = nullptr;
    }
  };
  return {work};
}

}  // namespace headscope

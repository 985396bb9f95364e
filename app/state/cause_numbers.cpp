#include "app/state/cause_numbers.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "app/state/compare/patching.h"
#include "app/state/inspect/head_control.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/base/hundredths.h"
#include "core/base/sentence.h"

namespace headscope {
namespace {

constexpr std::string_view kHoldRow =
    "Hold a row of a map in Inspect, and what the open model says there stands here.";

// What was said last of a row of the text in view; null: nothing was.
const NextWord* SaidInView(const AppState& state) {
  const SaidWord& said = state.last_said;
  const bool is_in_view =
      said.of && said.answer != nullptr && said.of->place.text != nullptr &&
      (said.of->place.text == state.shown.encoding || said.of->place.text == state.shown.target) &&
      !said.answer->prediction.rows.empty();
  return is_in_view ? said.answer.get() : nullptr;
}

// "In the open model, at row 5 (“old”)", and without which heads.
std::string AtRow(const AppState& state) {
  const WordPlace& place = state.last_said.of->place;
  std::string words = fmt::format(
      "In the open model, at row {} (“{}”)", place.row, TokenWord(*place.text, place.row));
  if (!place.off.IsEmpty()) {
    words += fmt::format(", with {} taken away", HeadsOffWords(state, place.off));
  }
  return words;
}

// The newest of the open model, of paths or of things; null: there is none.
const PatchingState::Answer* PatchedLast(const AppState& state, bool of_paths) {
  const auto& answers = state.compare.patching.answers;
  for (auto at = answers.rbegin(); at != answers.rend(); ++at) {
    const PatchingState::Answer& answer = *at;
    const PatchedTexts& patched = *answer.patched;
    const bool is_of_model = !answer.of.pair.file.path.empty() ||  // forgotten with its model
                             answer.of.pair.picture == state.shown.request;
    if (is_of_model && patched.is_whole() && patched.layers == 0 && !patched.metrics.empty() &&
        patched.paths.has_value() == of_paths) {
      return &answer;
    }
  }
  return nullptr;
}

std::string LargestWords(const PatchedTexts& patched) {
  const std::size_t place = LargestPatches(patched, std::nullopt, 1).front();
  return fmt::format(
      "the largest share is {} of {}", PatchShareText(patched, place), PatchThing(patched, place));
}

std::string LeadWords(const PatchedTexts& patched) {
  return fmt::format("the lead of {} is {}", PatchMetricName(patched), PatchMetricWords(patched));
}

}  // namespace

void KeepSaidWord(AppState* state) {
  const SaidWord& said = state->next_word;
  if (said.answer != nullptr && said.of && state->last_said.answer != said.answer) {
    state->last_said.of = said.of;
    state->last_said.answer = said.answer;
  }
}

std::string NextWordNumbers(const AppState& state) {
  const NextWord* const word = SaidInView(state);
  if (word == nullptr || word->top.empty()) {
    return std::string(kHoldRow);
  }
  const PredictedRow& row = word->prediction.rows.front();
  std::string words = fmt::format("{}: likeliest is “{}” with {} (logit {:.2f})",
                                  AtRow(state),
                                  word->top.front(),
                                  PercentText(row.top.front().probability),
                                  row.top.front().logit);
  if (row.next && !word->actual.empty()) {
    words += fmt::format("; “{}” came: {}, rank {}, loss {:.2f}",
                         word->actual,
                         PercentText(row.next->probability),
                         row.next->rank,
                         row.next->loss);
  }
  return words + ".";
}

std::string ShareNumbers(const AppState& state) {
  const NextWord* const word = SaidInView(state);
  if (word == nullptr) {
    return "";  // the next word's entry says what to do
  }
  if (!word->prediction.shares) {
    return "The open model's logits cannot be split.";
  }
  const LogitShares& shares = *word->prediction.shares;
  double of_heads = 0.0;
  double of_mlps = 0.0;
  const SharePart* largest = nullptr;
  for (const SharePart& part : shares.parts) {
    if (part.kind == SharePart::Kind::kMlp) {
      of_mlps += part.share;
    }
    if (part.kind == SharePart::Kind::kHead) {
      of_heads += part.share;
      largest =
          largest == nullptr || std::abs(part.share) > std::abs(largest->share) ? &part : largest;
    }
  }
  const std::string of = shares.question.against
                             ? fmt::format("the lead of “{}” over “{}”", word->split, word->over)
                             : fmt::format("the logit of “{}”", word->split);
  std::string words = fmt::format(
      "{}: the shares of {} add up to {:.3f}, {} is {:.3f}. All heads together give "
      "{}, MLPs {}",
      AtRow(state),
      Counted(std::ssize(shares.parts), "part"),
      shares.sum,
      of,
      shares.logit,
      SignedHundredths(of_heads),
      SignedHundredths(of_mlps));
  if (largest != nullptr) {
    words += fmt::format(
        "; the largest of a head is {} of {}", SignedHundredths(largest->share), largest->Name());
  }
  return words + ".";
}

std::string LensNumbers(const AppState& state) {
  const NextWord* const word = SaidInView(state);
  const std::vector<LensLine> lines = word != nullptr ? LensOf(*word) : std::vector<LensLine>();
  if (lines.empty() || lines.back().likeliest.empty()) {
    return "";
  }
  const std::string& last = lines.back().likeliest.front().token;
  std::size_t first = lines.size() - 1;
  while (first > 0 && !lines[first - 1].likeliest.empty() &&
         lines[first - 1].likeliest.front().token == last) {
    --first;
  }
  std::string words =
      fmt::format("{}: “{}” is the likeliest from {} on", AtRow(state), last, lines[first].layer);
  if (first > 0 && !lines.front().likeliest.empty()) {
    words += fmt::format("; after {} it would be “{}” ({})",
                         lines.front().layer,
                         lines.front().likeliest.front().token,
                         lines.front().likeliest.front().number);
  }
  return words + ".";
}

std::string HeadsOffNumbers(const AppState& state) {
  if (!state.heads_off.chosen.IsEmpty()) {
    const std::string cost = HeadsOffCost(state);
    return fmt::format("In the open model, {}{}",
                       HeadsOffTitle(state),
                       cost.empty() ? std::string(".") : ": " + Ended(cost));
  }
  const CostOfHead& asked = state.head_cost;
  const bool is_in_view = asked.of && asked.answer != nullptr &&
                          asked.of->picture == state.shown.request && asked.answer->losses;
  if (!is_in_view) {
    return "Take a head away in Inspect (X), and what the open model loses stands here.";
  }
  const std::string control = ControlWords(state);
  return fmt::format(
      "In the open model, this text's loss is {:.3f}, and {:.3f} with 0 in place of "
      "{}{}.",
      asked.answer->losses->whole,
      asked.answer->losses->without,
      HeadName(asked.answer->head),
      control.empty() ? "" : fmt::format(" ({})", control));
}

std::string PatchingNumbers(const AppState& state) {
  const PatchingState::Answer* const answer = PatchedLast(state, false);
  if (answer == nullptr) {
    return "Compare two texts and choose Patching, and the largest share in the open model stands "
           "here.";
  }
  const PatchedTexts& patched = *answer->patched;
  return fmt::format("In the open model, {}; {}: {}.",
                     LeadWords(patched),
                     PatchTaken(patched.what, patched.direction, patched.at),
                     LargestWords(patched));
}

std::string PathNumbers(const AppState& state) {
  const PatchingState::Answer* const answer = PatchedLast(state, true);
  if (answer == nullptr) {
    return "Choose Direct in Patching, and the largest one of the open model stands here.";
  }
  const PatchedTexts& patched = *answer->patched;
  return fmt::format(
      "In the open model, {}; along direct paths to {} {}, and all {} at once bring "
      "{}.",
      LeadWords(patched),
      ReceiverWords(*patched.paths),
      LargestWords(patched),
      Counted(std::ssize(patched.heads), "head"),
      PatchShareText(patched.ScoreOf(*patched.together)));
}

}  // namespace headscope

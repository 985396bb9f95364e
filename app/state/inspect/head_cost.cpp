#include "app/state/inspect/head_cost.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/inspect/head_control.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/state/work.h"
#include "core/base/sentence.h"

namespace headscope {
namespace {

// Larger ones are asked by taking the head away.
bool IsAskedByItself(const AppState& state) {
  return IsQuickToScan(state.shown.model->description);
}

std::optional<CostPlace> WantedCost(const AppState& state) {
  const std::optional<CostPlace> place = CostPlaceInView(state);
  return place && state.shown.model == state.model && IsSettled(state) && IsAskedByItself(state)
             ? place
             : std::nullopt;
}

Request RequestOfCost(const AppState& state, const CostPlace& place) {
  return HeadCostJob{.head = place.head, .row = place.row, .opening = state.model->opening};
}

// "captain +1.00, man +.61"
std::string MovedWords(const std::vector<HeadCost::Word>& words, std::size_t most) {
  std::string made;
  for (std::size_t i = 0; i < std::min(most, words.size()); ++i) {
    made += fmt::format("{}“{}” {:+.2f}", i == 0 ? "" : ", ", words[i].token, words[i].change);
  }
  return made;
}

}  // namespace

std::optional<CostPlace> CostPlaceInView(const AppState& state) {
  const Attendance& shown = state.shown;
  const bool is_there = state.screen->looks_at_tokens && shown.request != 0 &&
                        shown.model != nullptr && shown.model->reads_tokens() &&
                        state.heads_off.chosen.IsEmpty() && WhyNoHeadsOff(state).empty();
  if (!is_there) {
    return std::nullopt;
  }
  const auto& text = shown.target != nullptr ? shown.target : shown.encoding;
  if (text == nullptr || text->tokens.empty()) {
    return std::nullopt;
  }
  HeadIndex head = state.selection.head;
  head.part = head.part == ModelPart::kWhole ? PartInView(state) : head.part;
  const std::int64_t last = std::ssize(text->tokens) - 1;
  const auto place = [&](std::int64_t row) {
    return CostPlace{shown.request, head, std::clamp<std::int64_t>(row, 0, last)};
  };
  if (HasTargetQueries(head.part) != shown.model->has_decoder()) {
    return place(last);
  }
  const Selection& selection = state.selection;
  if (selection.point && selection.point_locked) {
    return place(selection.point->query);
  }
  // Rows that the pointer goes over are not asked for one by one.
  const CostOfHead& asked = state.head_cost;
  const std::optional<CostPlace>& kept = asked.wanted ? asked.wanted : asked.of;
  if (selection.point && kept && kept->picture == shown.request && kept->head == head) {
    return kept;
  }
  return place(selection.row.value_or(last));
}

CostWords WordsOfCost(const AppState& state, const CostPlace& place) {
  if (!IsAskedByItself(state)) {
    return {.line = "Press X to see what this text loses without it.", .more = {}};
  }
  const CostOfHead& asked = state.head_cost;
  if (asked.of != place) {
    return {.line = "Without it: …", .more = {}};
  }
  if (asked.answer == nullptr) {
    return {.line = "Without it: " + asked.fault, .more = {}};
  }
  const HeadCost& cost = *asked.answer;
  CostWords words;
  words.line = cost.losses ? fmt::format("Without it: loss {:.3f} → {:.3f}.",
                                         cost.losses->whole,
                                         cost.losses->without)
                           : "Without it: " + Ended(cost.why_no_loss);
  const std::string control = ControlWords(state);
  if (cost.losses && !control.empty()) {
    words.line.pop_back();
    words.line += fmt::format(" ({}).", control);
  }
  words.more = cost.losses
                   ? std::string(
                         "The loss is the mean over this text's tokens, whole and with zero in "
                         "place of what the head writes. A small change is no proof of a small "
                         "role: another head may do its work once it is missing.\n") +
                         ControlMore()
                   : "";
  if (cost.raised.empty() && cost.lowered.empty()) {
    return words;
  }
  const auto& text = state.shown.target != nullptr ? state.shown.target : state.shown.encoding;
  const std::string at = TokenLabel(*text, place.row);
  words.line += fmt::format(" At “{}” it raises {}", at, MovedWords(cost.raised, 3));
  words.line +=
      cost.lowered.empty() ? "." : fmt::format("; lowers {}.", MovedWords(cost.lowered, 1));
  words.more += fmt::format(
      "{}What it writes at “{}” ({}), read by the output layer with the final norm held: logits above "
      "their mean change.\nraises {}\nlowers {}\nThis is its direct part: later layers read what it "
      "writes, too.",
      words.more.empty() ? "" : "\n",
      at,
      place.row,
      MovedWords(cost.raised, cost.raised.size()),
      cost.lowered.empty() ? "none" : MovedWords(cost.lowered, cost.lowered.size()));
  return words;
}

template <>
std::vector<Work> WorksOf<HeadCostJob>() {
  return {Answered<&AppState::head_cost, &HeadCosts::cost, WantedCost, RequestOfCost>(
      {.words = "finding what the head costs"})};
}

}  // namespace headscope

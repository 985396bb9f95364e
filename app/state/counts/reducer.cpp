// The tree of head counts: how layers are cut, and what is measured between its rows.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/state/counts/head_tree.h"
#include "app/state/work.h"
#include "core/base/counted.h"
#include "core/base/parse_number.h"

namespace headscope {
namespace {

constexpr std::size_t kMostAnswers = 16;
constexpr std::size_t kMostExtraCounts = 16;

// Whole numbers from 1 on with spaces or commas between; nullopt: something else stands there.
std::optional<std::vector<std::int64_t>> ParseNumbers(const std::string& text) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 1) {
      return std::nullopt;
    }
    numbers.push_back(number);
    at = after;
  }
  return numbers;
}

// How many columns the selected layer has; 0: there is none yet.
std::int64_t ColumnsOf(const AppState& state) {
  const LayerView view = SelectedLayer(state);
  return view.layer != nullptr ? view.layer->shape().heads * view.layer->shape().head_dim : 0;
}

std::string TakeCounts(const AppState& state, const std::string& text, SplitRequest* how) {
  const auto numbers = ParseNumbers(text);
  if (!numbers) {
    return "Write head counts as whole numbers: 3, 6, 12.";
  }
  if (numbers->size() > kMostExtraCounts) {
    return fmt::format("At most {} head counts beside 1, 2, 4, ...", kMostExtraCounts);
  }
  const std::int64_t width = ColumnsOf(state);
  for (const std::int64_t number : *numbers) {
    if (width > 0 && number > width) {
      return fmt::format("{} heads are more than the layer has columns: 1 to {}.", number, width);
    }
  }
  how->head_counts = *numbers;
  return {};
}

std::string TakeHeadDim(const AppState& state, const std::string& text, SplitRequest* how) {
  const auto numbers = ParseNumbers(text);
  const std::int64_t width = ColumnsOf(state);
  if (!numbers || numbers->size() > 1 ||
      (numbers->size() == 1 && width > 0 && numbers->front() > width)) {
    return fmt::format(
        "Write how many columns a head has: 1 to {}, or nothing for the usual width.", width);
  }
  how->head_dim = numbers->empty() ? std::nullopt : std::optional(numbers->front());
  return {};
}

std::string TakeScale(const std::string& text, SplitRequest* how) {
  if (text.empty()) {
    how->input_scale = 1.0;
    return {};
  }
  const auto scale = ParseAs<double>(text);
  if (!scale || !std::isfinite(*scale) || *scale <= 0.0 || *scale > 1e6) {
    return "Write by how much the input is multiplied: a number above 0, as 0.01.";
  }
  how->input_scale = *scale;
  return {};
}

}  // namespace

void CutAs::Do(Reducer* reducer) const {
  HeadTreeState& tree = reducer->state().tree;
  reducer->ClearNotice(ErrorPlace::kCounts);
  const SplitRequest before = std::exchange(tree.how, how);
  if (!is_all) {
    tree.how.head_counts = before.head_counts;
    tree.how.head_dim = before.head_dim;
    tree.how.input_scale = before.input_scale;
    return;
  }
  tree.texts.counts.clear();
  tree.texts.head_dim.clear();
  tree.texts.scale = how.input_scale == 1.0 ? "" : fmt::format("{}", how.input_scale);
  tree.texts.fault.clear();
}

void ZeroHeads::Do(Reducer* reducer) const {
  HeadTreeState& tree = reducer->state().tree;
  tree.zeroed_of = count;
  tree.zeroed.clear();
  for (const std::int64_t head : heads) {
    if (head >= 0 && head < count) {
      tree.zeroed.push_back(head);
    }
  }
  std::ranges::sort(tree.zeroed);
}

void EditCut::Do(Reducer* reducer) const {
  AppState& state = reducer->state();
  CutTexts& texts = state.tree.texts;
  SplitRequest& how = state.tree.how;
  switch (field) {
    case CutField::kCounts:
      texts.counts = text;
      texts.fault = TakeCounts(state, text, &how);
      break;
    case CutField::kHeadDim:
      texts.head_dim = text;
      texts.fault = TakeHeadDim(state, text, &how);
      break;
    case CutField::kScale:
      texts.scale = text;
      texts.fault = TakeScale(text, &how);
      break;
    case CutField::kOtherHeadDim:
      texts.other_head_dim = text;
      break;
    case CutField::kOtherValueDim:
      texts.other_value_dim = text;
      break;
  }
}

namespace {

// About the selected head's row first, then about it and the pinned one.
void EnsureLineage(Reducer* reducer) {
  const AppState& state = reducer->state();
  HeadTreeState& tree = reducer->state().tree;
  if (state.screen->subject != ScreenSubject::kHeadCounts || AreCountsStale(state) ||
      !IsSettled(state)) {
    return;
  }
  for (const auto& question : {RowQuestion(state), PinQuestion(state)}) {
    if (!question || AnswerTo(state, question) != nullptr) {
      continue;
    }
    if (tree.wanted != question) {
      tree.wanted = question;
      tree.Begin(reducer->Send(LineageJob{.parents = question->parents,
                                          .children = question->children,
                                          .parent_of = question->parent_of,
                                          .adds_up = question->adds_up}));
    }
    return;
  }
}

void HearLineage(Reducer* reducer, const Event& event) {
  HeadTreeState& tree = reducer->state().tree;
  const auto* const ready = std::get_if<LineageReady>(&event.what);
  const Error* const error = FailureOf(event);
  if (tree.wanted &&
      (ready != nullptr || (error != nullptr && error->code != ErrorCode::kCancelled))) {
    tree.answers.push_back({.question = *tree.wanted,
                            .found = ready != nullptr ? *ready : LineageReady{},
                            .fault = error != nullptr ? error->message : ""});
    if (tree.answers.size() > kMostAnswers) {
      tree.answers.erase(tree.answers.begin());
    }
  }
  if (ready == nullptr) {
    tree.wanted.reset();
  }
}

}  // namespace

template <>
std::vector<Work> WorksOf<LineageJob>() {
  return {At<&AppState::tree>({.words = "comparing heads with their parents",
                               .ensure = EnsureLineage,
                               .hear = HearLineage})};
}

}  // namespace headscope

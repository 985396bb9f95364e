#include "app/state/counts/head_tree.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/base/parse_number.h"

namespace headscope {

SplitRequest CutOf(const AppState& state, const LayerAttention& layer) {
  const std::int64_t width = layer.shape().heads * layer.shape().head_dim;
  SplitRequest how = state.tree.how;
  std::vector<std::int64_t> counts = CountsFor(layer);
  for (const std::int64_t count : how.head_counts) {
    if (count <= width) {
      counts.push_back(count);
    }
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  how.head_counts = std::move(counts);
  const bool takes_width =
      how.segments == SegmentKind::kRandom || how.segments == SegmentKind::kOverlapping;
  if (!takes_width || (how.head_dim && *how.head_dim > width)) {
    how.head_dim.reset();
  }
  how.shares_half = how.segments == SegmentKind::kOverlapping && !how.head_dim;
  if (std::ranges::count(WeightsOffered(state), how.weights) == 0) {
    how.weights = SplitWeights::kRandom;  // of the model before there was a step 0
  }
  how.keeps_outputs = false;
  return how;
}

bool IsDrawn(const SplitRequest& how) {
  return how.segments == SegmentKind::kRandom || how.weights == SplitWeights::kRandom ||
         how.InputUsed() == SplitInput::kNormal;
}

SplitRequest DrawnAnew(SplitRequest how) {
  ++how.seed;
  return how;
}

std::vector<SplitWeights> WeightsOffered(const AppState& state) {
  std::vector<SplitWeights> offered = {
      SplitWeights::kTrained, SplitWeights::kRandom, SplitWeights::kOnes};
  if (state.model != nullptr && !state.model->step_zero.empty()) {
    offered.insert(offered.begin() + 1, SplitWeights::kStepZero);
  }
  return offered;
}

bool IsWhole(const Counts& counts) {
  return counts.result != nullptr &&
         counts.result->counts.size() >= counts.result->planned.size() &&
         std::ranges::all_of(counts.result->counts, &SplitCount::is_measured);
}

bool AreCountsStale(const AppState& state) {
  const LayerView now = SelectedLayer(state);
  return now.layer != state.counts.source || now.outdated ||
         (now.layer != nullptr && state.tree.how_made != CutOf(state, *now.layer));
}

std::optional<TreeHead> FindInTree(const AppState& state, CountHead head) {
  if (state.counts.result == nullptr || state.tree.tree == nullptr) {
    return std::nullopt;
  }
  const auto& all = state.counts.result->counts;
  const auto found = std::ranges::find(all, head.heads, &SplitCount::heads);
  if (found == all.end() || head.head < 0 || head.head >= head.heads) {
    return std::nullopt;
  }
  return TreeHead{static_cast<std::size_t>(found - all.begin()), head.head};
}

std::vector<std::int64_t> ZeroedHeads(const AppState& state) {
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  return chosen && state.counts.result->counts[chosen->count].heads == state.tree.zeroed_of
             ? state.tree.zeroed
             : std::vector<std::int64_t>();
}

MapView MapOf(const AppState& state, TreeHead head) {
  return {.layer = state.counts.result->counts[head.row].attention, .head = head.head};
}

std::optional<HeadFamily> FamilyOf(const AppState& state) {
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  if (!chosen || state.tree.tree == nullptr) {
    return std::nullopt;
  }
  const SplitTree& tree = *state.tree.tree;
  const SplitRow& row = tree.rows[chosen->count];
  if (row.above) {
    const std::int64_t parent = row.parent[static_cast<std::size_t>(chosen->head)];
    return HeadFamily{.parent = {*row.above, parent},
                      .row = chosen->count,
                      .children = tree.Children(chosen->count, parent)};
  }
  const std::optional<std::size_t> below = tree.Below(chosen->count);
  if (!below) {
    return std::nullopt;
  }
  return HeadFamily{.parent = {chosen->count, chosen->head},
                    .row = *below,
                    .children = tree.Children(*below, chosen->head)};
}

std::optional<TreeHead> HeadBeside(const AppState& state) {
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  if (!chosen || state.tree.tree == nullptr) {
    return std::nullopt;
  }
  const TreeHead own{chosen->count, chosen->head};
  if (state.tree.pinned) {
    const std::optional<TreeHead> pinned = FindInTree(state, *state.tree.pinned);
    if (pinned && *pinned != own) {
      return pinned;
    }
  }
  const SplitRow& row = state.tree.tree->rows[chosen->count];
  if (!row.above) {
    return std::nullopt;
  }
  return TreeHead{*row.above, row.parent[static_cast<std::size_t>(chosen->head)]};
}

std::optional<LineageQuestion> RowQuestion(const AppState& state) {
  const std::optional<HeadFamily> family = FamilyOf(state);
  if (!family) {
    return std::nullopt;
  }
  const auto& counts = state.counts.result->counts;
  return LineageQuestion{.parents = counts[family->parent.row].attention,
                         .children = counts[family->row].attention,
                         .parent_of = state.tree.tree->rows[family->row].parent,
                         .adds_up = true};
}

std::optional<LineageQuestion> PinQuestion(const AppState& state) {
  const std::optional<TreeHead> beside = HeadBeside(state);
  if (!beside || !state.tree.pinned || FindInTree(state, *state.tree.pinned) != beside) {
    return std::nullopt;
  }
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  const MapView own = MapOf(state, {chosen->count, chosen->head});
  LineageQuestion question;
  question.parents = MapOf(state, *beside).layer;
  question.children = own.layer;
  question.parent_of.assign(static_cast<std::size_t>(own.layer->shape().heads), kNoParent);
  question.parent_of[static_cast<std::size_t>(own.head)] = beside->head;
  return question;
}

const LineageAnswer* AnswerTo(const AppState& state,
                              const std::optional<LineageQuestion>& question) {
  const auto& answers = state.tree.answers;
  const auto found =
      question ? std::ranges::find(answers, *question, &LineageAnswer::question) : answers.end();
  return found != answers.end() ? &*found : nullptr;
}

std::optional<OtherWidths> OtherWidthsOf(const AppState& state) {
  const Counts& counts = state.counts;
  if (counts.source == nullptr || counts.source_of.model == nullptr ||
      counts.source_of.model->file != nullptr) {
    return std::nullopt;
  }
  const LayerId id{counts.source->part(), counts.source->layer()};
  const ModelDescription& model = counts.source_of.model->description;
  const auto& layers = StackOf(model, id.part).layer;
  // A layer without keys of its own has no such numbers.
  if (id.layer >= std::ssize(layers) || layers[static_cast<std::size_t>(id.layer)].keys_of) {
    return std::nullopt;
  }
  OtherWidths widths;
  widths.own = widths.other = WidthsOf(model, id);
  const auto take = [&](const std::string& text, const char* name, std::int64_t* width) {
    if (text.empty()) {
      return;
    }
    const auto number = ParseAs<std::int64_t>(text);
    if (!number || *number < 1 || *number > kMostOtherWidth) {
      widths.fault = fmt::format("Write {} as a whole number from 1 to {}, or nothing for {}.",
                                 name,
                                 kMostOtherWidth,
                                 *width);
      return;
    }
    *width = *number;
  };
  take(state.tree.texts.other_head_dim, "dₖ", &widths.other.head_dim);
  take(state.tree.texts.other_value_dim, "dᵥ", &widths.other.value_dim);
  const AttentionShape& shape = counts.source->shape();
  widths.own_costs = CostsOf(widths.own, shape.queries, shape.keys);
  widths.other_costs = CostsOf(widths.other, shape.queries, shape.keys);
  return widths;
}

std::vector<SeparatedHead> SeparatedHeads(const AppState& state) {
  const std::optional<HeadFamily> family = FamilyOf(state);
  if (!family) {
    return {};
  }
  const LineageAnswer* const answer = AnswerTo(state, RowQuestion(state));
  std::vector<SeparatedHead> heads;
  const std::int64_t count = state.counts.result->counts[family->row].heads;
  for (std::int64_t head = 0; head < count; ++head) {
    const auto at = static_cast<std::size_t>(head);
    const bool is_known = answer != nullptr && at < answer->found.children.size();
    heads.push_back(
        {head, is_known ? answer->found.children[at].divergence : std::nullopt, is_known});
  }
  if (state.tree.largest_first) {
    std::ranges::stable_sort(heads, std::greater<>(), [](const SeparatedHead& head) {
      return head.divergence.value_or(-1.0);
    });
  }
  return heads;
}

}  // namespace headscope

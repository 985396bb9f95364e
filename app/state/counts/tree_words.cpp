#include "app/state/counts/tree_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/digits.h"

namespace headscope {
namespace {

// "1 has 22, 2 have 21", the widest first.
std::string WidthsWords(const LayerAttention& cut) {
  std::map<std::size_t, std::int64_t, std::greater<>> widths;
  for (std::int64_t head = 0; head < cut.shape().heads; ++head) {
    ++widths[cut.columns(head).size()];
  }
  std::string words;
  for (const auto& [width, heads] : widths) {
    words += fmt::format(
        "{}{} {} {}", words.empty() ? "" : ", ", heads, heads == 1 ? "has" : "have", width);
  }
  return words;
}

std::string FaultWords(const SplitResult& split, const SplitRow& row, std::size_t at) {
  const std::int64_t own = split.counts[at].heads;
  const std::int64_t before = split.counts[at - 1].heads;
  switch (row.fault) {
    case LineageFault::kSpread:
      return fmt::format(
          "the columns of head {} lie in several heads of h = {}", row.faulty_head, before);
    case LineageFault::kSeveral:
      return fmt::format(
          "the columns of head {} lie in more than one head of h = {}", row.faulty_head, before);
    case LineageFault::kShared:
      return fmt::format("two heads of h = {} have the same column of head {} of h = {}",
                         own,
                         row.faulty_head,
                         before);
    case LineageFault::kLeftOut:
      return fmt::format(
          "no head of h = {} has some columns of head {} of h = {}", own, row.faulty_head, before);
    case LineageFault::kNone:
      break;
  }
  return {};
}

std::string Signed(double value) {
  return value < 0.0 ? fmt::format("−{:.4f}", -value) : fmt::format("{:.4f}", value);
}

bool IsMeasured(const SplitResult& split) {
  return std::ranges::all_of(split.counts, &SplitCount::is_measured);
}

// Rounding, or what nobody sees.
constexpr double kNoChange = 1e-4;

bool IsOneHot(const SplitAtScale& scale) {
  return std::ranges::all_of(scale.counts,
                             [](const CountAtScale& count) { return count.largest_weight > 0.99; });
}

}  // namespace

std::string ColumnWords(const std::vector<std::int32_t>& columns) {
  if (columns.empty()) {
    return "no columns";
  }
  const auto run = static_cast<std::int64_t>(columns.back()) - columns.front() + 1;
  if (columns.size() == 1) {
    return fmt::format("column {}", columns.front());
  }
  if (run == std::ssize(columns)) {
    return fmt::format("columns {}–{}", columns.front(), columns.back());
  }
  std::string words = "columns ";
  const std::size_t shown = std::min<std::size_t>(columns.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    words += fmt::format("{}{}", i > 0 ? ", " : "", columns[i]);
  }
  if (columns.size() > shown) {
    words += fmt::format("{}{}", columns.size() > shown + 1 ? ", … " : ", ", columns.back());
  }
  return words;
}

std::string ShareWords(const SplitCount& count, std::int64_t columns) {
  std::size_t least = count.attention->columns(0).size();
  std::size_t most = least;
  for (std::int64_t head = 1; head < count.heads; ++head) {
    const std::size_t own = count.attention->columns(head).size();
    least = std::min(least, own);
    most = std::max(most, own);
  }
  if (least == most) {
    return {};
  }
  return fmt::format("{} for {}: {}",
                     Counted(columns, "column"),
                     Counted(count.heads, "head"),
                     WidthsWords(*count.attention));
}

std::string RowNote(const SplitResult& split, const SplitTree& tree, std::size_t row) {
  const SplitCount& count = split.counts[row];
  const AttentionShape& shape = count.attention->source().shape();
  const std::int64_t columns = shape.heads * shape.head_dim;
  std::string note = ShareWords(count, columns);
  const auto add = [&note](const std::string& words) {
    note += (note.empty() ? "" : "; ") + words;
  };
  const SplitRow& own = tree.rows[row];
  if (row > 0 && own.above != row - 1) {
    const std::string fault = FaultWords(split, own, row);
    if (own.above) {
      add(fmt::format("its heads stand under h = {}: {}", split.counts[*own.above].heads, fault));
    } else {
      add(fmt::format("no parents, and no sum: {}", fault));
    }
  }
  if (count.unowned_columns > 0) {
    add(fmt::format(
        "{} of {} belong to no head", count.unowned_columns, Counted(columns, "column")));
  }
  return note;
}

std::string ResultWords(const SplitResult& split) {
  const SplitRequest& request = split.request;
  if (request.weights == SplitWeights::kOnes) {
    return EqualWords(split);
  }
  // As long before it is measured as after, so that nothing moves.
  const bool is_measured = IsMeasured(split);
  const bool is_contiguous = request.segments == SegmentKind::kContiguous;
  if (request.UsesLayer() && is_contiguous) {
    const std::string words =
        "Parameters and multiplies are the same for each, the output is not: ";
    if (!is_measured) {
      return words + "how much it changes is being measured.";
    }
    const auto moved = std::ranges::max_element(split.counts, {}, &SplitCount::output_difference);
    return moved == split.counts.end() || moved->output_difference <= 0.0
               ? std::string()
               : words + fmt::format("at h = {} it changes by {}.",
                                     moved->heads,
                                     PercentOf(moved->output_difference));
  }
  std::string words = fmt::format("Not as in the model: {}.", fmt::join(ChangesOf(request), "; "));
  const SplitCount* const trained = CountOf(split, split.trained_heads);
  return trained != nullptr
             ? words + " " + (is_contiguous ? ApartWords(*trained) : MovedWords(split, *trained))
             : words;
}

const SplitCount* CountOf(const SplitResult& split, std::int64_t heads) {
  const auto found = std::ranges::find(split.counts, heads, &SplitCount::heads);
  return found != split.counts.end() ? &*found : nullptr;
}

std::string ApartWords(const SplitCount& count) {
  const bool knows = count.is_measured;
  return fmt::format("Its {} lie {} nats apart on the mean, of 0.693 at most: {} effective heads.",
                     Counted(count.heads, "head"),
                     !knows                  ? "…"
                     : count.mean_divergence ? WithDigits(*count.mean_divergence)
                                             : "0",
                     knows ? fmt::format("{:.1f}", count.effective_heads) : "…");
}

std::string MovedWords(const SplitResult& split, const SplitCount& count) {
  const bool knows = count.is_measured;
  const bool has_both = knows && split.contiguous_effective_heads;
  std::string words = fmt::format(
      "The {} of the trained count change the output by {}: {} effective heads, where "
      "contiguous columns have {}",
      Counted(count.heads, "head"),
      knows ? PercentOf(count.output_difference) : "…",
      knows ? fmt::format("{:.1f}", count.effective_heads) : "…",
      has_both ? fmt::format("{:.1f}", *split.contiguous_effective_heads) : "…");
  if (count.unowned_columns > 0) {
    words += fmt::format("; {} to no head",
                         Counted(count.unowned_columns, "column belongs", "columns belong"));
  }
  return words + ".";
}

ScaleLine LineOfScale(const SplitAtScale& scale) {
  const auto [least, most] = std::ranges::minmax(scale.counts, {}, &CountAtScale::largest_weight);
  const auto moved = std::ranges::max_element(scale.counts, {}, &CountAtScale::output_difference);
  const std::string low = fmt::format("{:.3f}", least.largest_weight);
  const std::string high = fmt::format("{:.3f}", most.largest_weight);
  return {.scale = scale.input_scale,
          .name = fmt::format("× {:g}", scale.input_scale),
          .largest_weight = low == high ? low : fmt::format("{} to {}", low, high),
          .moved = PercentOf(moved->output_difference),
          .heads = moved->heads,
          .difference = moved->output_difference};
}

std::string EqualWords(const SplitResult& split) {
  const SplitRequest& request = split.request;
  std::string words = fmt::format(
      "Not as in the model: {}. All heads of a count are one head then, and h changes the scale of "
      "its scores alone. ",
      fmt::join(ChangesOf(request), "; "));
  if (split.scales.empty() || !IsMeasured(split)) {
    return words + (request.input_scale == 0.0 ? "An input of 0 makes every map even."
                                               : "At which scales of the input that shows is being "
                                                 "measured.");
  }
  // The counts on screen, at their own scale.
  SplitAtScale own{.input_scale = request.input_scale, .counts = {}};
  for (const SplitCount& count : split.counts) {
    own.counts.push_back({count.heads, count.output_difference, count.largest_weight});
  }
  const ScaleLine here = LineOfScale(own);
  words += fmt::format("With the input {} the largest weight of a row is {} on the mean, and ",
                       here.name,
                       here.largest_weight);
  words += here.difference < kNoChange
               ? fmt::format("the output stays within {} whatever h is{}.",
                             here.moved,
                             IsOneHot(own) ? ", since every row takes one token" : "")
               : fmt::format("the output changes by up to {} (h = {}).", here.moved, here.heads);
  const SplitAtScale& most = *std::ranges::max_element(
      split.scales, {}, [](const SplitAtScale& at) { return LineOfScale(at).difference; });
  if (most.input_scale != request.input_scale) {
    const ScaleLine line = LineOfScale(most);
    words += fmt::format(
        " With the input {} the largest weight is {}, and it changes by up to {} (h = {}).",
        line.name,
        line.largest_weight,
        line.moved,
        line.heads);
  }
  return words;
}

std::string SeenWords(const ParentDistance& distance,
                      const std::string& query,
                      const std::string& key) {
  if (std::abs(distance.own - distance.other) < 0.0005) {
    return "The same weights: no cell of the two differs by 0.001.";
  }
  return fmt::format(
      "The maps differ most where {} looks at {}: {:.3f} in this head, {:.3f} in the other.",
      query,
      key,
      distance.own,
      distance.other);
}

std::vector<SumLine> SumLines(const DotSum& sum,
                              const std::vector<std::int64_t>& heads,
                              const std::string& parent,
                              std::size_t most) {
  std::vector<SumLine> lines;
  const std::size_t shown = heads.size() > most ? most - 1 : heads.size();
  for (std::size_t i = 0; i < shown; ++i) {
    lines.push_back({fmt::format("head {}", heads[i]), Signed(sum.children[i])});
  }
  if (shown < heads.size()) {
    double rest = 0.0;
    for (std::size_t i = shown; i < heads.size(); ++i) {
      rest += sum.children[i];
    }
    lines.push_back({fmt::format("{} others", heads.size() - shown), Signed(rest)});
  }
  lines.push_back({"sum", Signed(sum.sum)});
  lines.push_back({parent, Signed(sum.parent)});
  return lines;
}

}  // namespace headscope

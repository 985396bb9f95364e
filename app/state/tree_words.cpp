#include "app/state/tree_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/base/counted.h"

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
  if (!request.UsesLayer()) {
    return {};
  }
  const bool is_measured =
      std::ranges::all_of(split.counts, [](const SplitCount& count) { return count.is_measured; });
  // As long before it is measured as after, so that nothing moves.
  if (request.segments == SegmentKind::kContiguous) {
    const std::string words =
        "Parameters and multiplies are the same for each, the output is not: ";
    if (!is_measured) {
      return words + "how far it moves is being measured.";
    }
    const auto moved = std::ranges::max_element(split.counts, {}, &SplitCount::output_difference);
    return moved == split.counts.end() || moved->output_difference <= 0.0
               ? std::string()
               : words + fmt::format("at h = {} it moves by {:.3f} of its length.",
                                     moved->heads,
                                     moved->output_difference);
  }
  const auto trained = std::ranges::find(split.counts, split.trained_heads, &SplitCount::heads);
  if (trained == split.counts.end()) {
    return {};
  }
  return fmt::format(
      "With {} columns the {} that the layer was trained with move its output by {} "
      "of its length: training had filled neighbouring ones. Before training no "
      "choice is better.",
      Name(request.segments),
      Counted(trained->heads, "head"),
      is_measured ? fmt::format("{:.3f}", trained->output_difference) : "…");
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

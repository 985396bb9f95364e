// One layer under several head counts: one row per count, with the cost table. If a count has more
// than 64 heads, the first 64 are drawn, and a note says so.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/base/digits.h"
#include "core/base/grouped.h"
#include "core/figure/figure_kind.h"
#include "core/figure/map_rows.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostDrawn = 64;  // maps side by side

// Returns "16,384"; millions as "10.9 M".
std::string Short(std::int64_t count) {
  return count < 10'000'000 ? Grouped(count)
                            : fmt::format("{:.1f} M", static_cast<double>(count) / 1e6);
}

std::vector<std::string> CostRow(const SplitCount& count) {
  return {fmt::format("{}", count.heads),
          WidthText(count),
          Short(count.parameters),
          Short(count.multiplies),
          Short(count.softmax_cells),
          fmt::format("{:.1f} kB", static_cast<double>(count.map_bytes) / 1e3),
          PercentOf(count.output_difference),
          count.mean_divergence ? WithDigits(*count.mean_divergence, 4) : "\u2013",
          fmt::format("{:.2f}", count.effective_heads)};
}

// Says what differs from the model; empty if nothing does.
std::string ChangeNote(const SplitRequest& request) {
  const std::vector<std::string> changes = ChangesOf(request);
  return changes.empty() ? std::string()
                         : fmt::format(
                               "Not as in the model: {}. Change of output is against the trained "
                               "count, contiguous.",
                               fmt::join(changes, "; "));
}

// Describes the effect of the input's scale under weights that are all 1.
std::string ScaleNote(const SplitAtScale& scale) {
  const auto [least, most] = std::ranges::minmax(scale.counts, {}, &CountAtScale::largest_weight);
  const auto moved = std::ranges::max_element(scale.counts, {}, &CountAtScale::output_difference);
  return fmt::format(
      "With the input times {:g} the largest weight of a row is {} to {} on the mean, and the "
      "output changes by at most {} (h = {}).",
      scale.input_scale,
      WithDigits(least.largest_weight),
      WithDigits(most.largest_weight),
      PercentOf(moved->output_difference),
      moved->heads);
}

Result<std::unique_ptr<Figure>> MakeHeadCounts(const FigureSubject& subject) {
  if (subject.counts == nullptr || subject.counts->counts.empty()) {
    return Fail(ErrorCode::kInput, "there are no head counts to draw");
  }
  const SplitResult& split = *subject.counts;
  const ModelPart part = split.counts.front().attention->part();
  FigurePage page = PageOf(
      subject.context, part, LayerWords({part, split.layer}) + ", cut into other numbers of heads");
  const std::vector<std::shared_ptr<const LayerAttention>> cuts = split.Cuts();
  MapRowsContent content;
  content.table.push_back({"h",
                           "d_k",
                           "parameters",
                           "multiplies",
                           "softmax cells",
                           "maps",
                           "change of output",
                           "divergence",
                           "effective heads"});
  for (const SplitCount& count : split.counts) {
    FigureRow row;
    row.label = fmt::format("h = {}", count.heads);
    const bool trained = split.IsTrained(count);
    row.sublabel = fmt::format("{}d_k {}", trained ? "trained, " : "", WidthText(count));
    row.marked = trained;
    const std::int64_t drawn = std::min(count.heads, kMostDrawn);
    if (drawn < count.heads) {
      page.notes.push_back(
          fmt::format("h = {}: heads 0\u2013{} are drawn.", count.heads, drawn - 1));
    }
    for (std::int64_t head = 0; head < drawn; ++head) {
      row.maps.push_back(MapOf({.layer = count.attention, .head = head}, cuts, subject.context));
    }
    content.rows.push_back(std::move(row));
    if (trained) {
      content.marked_table_row = std::ssize(content.table);
    }
    content.table.push_back(CostRow(count));
  }
  if (split.leaves_bias_out) {
    page.notes.push_back(
        "Without the bias or sink that each trained head adds to its scores: it belongs to no "
        "other head count.");
  }
  if (const std::string note = ChangeNote(split.request); !note.empty()) {
    page.notes.push_back(note);
  }
  std::ranges::transform(split.scales, std::back_inserter(page.notes), ScaleNote);
  const bool one_owner = split.request.segments == SegmentKind::kContiguous ||
                         split.request.segments == SegmentKind::kStrided;
  page.notes.push_back(
      fmt::format("The same weights throughout{}. ",
                  one_owner ? "; parameters and multiplies do not depend on h" : "") +
      "Change of output: against the trained count, relative to its norm. Divergence: Jensen-Shannon, nats, mean "
      "over head pairs and rows. Effective heads: how many that differ, from 1 to h.");
  return std::make_unique<MapRows>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kHeadCountsFigure;
const FigureKind kHeadCountsFigure{
    .of = FigureOf::kCounts, .view = kPlainView, .make = MakeHeadCounts};

}  // namespace headscope

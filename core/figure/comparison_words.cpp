#include "core/figure/comparison_words.h"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/compare/compare_export.h"
#include "core/heads/head_name.h"

namespace headscope {
namespace {

std::string FurthestNote(const Comparison& comparison) {
  const auto largest = LargestOf(comparison);
  if (!largest) {
    return "No row sees two keys or more in both, so nothing can be said of the heads.";
  }
  if (*largest->pair.divergence == 0.0) {
    return "Every head is exactly as its partner.";
  }
  return fmt::format("Furthest apart: {} of A and {} of B, {}.",
                     HeadName({largest->layer, largest->pair.a, comparison.part_a}),
                     HeadName({largest->layer, largest->pair.b, comparison.part_b}),
                     ShortDivergence(*largest->pair.divergence));
}

}  // namespace

Status WriteComparisonNumbers(const std::filesystem::path& path, const FigureSubject& subject) {
  if (subject.comparison == nullptr || subject.comparison->layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no comparison to write");
  }
  return WriteComparison(path, *subject.comparison, subject.metadata);
}

std::string ShortDivergence(double nats) {
  constexpr double kLeast = 0.0001;
  return nats == 0.0     ? "0"
         : nats < kLeast ? fmt::format("{:.0e}", nats)
                         : fmt::format("{:.4f}", nats);
}

FigurePage ComparisonPage(const FigureContext& context,
                          const Comparison& comparison,
                          std::string_view convention) {
  FigurePage page =
      PageOf(context,
             comparison.part_a,
             fmt::format("How far heads lie apart: {} (A) and {} (B)", comparison.a, comparison.b),
             convention);
  page.masked_word = "no partner";
  page.notes.insert(page.notes.begin(), FurthestNote(comparison));
  page.notes.insert(
      page.notes.begin() + 1,
      fmt::format("Divergence: Jensen-Shannon, nats, mean over {} that see two keys or more: 0 "
                  "where two heads are alike, 0.693 where they share nothing. Heads are matched "
                  "within their layer, so that all divergences together are least.",
                  Counted(comparison.layers.front().num_rows, "row")));
  page.notes.insert(page.notes.end(), comparison.notes.begin(), comparison.notes.end());
  return page;
}

}  // namespace headscope

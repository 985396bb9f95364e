#include "core/figure/comparison_words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/compare/compare_export.h"
#include "core/heads/measure/head_name.h"

namespace headscope {
namespace {

struct Digits {
  int digits = 3;          // significant ones
  int least_decimals = 2;  // at least this many after the point
  int most_decimals = 6;   // numbers that need more are written as "4.2e-7"
};

std::string InDigits(double number, const Digits& wish) {
  if (number == 0.0) {
    return "0";
  }
  const int first = static_cast<int>(std::floor(std::log10(std::abs(number))));
  const int decimals = std::max(wish.least_decimals, wish.digits - 1 - first);
  if (decimals <= wish.most_decimals) {
    return fmt::format("{:.{}f}", number, decimals);
  }
  std::string text = fmt::format("{:.{}e}", number, std::max(0, wish.digits - 2));
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) {
    text.erase(zero + 2, 1);
  }
  return text;
}

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
  return InDigits(nats, {.digits = 3, .least_decimals = 4, .most_decimals = 6});
}

std::string TightDivergence(double nats) {
  return InDigits(nats, {.digits = 2, .least_decimals = 2, .most_decimals = 4});
}

ColorScale DivergenceScale(ColorScale scale, double largest) {
  if (scale.range != RangeMode::kFixed) {
    scale.range = RangeMode::kFixed;
    scale.low = 0.0F;
    scale.high =
        largest > kRoundingOfDivergence ? static_cast<float>(largest) : std::numbers::ln2_v<float>;
  }
  return scale;
}

double LargestOfPairs(const Comparison& comparison) {
  const auto largest = LargestOf(comparison);
  return largest ? largest->pair.divergence.value_or(0.0) : 0.0;
}

double LargestOfAll(const Comparison& comparison) {
  double largest = 0.0;
  for (const LayerComparison& layer : comparison.layers) {
    for (const double divergence : layer.divergences) {
      largest = layer.num_rows > 0 ? std::max(largest, divergence) : largest;
    }
  }
  return largest;
}

std::string DivergenceScaleWords(const ColorScale& scale, double largest) {
  const ColorScale used = DivergenceScale(scale, largest);
  return fmt::format("Colours run from {} to {} nats, {}.",
                     ShortDivergence(static_cast<double>(used.low)),
                     ShortDivergence(static_cast<double>(used.high)),
                     scale.range == RangeMode::kFixed  ? "as asked for"
                     : largest > kRoundingOfDivergence ? "the largest divergence shown"
                                                       : "ln 2, the most that there can be");
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

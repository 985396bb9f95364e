// What every head does to a word, or every layer at every position, as colours around 0.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/figure/figure_kind.h"
#include "core/figure/score_map.h"

namespace headscope {
namespace {

Result<std::unique_ptr<Figure>> MakeEffectMap(const FigureSubject& subject) {
  if (subject.effects == nullptr) {
    return Fail(ErrorCode::kInput, "there is no effect of heads to draw");
  }
  const EffectMap& map = *subject.effects;
  double largest = 0.0;
  std::vector<double> sizes;
  for (const std::optional<double>& value : map.values) {
    sizes.push_back(std::abs(value.value_or(0.0)));
    largest = std::max(largest, sizes.back());
  }
  std::ranges::sort(sizes, std::ranges::greater());
  const double outlined = sizes[std::min(kTopHeads, sizes.size()) - 1];
  const double end = largest > 0.0 ? largest : 1.0;
  ScoreMapContent content{
      .heads = map.shape,
      .cells = {},
      .colormap = Colormap::kDiverging,
      .low = fmt::format("{:.3g}", -end),
      .high = fmt::format("{:+.3g}", end),
      .words = fmt::format("{}; outlined: the {} largest", map.words, kTopHeads)};
  content.columns = map.columns;
  for (const std::optional<double>& value : map.values) {
    ScoreCell& cell = content.cells.emplace_back();
    if (value) {
      cell.at = static_cast<float>(0.5 + 0.5 * *value / end);
      const double size = std::abs(*value);
      cell.words = size > 0.0 && size >= outlined ? fmt::format("{:.2f}", *value) : "";
    }
  }
  FigurePage page;
  page.title = map.title;
  page.caption = fmt::format("{}. {}", subject.context.model, map.caption);
  page.notes = subject.context.notes;
  page.theme = subject.context.theme;
  page.size_px = subject.context.size_px;
  page.look = subject.context.look;
  return std::make_unique<ScoreMap>(std::move(page), std::move(content));
}

}  // namespace

extern const FigureKind kEffectsFigure;
const FigureKind kEffectsFigure{
    .of = FigureOf::kEffects, .view = kPlainView, .make = MakeEffectMap};

}  // namespace headscope

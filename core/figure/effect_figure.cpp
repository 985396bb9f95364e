#include "core/figure/effect_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/hundredths.h"
#include "core/figure/score_map.h"

namespace headscope {
namespace {

Result<std::shared_ptr<const EffectMap>> EffectsOf(const FigureSubject& subject) {
  if (subject.effects == nullptr) {
    return Fail(ErrorCode::kInput, "there is no effect of heads to draw");
  }
  return subject.effects;
}

TableCell NumberCell(double value) {
  return {fmt::format("{:.4f}", value), value};
}

// The cells that say which one it is are the caller's.
template <typename NamesOfPlace>
Result<Table> EffectTable(const FigureSubject& subject,
                          std::vector<TableColumn> columns,
                          const NamesOfPlace& names) {
  HEADSCOPE_TRY(const auto effects, EffectsOf(subject));
  const EffectMap& map = *effects;
  Table table{.title = map.title,
              .caption = fmt::format("{}. {}", subject.context.model, map.caption),
              .columns = std::move(columns),
              .rows = {}};
  table.columns.push_back({"share", "score", true});
  table.columns.push_back({"error", "error", true});
  table.columns.push_back({"sign came back", "restored", true});
  if (map.at) {
    table.columns.push_back({"row alone", "at", true});
  }
  for (std::size_t place = 0; place < map.values.size(); ++place) {
    if (!map.values[place]) {
      continue;
    }
    std::vector<TableCell>& row = table.rows.emplace_back(names(map, place));
    row.push_back(NumberCell(*map.values[place]));
    const bool has_error = place < map.errors.size();
    row.push_back(has_error ? NumberCell(map.errors[place]) : TableCell());
    const std::optional<std::int64_t> restored = has_error ? map.restored[place] : std::nullopt;
    row.push_back(restored ? TableCell{fmt::format("{}", *restored), static_cast<double>(*restored)}
                           : TableCell());
    if (map.at) {
      row.push_back({fmt::format("{}", *map.at), static_cast<double>(*map.at)});
    }
  }
  return table;
}

}  // namespace

Result<std::unique_ptr<Figure>> MakeEffectFigure(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto effects, EffectsOf(subject));
  return DrawEffects(
      subject.context, *effects, fmt::format("{}. {}", subject.context.model, effects->caption));
}

std::unique_ptr<Figure> DrawEffects(const FigureContext& context,
                                    const EffectMap& map,
                                    std::string caption) {
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
      cell.words = size > 0.0 && size >= outlined ? ShareAmong(*value, largest) : "";
    }
  }
  FigurePage page;
  page.title = map.title;
  page.caption = std::move(caption);
  page.notes = context.notes;
  page.theme = context.theme;
  page.size_px = context.size_px;
  page.look = context.look;
  return std::make_unique<ScoreMap>(std::move(page), std::move(content));
}

Result<Table> HeadEffects(const FigureSubject& subject) {
  return EffectTable(subject, {{"head", "head"}}, [](const EffectMap& map, std::size_t place) {
    return std::vector<TableCell>{{HeadName(map.shape.At(place))}};
  });
}

Result<Table> PositionEffects(const FigureSubject& subject) {
  return EffectTable(subject,
                     {{"layer", "layer", true}, {"position", "position", true}, {"token", "token"}},
                     [](const EffectMap& map, std::size_t place) {
                       const HeadIndex at = map.shape.At(place);  // positions are its heads
                       const auto number = [](std::int64_t value) {
                         return TableCell{fmt::format("{}", value), static_cast<double>(value)};
                       };
                       const auto column = static_cast<std::size_t>(at.head);
                       return std::vector<TableCell>{
                           number(at.layer),
                           number(at.head),
                           {column < map.columns.size() ? map.columns[column] : ""}};
                     });
}

}  // namespace headscope

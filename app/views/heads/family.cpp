// The models of a family over the steps of their trainings: a line for each number of heads, of the chosen
// score, and above it of loss and divergence. A click on a dot opens that model.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/across.h"
#include "app/state/heads/series_words.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"
#include "core/figure/chart_grid.h"
#include "core/model/model_folder.h"

namespace headscope {
namespace {

constexpr float kFamilySmall = 170.0F;      // unscaled height of the charts above
constexpr float kLeastUnderSmall = 230.0F;  // what must be left below them

// "h 4 at step 300: induction 0.85 ± .02, chance 0.02; the mean of 3 runs: copy-h4, copy-h4-2, copy-h4-3"
std::string PointWords(const FamilyQuantity& quantity,
                       const FamilyCurve& curve,
                       const AcrossRow& row) {
  const AcrossNumber& number = *quantity.In(row);
  std::string words = fmt::format("h {} {}: {} {}",
                                  curve.heads,
                                  AtStepWords(row.label),
                                  quantity.name(),
                                  quantity.ValueText(number));
  if (number.control && quantity.HasChance()) {
    words += ", chance " + quantity.ValueText({.mean = *number.control, .runs = 1});
  }
  words += number.runs > 1 ? fmt::format("\nMean of {}: ", Counted(number.runs, "run"))
                           : std::string("\nOne run, no error: ");
  words += fmt::format("{}", fmt::join(row.names, ", "));
  return number.runs < curve.runs.size()
             ? words + fmt::format("\n{} of {} runs so far.", number.runs, curve.runs.size())
             : words;
}

void PointAtFamily(Ui* ui,
                   const FamilyCurves& curves,
                   const FamilyQuantity& quantity,
                   const ChartPointed& pointed,
                   std::uint32_t item) {
  if (!pointed.key) {
    return;
  }
  const std::size_t place = *pointed.key % curves.places.size();
  const FamilyCurve& curve = curves.curves[*pointed.key / curves.places.size()];
  const SeriesModel* const model = ModelOfPoint(ui->state, curve, place);
  const bool is_open =
      model != nullptr && ui->state.model != nullptr && ui->state.model->folder == model->folder;
  if (pointed.clicked && model != nullptr && !is_open && ui->state.opening_folder.empty()) {
    ui->Do(OpenFolder{.folder = model->folder});
  }
  std::string words = PointWords(quantity, curve, curve.rows[place]);
  if (model != nullptr) {
    words +=
        is_open ? "\nIt is open." : fmt::format("\nA click opens {}.", ModelName(model->folder));
  }
  TooltipForItem(ui, item + static_cast<std::uint32_t>(*pointed.key), true, words);
}

void DrawFamilyChart(Ui* ui,
                     const Rect& area,
                     const FamilyCurves& curves,
                     const FamilyQuantity& quantity,
                     std::uint32_t item) {
  const std::string open = ui->state.model != nullptr ? ModelName(ui->state.model->folder) : "";
  const Chart chart = FamilyChart(curves, quantity, open, ui->state.theme);
  const std::string id = "family " + quantity.key();
  PointAtFamily(ui, curves, quantity, DrawChart(ui, id.c_str(), area, chart), item);
}

// Of what the models have: loss and divergence, small, above the score.
std::vector<FamilyQuantity> SmallOnes(const std::vector<FamilyQuantity>& all) {
  std::vector<FamilyQuantity> small;
  for (const FamilyQuantity& one : all) {
    if (one.column != nullptr && (one.column->of == AcrossQuantity::kLoss ||
                                  one.column->of == AcrossQuantity::kDivergence)) {
      small.push_back(one);
    }
  }
  return small;
}

}  // namespace

void DrawHeadsFamily(Ui* ui, const Rect& area, const FamilyCurves& curves) {
  const std::vector<FamilyQuantity> all = QuantitiesOf(curves);
  if (all.empty()) {
    return;
  }
  constexpr std::uint32_t kFirstItem = 9000000;
  constexpr std::uint32_t kItems = 100000;  // of a chart
  const float pad = ui->Px(14.0F);
  Rect rest{area.x + pad, area.y, std::max(ui->Px(60.0F), area.width - 2.0F * pad), area.height};
  const auto take = [&rest](float height) {
    rest.y += height;
    rest.height -= height;
  };
  take(DrawParagraph(
      *ui, rest.x, rest.y, rest.width, FamilyNotes(curves), Type::kSmall, ui->colors().muted, 3));
  Pen pen{ui, rest.x, rest.y, rest.width};
  DrawChartKey(&pen, LegendOfFamily(curves, ui->state.theme));
  take(pen.y - rest.y);
  std::uint32_t item = kFirstItem;
  const std::vector<FamilyQuantity> small = SmallOnes(all);
  if (!small.empty() && rest.height >= ui->Px(kFamilySmall + kLeastUnderSmall)) {
    const auto places =
        GridPlaces({rest.x, rest.y, rest.width, ui->Px(kFamilySmall)}, small.size(), 1.0F, pad);
    for (std::size_t i = 0; i < small.size(); ++i) {
      DrawFamilyChart(ui, places[i], curves, small[i], item += kItems);
    }
    take(ui->Px(kFamilySmall));
  }
  if (all.front().metric != nullptr) {
    DrawFamilyChart(
        ui, {area.x, rest.y, area.width, rest.height}, curves, all.front(), item + kItems);
  }
}

}  // namespace headscope

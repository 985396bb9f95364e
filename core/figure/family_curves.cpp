#include "core/figure/family_curves.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/figure/score_axis.h"
#include "core/figure/training_curves.h"
#include "core/model/model_folder.h"
#include "core/model/model_series.h"

namespace headscope {
namespace {

constexpr std::int64_t kTrained = std::numeric_limits<std::int64_t>::max();
constexpr double kBeside = 0.07;  // of a place: how far curves stand apart there

struct FamilyPlace {
  std::string run;  // "copy-h4"
  FamilyMember member;
  std::int64_t step = kTrained;
};

// Of "copy-h4/step-300", or "copy-h4", the end of its training.
std::optional<FamilyPlace> PlaceOfName(const std::string& name) {
  FamilyPlace place{.run = name, .member = {}};
  const std::size_t slash = name.rfind('/');
  if (slash != std::string::npos) {
    if (const auto step = StepOfCheckpoint(name.substr(slash + 1))) {
      place.run = name.substr(0, slash);
      place.step = *step;
    }
  }
  const auto member = ParseFamilyMember(place.run);
  if (!member) {
    return std::nullopt;
  }
  place.member = *member;
  return place;
}

std::string StepLabel(std::int64_t step) {
  return step == kTrained ? "trained" : fmt::format("{}", step);
}

std::optional<double> ErrorOverRuns(const AcrossNumber& number) {
  return number.runs > 1 ? number.error : std::nullopt;
}

ChartAxis AxisOfQuantity(const FamilyCurves& curves, const FamilyQuantity& quantity) {
  double most = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (const FamilyCurve& curve : curves.curves) {
    for (const AcrossRow& row : curve.rows) {
      if (const auto& number = quantity.In(row)) {
        const double error = ErrorOverRuns(*number).value_or(0.0);
        const double control =
            quantity.HasChance() ? number->control.value_or(number->mean) : number->mean;
        most = std::max({most, number->mean + error, control});
        least = std::min({least, number->mean - error, control});
      }
    }
  }
  if (quantity.column != nullptr) {
    return AcrossAxis(*quantity.column, most);
  }
  ScoreAxis axis = AxisOf(*quantity.metric);
  axis.Include({.low = least, .high = most, .chance = axis.chance});
  axis.low = axis.low > 0.0 && axis.low < axis.high / 2.0 ? 0.0 : axis.low;
  return axis.Named(*quantity.metric, quantity.metric->name, ", best head, mean over runs");
}

std::string SignsOf(const FamilyCurves& curves, const FamilyQuantity& quantity) {
  bool has_ring = false;
  for (const FamilyCurve& curve : curves.curves) {
    for (const AcrossRow& row : curve.rows) {
      const auto& number = quantity.In(row);
      has_ring = has_ring || (number && number->runs < curve.runs.size());
    }
  }
  std::string signs = has_ring ? "ring: not all runs" : "";
  if (quantity.HasChance()) {
    signs += signs.empty() ? "faint: chance" : " · faint: chance";
  }
  return signs;
}

// A thin line where chance lies, in the curve's colour where numbers of heads differ in it.
void AddChance(const FamilyCurves& curves,
               const FamilyQuantity& quantity,
               std::size_t place,
               Theme theme,
               Chart* chart) {
  std::map<double, std::vector<std::int64_t>> levels;
  for (const FamilyCurve& curve : curves.curves) {
    const auto& number = quantity.In(curve.rows[place]);
    if (number && number->control) {
      levels[*number->control].push_back(curve.heads);
    }
  }
  const auto left = static_cast<double>(place);
  for (const auto& [level, heads] : levels) {
    const Rgb color = heads.size() > 1 ? ColorsOf(theme).muted : ColorOfCount(heads[0], theme);
    chart->marks.emplace_back(
        ChartLine{.x0 = left, .y0 = level, .x1 = left + 1.0, .y1 = level, .ink = {color, 0.45F}});
  }
}

void AddFamilyCurve(const FamilyCurve& curve,
                    const FamilyQuantity& quantity,
                    double shift,
                    Rgb color,
                    std::size_t first_key,
                    Chart* chart) {
  std::optional<std::pair<double, double>> before;
  for (std::size_t place = 0; place < curve.rows.size(); ++place) {
    const auto& number = quantity.In(curve.rows[place]);
    if (!number) {
      continue;
    }
    const double x = static_cast<double>(place) + 0.5 + shift;
    if (before) {
      chart->marks.emplace_back(ChartLine{.x0 = before->first,
                                          .y0 = before->second,
                                          .x1 = x,
                                          .y1 = number->mean,
                                          .ink = {color, 0.8F},
                                          .thickness = 1.5F});
    }
    if (const auto error = ErrorOverRuns(*number)) {
      chart->marks.emplace_back(
          ChartError{x, number->mean - *error, number->mean + *error, {color}});
    }
    const bool is_whole = number->runs == curve.runs.size();
    chart->marks.emplace_back(ChartDot{.x = x,
                                       .y = number->mean,
                                       .ink = {color},
                                       .radius = 3.5F,
                                       .ring = is_whole ? 0.0F : 1.5F,
                                       .key = first_key + place});
    before = {x, number->mean};
  }
}

}  // namespace

FamilyCurves CurvesOfFamily(std::span<const AcrossModel> models) {
  FamilyCurves curves;
  std::set<std::int64_t> steps;
  struct OfCount {
    std::vector<std::string> runs;
    std::vector<AcrossModel> models;
  };
  std::map<std::int64_t, OfCount> by_heads;
  for (const AcrossModel& model : models) {
    const auto place = PlaceOfName(model.name);
    if (!place || (!curves.family.empty() && place->member.family != curves.family)) {
      curves.left_out.push_back(model.name);
      continue;
    }
    curves.family = place->member.family;
    steps.insert(place->step);
    OfCount& of = by_heads[place->member.heads];
    if (std::ranges::find(of.runs, place->run) == of.runs.end()) {
      of.runs.push_back(place->run);
    }
    of.models.push_back(model);
    of.models.back().label = StepLabel(place->step);
    if (!curves.metric && model.metric && model.metric->best) {
      curves.metric = model.metric;
    }
  }
  for (const std::int64_t step : steps) {
    curves.places.push_back(StepLabel(step));
  }
  for (auto& [heads, of] : by_heads) {
    FamilyCurve curve{.heads = heads, .runs = std::move(of.runs), .rows = {}};
    std::vector<AcrossRow> rows = AcrossRows(of.models);
    for (const std::string& place : curves.places) {
      const auto found = std::ranges::find(rows, place, &AcrossRow::label);
      curve.rows.push_back(found != rows.end() ? std::move(*found)
                                               : AcrossRow{.label = place, .names = {}});
    }
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

const std::optional<AcrossNumber>& FamilyQuantity::In(const AcrossRow& row) const {
  return column != nullptr ? row.Of(column->of) : row.score;
}

bool FamilyQuantity::HasChance() const {
  return column == nullptr || column->of == AcrossQuantity::kOverlap;
}

std::string FamilyQuantity::name() const {
  return column != nullptr ? std::string(column->name) : metric->name;
}

std::string FamilyQuantity::key() const {
  return column != nullptr ? std::string(column->key) : metric->id;
}

std::string FamilyQuantity::ValueText(const AcrossNumber& number) const {
  AcrossNumber bare{.mean = number.mean, .error = ErrorOverRuns(number), .runs = number.runs};
  std::string text;
  if (column != nullptr) {
    text = AcrossText(*column, bare);
  } else {
    text = ToldText(*metric, bare.mean);
    text += bare.error ? " ± " + ErrorText(*metric, *bare.error) : "";
  }
  return text;
}

std::vector<FamilyQuantity> QuantitiesOf(const FamilyCurves& curves) {
  std::vector<FamilyQuantity> all;
  const auto add = [&](const FamilyQuantity& one) {
    const bool has_number = std::ranges::any_of(curves.curves, [&](const FamilyCurve& curve) {
      return std::ranges::any_of(curve.rows,
                                 [&](const AcrossRow& row) { return one.In(row).has_value(); });
    });
    if (has_number) {
      all.push_back(one);
    }
  };
  if (curves.metric) {
    add({.column = nullptr, .metric = &*curves.metric});
  }
  for (const AcrossColumn& column : AllAcrossColumns()) {
    add({.column = &column});
  }
  return all;
}

std::string AtStepWords(const std::string& place) {
  return place == StepLabel(kTrained) ? "at the end of training" : "at step " + place;
}

std::vector<NamedInk> LegendOfFamily(const FamilyCurves& curves, Theme theme) {
  std::vector<NamedInk> legend;
  for (const FamilyCurve& curve : curves.curves) {
    legend.push_back({ColorOfCount(curve.heads, theme),
                      fmt::format("h {} ({})",
                                  curve.heads,
                                  Counted(static_cast<std::int64_t>(curve.runs.size()), "run"))});
  }
  return legend;
}

std::string FamilyNotes(const FamilyCurves& curves) {
  std::vector<std::string> several;
  std::vector<std::string> single;
  for (const FamilyCurve& curve : curves.curves) {
    (curve.runs.size() > 1 ? several : single).push_back(fmt::format("h {}", curve.heads));
  }
  std::string notes;
  if (several.empty()) {
    notes =
        "One run for each number of heads: no bars, and how far other seeds lie is not known. "
        "Runs named like name-h4-2 or name-h4-seed2 are taken in.";
  } else {
    notes = "Mean over runs; a bar is the standard error of that mean.";
    if (!single.empty()) {
      notes += fmt::format(" {}: one run, no bar.", fmt::join(single, ", "));
    }
  }
  if (curves.metric) {
    notes +=
        " A score is that of a run's best head: the best of more heads is higher by chance alone.";
  }
  for (const std::string& name : curves.left_out) {
    notes +=
        fmt::format(" {} is left out: not of the family {}.",
                    name,
                    curves.family.empty() ? "name-h4, name-h8, ..." : curves.family + "-h<heads>");
  }
  return notes;
}

Chart FamilyChart(const FamilyCurves& curves,
                  const FamilyQuantity& quantity,
                  const std::string& open,
                  Theme theme) {
  Chart chart{
      .across = {.high = static_cast<double>(curves.places.size()), .name = "steps of training"},
      .up = AxisOfQuantity(curves, quantity),
      .signs = SignsOf(curves, quantity),
      .right = 12.0F};
  const auto open_place = PlaceOfName(open);
  for (std::size_t place = 0; place < curves.places.size(); ++place) {
    const bool is_open = open_place && StepLabel(open_place->step) == curves.places[place];
    const double left = static_cast<double>(place);
    chart.ticks.push_back({left + 0.5, curves.places[place], is_open});
    if (quantity.HasChance()) {
      AddChance(curves, quantity, place, theme, &chart);
    }
  }
  const double middle = (static_cast<double>(curves.curves.size()) - 1.0) / 2.0;
  for (std::size_t i = 0; i < curves.curves.size(); ++i) {
    const double shift = (static_cast<double>(i) - middle) * kBeside;
    AddFamilyCurve(curves.curves[i],
                   quantity,
                   shift,
                   ColorOfCount(curves.curves[i].heads, theme),
                   i * curves.places.size(),
                   &chart);
  }
  return chart;
}

Table FamilyTable(const FamilyCurves& curves) {
  Table table;
  table.title = "Curves of a family";
  table.caption = FamilyNotes(curves);
  table.columns = {{"heads", "heads", true},
                   {"step", "step"},
                   {"number", "quantity"},
                   {"mean", "mean", true},
                   {"±", "error", true},
                   {"chance", "control", true},
                   {"runs", "runs", true}};
  for (const FamilyQuantity& quantity : QuantitiesOf(curves)) {
    const auto cell = [&](const std::optional<double>& value) {
      const AcrossNumber bare{.mean = value.value_or(0.0), .runs = 1};
      const std::string words = quantity.column != nullptr ? AcrossText(*quantity.column, bare)
                                                           : ToldText(*quantity.metric, bare.mean);
      return value ? TableCell{words, *value} : TableCell{"–"};
    };
    for (const FamilyCurve& curve : curves.curves) {
      for (const AcrossRow& row : curve.rows) {
        const auto& number = quantity.In(row);
        if (!number) {
          continue;
        }
        const auto runs = static_cast<double>(number->runs);
        table.rows.push_back({{fmt::format("{}", curve.heads), static_cast<double>(curve.heads)},
                              {row.label},
                              {quantity.key()},
                              cell(number->mean),
                              cell(ErrorOverRuns(*number)),
                              cell(quantity.HasChance() ? number->control : std::nullopt),
                              {fmt::format("{}", number->runs), runs}});
      }
    }
  }
  return table;
}

}  // namespace headscope

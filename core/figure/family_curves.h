// The models of a family over the steps of their trainings: a line for each number of heads, the mean
// over its runs with the standard error of that mean.
//
// Units    those of AcrossQuantity and of the metric.
// Threads  plain values; reports are read during the call.
// Cost     a look at all heads of every model.
// Source   docs/reference.md, "Curves of a family".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/figure/across_counts.h"
#include "core/figure/color_scale.h"
#include "core/figure/token_lines.h"

namespace headscope {

// One number of heads.
struct FamilyCurve {
  std::int64_t heads = 0;
  std::vector<std::string> runs;  // "copy-h4", "copy-h4-2"
  std::vector<AcrossRow> rows;    // one for each place; without names where it has no checkpoint
};

struct FamilyCurves {
  std::string family;                       // "copy"
  std::vector<std::string> places;          // steps in order, "trained" last
  std::vector<FamilyCurve> curves;          // by number of heads, ascending
  std::optional<ScoredMetric> metric = {};  // the first that a model has
  std::vector<std::string> left_out = {};   // models whose names are not of the family
};
// Steps and numbers of heads come from the names, "copy-h4/step-300"; labels are not read.
[[nodiscard]] FamilyCurves CurvesOfFamily(std::span<const AcrossModel> models);

// What is drawn: one of the quantities, or the score of the models' metric.
struct FamilyQuantity {
  const AcrossColumn* column = nullptr;  // null: the metric
  const ScoredMetric* metric = nullptr;  // null: the column
  [[nodiscard]] const std::optional<AcrossNumber>& In(const AcrossRow& row) const;
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string key() const;
  // Whether the control is a chance level; of roles it is not.
  [[nodiscard]] bool HasChance() const;
  // "0.85 ± 0.02"; the error is that over runs, a single run has none.
  [[nodiscard]] std::string ValueText(const AcrossNumber& number) const;
};
// They point into `curves`. The metric first where there is one; those of which no model has a number are left out.
[[nodiscard]] std::vector<FamilyQuantity> QuantitiesOf(const FamilyCurves& curves);

// "at step 300", "at the end of training", of a place.
[[nodiscard]] std::string AtStepWords(const std::string& place);
// "h 4 (3 runs)", in its colour.
[[nodiscard]] std::vector<NamedInk> LegendOfFamily(const FamilyCurves& curves, Theme theme);
// What a dot, a bar and a single run are.
[[nodiscard]] std::string FamilyNotes(const FamilyCurves& curves);

// A dot's key is curve * places + place. A ring: not all runs of that number of heads have a value there. `open`:
// the name of the open model.
[[nodiscard]] Chart FamilyChart(const FamilyCurves& curves,
                                const FamilyQuantity& quantity,
                                const std::string& open,
                                Theme theme);

// heads, step, quantity, mean, error, control, runs.
[[nodiscard]] Table FamilyTable(const FamilyCurves& curves);

}  // namespace headscope

// The models of the series in view side by side, and what is told beside the slider over steps.
//
// Threads  UI thread; reports are shared and immutable.
// Cost     a look at all heads of every model.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/figure/across_counts.h"
#include "core/figure/family_curves.h"
#include "core/model/model_series.h"

namespace headscope {

struct AppState;

// In the series' order. What they point to stays as long as the state does not change.
[[nodiscard]] std::vector<AcrossModel> AcrossModelsInView(const AppState& state);

// The whole family over its steps, with the metric in view.
[[nodiscard]] FamilyCurves FamilyInView(const AppState& state);
// "induction, best head of each run: trained h 1 0.97 (1 run), h 4 0.98 (3 runs). So far 12 of 40 models
// are scanned."; empty: nothing has a score yet.
[[nodiscard]] std::string FamilyWords(const AppState& state, const FamilyCurves& curves);
// The first checkpoint of that curve and place; null: it has none.
[[nodiscard]] const SeriesModel* ModelOfPoint(const AppState& state,
                                              const FamilyCurve& curve,
                                              std::size_t place);

// A step's numbers; empty ones where it is not scanned yet.
[[nodiscard]] AcrossRow RowOfStep(const AppState& state, const SeriesModel& step);

// "Loss 2.310 ± 0.041 on 40 sentences, divergence 0.124 ± 0.003." of a model of the series; empty: not
// scanned yet.
[[nodiscard]] std::string StepNumbers(const AppState& state, const SeriesModel& model);

}  // namespace headscope

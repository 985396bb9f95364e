// The models of the series in view side by side, and what is told beside the slider over steps.
//
// Threads  UI thread; reports are shared and immutable.
// Cost     a look at all heads of every model.
#pragma once

#include <string>
#include <vector>

#include "core/figure/across_counts.h"
#include "core/model/model_series.h"

namespace headscope {

struct AppState;

// In the series' order. What they point to stays as long as the state does not change.
[[nodiscard]] std::vector<AcrossModel> AcrossModelsInView(const AppState& state);

// A step's numbers; empty ones where it is not scanned yet.
[[nodiscard]] AcrossRow RowOfStep(const AppState& state, const SeriesModel& step);

// "Loss 2.310 ± 0.041 on 40 sentences, divergence 0.124 ± 0.003." of a model of the series; empty: not
// scanned yet.
[[nodiscard]] std::string StepNumbers(const AppState& state, const SeriesModel& model);

}  // namespace headscope

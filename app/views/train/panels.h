// The Train screen: knobs for the next run in the toolbar, and the runs side by side.
//
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include "app/state/train/state.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/ui.h"

namespace headscope {

[[nodiscard]] float DrawTrainToolbar(Ui* ui, const Rect& area);
void DrawTrain(Ui* ui, const Rect& area);

// Curves of all runs by their number of heads, in place of the runs.
void DrawTrainCurves(Ui* ui, const Rect& area);

// Runs on disk that no window has: each in a line, with what may be done with it.
void DrawKeptRuns(Pen* pen);
void DrawTrainKept(Ui* ui, const Rect& area);

// One run, in a column of its own.
void DrawTrainRun(Ui* ui, const Rect& area, const TrainRunShown& run);

}  // namespace headscope

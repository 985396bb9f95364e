// The subject of a figure that the export dialog requests: what is on screen.
//
// Errors   kInput: nothing of that kind is computed yet.
// Threads  UI thread; it makes or copies nothing but words, and a table that is to be copied.
#pragma once

#include "app/state/app_state.h"
#include "core/base/error.h"
#include "core/figure/figure_kind.h"
#include "core/worker/requests.h"

namespace headscope {

[[nodiscard]] Result<FigureSubject> SubjectFor(const AppState& state, const ExportDraft& draft);

// Whether it is of maps that are computed without some heads, or of what is said without them.
[[nodiscard]] bool ShowsHeadsOff(const AppState& state, const FigureKind& kind);

// What the dialog's figure shows, as a table with tabs.
[[nodiscard]] Result<std::string> ValuesToCopy(const AppState& state);

// Makes a figure job from the dialog's contents, for the path that it names. `only_one`: of the selected
// head, or of the chosen figure, whatever others are to be written.
[[nodiscard]] Result<FigureJob> FigureToMake(const AppState& state, bool only_one = false);
// The same as it will look, in a dialog.
[[nodiscard]] Result<PreviewJob> PreviewToMake(const AppState& state);

}  // namespace headscope

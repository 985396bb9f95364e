// What the window answers at once where a figure of the export dialog is to be kept or previewed.
//
// Errors   kInput: nothing of that kind is computed yet.
// Threads  UI thread; it makes or copies nothing but words.
#pragma once

#include "app/state/actions.h"
#include "app/state/app_state.h"
#include "core/base/error.h"

namespace headscope {

// What the dialog says, to be kept as it is now.
[[nodiscard]] Result<KeptFigure> FigureToKeep(const AppState& state);
// FigureKept, or FigureNotKept.
[[nodiscard]] Action KeepFigure(const AppState& state);
// PreviewAsked, or PreviewRefused.
[[nodiscard]] Action AskPreview(const AppState& state);

}  // namespace headscope

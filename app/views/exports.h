// The figure that the export dialog asks for, from what is on screen.
//
// Errors   kInput: nothing of that kind is computed yet.
// Threads  UI thread; a whole map that is not cached is made here.
#pragma once

#include "app/state/app_state.h"
#include "core/base/error.h"
#include "core/figure/figure.h"

namespace headscope {

[[nodiscard]] Result<Figure> FigureFor(const AppState& state, const ExportDraft& draft);

}  // namespace headscope

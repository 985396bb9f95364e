// What the export dialog asks for a figure of: what is on screen.
//
// Errors   kInput: nothing of that kind is computed yet.
// Threads  UI thread; nothing is made or copied but words.
#pragma once

#include "app/state/app_state.h"
#include "core/base/error.h"
#include "core/figure/figure_kind.h"
#include "core/worker/requests.h"

namespace headscope {

[[nodiscard]] Result<FigureSubject> SubjectFor(const AppState& state, const ExportDraft& draft);

// Of what the dialog holds, to the path it names.
[[nodiscard]] Result<FigureJob> FigureToMake(const AppState& state);

}  // namespace headscope

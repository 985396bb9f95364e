// Which figure a screen shows, and what its file is called.
//
// Threads  plain values; no disk.
#pragma once

#include <string>

#include "app/state/app_state.h"
#include "core/figure/figure_kind.h"

namespace headscope {

// Whether there is anything to export.
[[nodiscard]] bool CanExportSomething(const AppState& state);
// What the screen shows, where it can be drawn; else the selected head. Never null.
[[nodiscard]] const FigureKind* KindOfScreen(const AppState& state);
// "probe-L5H1": without its place and ending.
[[nodiscard]] std::string FileOf(const AppState& state, const FigureKind& kind);

}  // namespace headscope

// The Figures screen: what was kept, in one look.
//
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include "app/views/kit/ui.h"

namespace headscope {

[[nodiscard]] float DrawFiguresToolbar(Ui* ui, const Rect& area);
void DrawFigures(Ui* ui, const Rect& area);
void DrawFigureDetail(Ui* ui);  // the chosen one
// Arrows choose, with Shift they move the chosen one; Del removes it.
[[nodiscard]] bool TakeFigureKey(Ui* ui, const KeyPress& press);

}  // namespace headscope

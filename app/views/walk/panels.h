// The walk from one head to h heads: a mode of Counts, in place of the head counts.
#pragma once

#include "app/platform/key_press.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/ui.h"

namespace headscope {

// As the screen has them: the walk's while it is open, else those of the head counts.
[[nodiscard]] float DrawCountsOrWalkToolbar(Ui* ui, const Rect& area);
void DrawCountsOrWalk(Ui* ui, const Rect& area);
void DrawCountsOrWalkDetail(Ui* ui);

void DrawWalkDetail(Ui* ui);

// "Line by line", in the head counts' toolbar.
void DrawWalkButton(Ui* ui, Flow* flow);
// W opens and closes it; while it is open left and right change the step, [ and ] the head. Whether
// the key was one of these.
bool HandleWalkKey(Ui* ui, const KeyPress& press);

}  // namespace headscope

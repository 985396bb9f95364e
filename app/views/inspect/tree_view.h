// Arcs with the tree of the text above the line and the selected head below it.
//
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include "app/views/inspect/head_views.h"
#include "app/views/kit/pen.h"

namespace headscope {

// The choice between arcs alone and the tree, greyed with the reason where there is none; the
// direction, and the sentence of a treebank.
void DrawTreeSwitch(Row* row);
void DrawTreeArcs(Pen* pen, const HeadPanel& panel);

}  // namespace headscope

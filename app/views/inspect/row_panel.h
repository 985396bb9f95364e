// One row of weights in words: the sentence shaded by it (in cross-attention the text, below the
// target that the row is of), and its largest weights as bars.
#pragma once

#include "app/state/inspect/row_words.h"
#include "app/views/kit/pen.h"

namespace headscope {

// `max_height` is of one text.
void DrawShadedSentence(Pen* pen, float max_height, const RowWeights& row);
void DrawRowBars(Pen* pen, float max_height, const RowWeights& row);

}  // namespace headscope

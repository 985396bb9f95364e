// One row of weights in words: the sentence shaded by it (in cross-attention the text, below the
// target that the row is of), and its largest weights as bars.
#pragma once

#include "app/state/inspect/row_words.h"
#include "app/views/kit/ui.h"

namespace headscope {

// Both return the height they took; `max_height` is of one text.
float DrawShadedSentence(
    Ui* ui, float x, float y, float width, float max_height, const RowWeights& row);
float DrawRowBars(Ui* ui, float x, float y, float width, float max_height, const RowWeights& row);

}  // namespace headscope

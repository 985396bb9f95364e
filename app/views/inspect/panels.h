// Parts of the panel at the right of Inspect.
#pragma once

#include "app/state/inspect/row_words.h"
#include "app/views/kit/pen.h"

namespace headscope {

// One row of weights in words: the sentence shaded by it (in cross-attention the text, below the
// target that the row is of), and its largest weights as bars. `max_height` is of one text.
void DrawShadedSentence(Pen* pen, float max_height, const RowWeights& row);
void DrawRowBars(Pen* pen, float max_height, const RowWeights& row);

// Tokens in reading order, wrapped to the width; y from 0. Kept until the text or the width changes; a
// long text grows from frame to frame.
const std::vector<Rect>& LayOutChips(Ui* ui,
                                     const std::shared_ptr<const Encoding>& encoding,
                                     float width,
                                     TokenChips* kept);

// Why a held cell lights up: who wrote most of what its score is made of, into the key's stream and
// into the query's. A head's line leads to it.
void DrawWhyCell(Pen* pen);
// The height that it takes; 0 where no cell is held.
[[nodiscard]] float WhyHeight(const Ui& ui);

}  // namespace headscope

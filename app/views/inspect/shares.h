// Who made a logit: whose it is, each head's share, every part in a list, and one head's by key. Parts of
// what is said of the next word.
#pragma once

#include <cstddef>

#include "app/state/inspect/next_words.h"
#include "app/views/kit/pen.h"

namespace headscope {

// On a likely token's line: a click splits its logit, with Shift the lead over it. Says which one it is.
void DrawChoiceOfToken(Ui* ui, const Rect& line, const NextWord& word, std::size_t place);

// The tokens, to be typed, and layers x heads coloured by share around 0; a head of it leads there.
void DrawShares(Pen pen, float height, const NextWord& word);

// Every part beside the selected head's keys. Nothing where the model cannot be split.
void DrawShareLists(Pen* pen, const NextWord& word);
// The height that they take.
[[nodiscard]] float ShareListsHeight(const Ui& ui);

}  // namespace headscope

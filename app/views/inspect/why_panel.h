// Why a held cell lights up: who wrote most of what its score is made of, into the key's stream and
// into the query's. A head's line leads to it.
#pragma once

#include "app/views/kit/pen.h"

namespace headscope {

// The height that it takes; 0 where no cell is held.
[[nodiscard]] float WhyHeight(const Ui& ui);
void DrawWhyCell(Pen* pen);

}  // namespace headscope

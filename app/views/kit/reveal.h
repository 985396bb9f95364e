// Brings the selected head into sight where it is hidden: by a sheet that opened over it, by another
// layout, or since a key or a jump chose it.
//
// Units    window pixels.
// Threads  UI thread, between BeginScroll and EndScroll.
#pragma once

#include <cstdint>
#include <optional>

#include "app/views/kit/ui.h"

namespace headscope {

struct RevealWish {
  const char* view = "";   // its name in what scrolls
  std::int64_t count = 0;  // of the cut, where the view is of head counts
  HeadIndex head;
  Rect cell;
  Rect seen;              // what is seen of the view, bars included
  bool is_chosen = true;  // a head that the pointer rests on scrolls nothing
};
// Scrolls once for each head, choice and room, so that a person may scroll away again.
void RevealHead(Ui* ui, const RevealWish& wish);

// The head under the pointer, if any, is previewed, but only while the pointer moves, so that arrow
// keys are not undone by one that rests. A click locks it.
void PreviewHead(Ui* ui, const std::optional<HeadIndex>& head, bool clicked);

}  // namespace headscope

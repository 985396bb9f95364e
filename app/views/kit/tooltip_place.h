// Where a tooltip stands so that what it tells of stays in sight.
//
// Units    window pixels.
#pragma once

#include <span>

#include "app/views/kit/layout.h"

namespace headscope {

struct TooltipWish {
  Rect window;  // that it has to stay in
  float width = 0.0F;
  float height = 0.0F;
  float x = 0.0F;  // of the pointer
  float y = 0.0F;
  float gap = 12.0F;               // between it and what it keeps clear of
  std::span<const Rect> off = {};  // what it may not cover
};
// The nearest to the pointer of the places that cover least of `off`, and so nothing where that is
// possible; at its right and below it where that is free.
[[nodiscard]] Rect PlaceTooltip(const TooltipWish& wish);

}  // namespace headscope

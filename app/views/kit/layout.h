// Where the parts of the window stand.
//
// Units    window pixels.
#pragma once

#include "app/render/scene.h"

namespace headscope {

struct WindowLayout {
  Rect window;
  Rect top;
  Rect rail;
  Rect status;
  Rect middle;                // between rail and detail, toolbar included
  Rect middle_visible;        // what the sheet leaves of it
  Rect detail;                // no width: hidden
  bool target_below = false;  // the target's box has a row of its own below the sentence's
  bool narrow = false;        // below 1,200 unscaled pixels: detail is a sheet over the middle
};

struct LayoutRequest {
  float width = 0.0F;
  float height = 0.0F;
  float scale = 1.0F;
  float detail_width = 560.0F;  // unscaled
  bool sheet_open = false;
  bool has_target = false;  // an encoder-decoder is open
  bool presents = false;    // without rail and status line
};

[[nodiscard]] WindowLayout LayOut(const LayoutRequest& request);

// In a smaller window controls would touch or leave it; no position.
[[nodiscard]] Rect LeastWindow(float scale);

[[nodiscard]] bool Contains(const Rect& rect, float x, float y);
[[nodiscard]] Rect Intersection(const Rect& a, const Rect& b);  // no size where they are apart
[[nodiscard]] Rect Inset(const Rect& rect, float by_x, float by_y);

}  // namespace headscope

// Packs rectangles into a square sheet in rows, each as high as its highest rectangle.
#pragma once

#include <algorithm>

namespace headscope {

class ShelfPacker {
 public:
  struct Place {
    int x = 0;
    int y = 0;
  };

  // `gap` pixels stay empty between rectangles and at the edges.
  ShelfPacker(int side, int gap) : side_(side), gap_(gap), next_{gap, gap} {}

  // Returns whether there was room; `place` is the top left.
  [[nodiscard]] bool Reserve(int width, int height, Place* place) {
    if (next_.x + width + gap_ > side_) {
      next_ = {gap_, next_.y + row_height_};
      row_height_ = 0;
    }
    if (next_.x + width + gap_ > side_ || next_.y + height + gap_ > side_) {
      return false;
    }
    *place = next_;
    next_.x += width + gap_;
    row_height_ = std::max(row_height_, height + gap_);
    return true;
  }

 private:
  int side_;
  int gap_;
  Place next_;
  int row_height_ = 0;
};

}  // namespace headscope

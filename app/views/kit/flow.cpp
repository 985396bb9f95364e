#include "app/views/kit/flow.h"

namespace headscope {

Flow::Flow(const Ui& ui, const Rect& area)
    : area_(area),
      line_(ui.Px(44.0F)),
      pad_(ui.Px(14.0F)),
      gap_(ui.Px(10.0F)),
      x_(area.x + pad_),
      y_(area.y),
      right_(area.x + area.width - pad_),
      bottom_(area.y + line_) {}

Rect Flow::Next(float width, float height) {
  if (x_ > area_.x + pad_ && x_ + width > right_) {
    x_ = area_.x + pad_;
    y_ = bottom_ - gap_ / 2.0F;
    bottom_ = y_ + line_;
    right_ = area_.x + area_.width - pad_;
  }
  const Rect rect{x_, y_ + (line_ - height) / 2.0F, width, height};
  x_ += width + gap_;
  return rect;
}

Rect Flow::NextRight(float width, float height) {
  if (x_ + width > right_) {
    return Next(width, height);
  }
  right_ -= width;
  const Rect rect{right_, y_ + (line_ - height) / 2.0F, width, height};
  right_ -= gap_;
  return rect;
}

}  // namespace headscope

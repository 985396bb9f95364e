#include "app/views/kit/flow.h"

namespace headscope {
namespace {

constexpr float kControl = 28.0F;  // unscaled

}  // namespace

Flow::Flow(Ui* ui, const Rect& area)
    : ui_(ui),
      area_(area),
      line_(ui->Px(44.0F)),
      pad_(ui->Px(14.0F)),
      gap_(ui->Px(10.0F)),
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

bool Flow::Button(const char* id, const ButtonLook& look) {
  return headscope::Button(ui_, id, Next(ButtonWidth(*ui_, look), ui_->Px(kControl)), look);
}

void Flow::PopupButton(const char* id, const ButtonLook& look, Popup popup) {
  const Rect place = Next(ButtonWidth(*ui_, look), ui_->Px(kControl));
  headscope::PopupButton(ui_, id, place, look, popup);
}

int Flow::Segments(const char* id, std::span<const SegmentChoice> choices, int chosen) {
  const Rect place = Next(SegmentsWidth(*ui_, choices), ui_->Px(kControl));
  return headscope::Segments(ui_, id, place, choices, chosen);
}

}  // namespace headscope

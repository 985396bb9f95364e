// Controls in a row that wraps.
#pragma once

#include <span>

#include "app/views/kit/widgets.h"

namespace headscope {

class Flow {
 public:
  Flow(Ui* ui, const Rect& area);

  // The place of the next control.
  [[nodiscard]] Rect Next(float width, float height);
  // At the right end of the row, if there is room; else as the others.
  [[nodiscard]] Rect NextRight(float width, float height);
  // Next, for controls of the usual height.
  bool Button(const char* id, const ButtonLook& look);
  void PopupButton(const char* id, const ButtonLook& look, Popup popup);
  int Segments(const char* id, std::span<const SegmentChoice> choices, int chosen);
  template <typename SetValue, typename Value>
  void Choose(const char* id, std::span<const SegmentChoice> choices, Value now) {
    if (const int pressed = Segments(id, choices, static_cast<int>(now)); pressed >= 0) {
      ui_->Do(SetValue{static_cast<Value>(pressed)});
    }
  }
  [[nodiscard]] float height() const { return bottom_ - area_.y; }

 private:
  Ui* ui_;
  Rect area_;
  float line_;
  float pad_;
  float gap_;
  float x_;
  float y_;
  float right_;
  float bottom_;
};

void DrawMapSettings(Ui* ui, Flow* flow);
// Encoder, decoder or cross; nothing for a model of one part.
void DrawPartSwitch(Ui* ui, Flow* flow);

}  // namespace headscope

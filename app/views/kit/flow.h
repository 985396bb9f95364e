// Controls in a row that wraps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/views/kit/widgets.h"

namespace headscope {

class Flow {
 public:
  // `line`: unscaled height of a row.
  Flow(Ui* ui, const Rect& area, float line = 44.0F);

  // The place of the next control.
  [[nodiscard]] Rect Next(float width, float height);
  // At the right end of the row, if there is room; else as the others.
  [[nodiscard]] Rect NextRight(float width, float height);
  // Next, for controls of the usual height.
  bool Button(const char* id, const ButtonLook& look);
  void PopupButton(const char* id, const ButtonLook& look, Popup popup);
  // Those that find no room in one row go on in the next.
  int Segments(const char* id, std::span<const SegmentChoice> choices, int chosen);
  template <typename SetValue, typename Value>
  void Choose(const char* id, std::span<const SegmentChoice> choices, Value now) {
    if (const int pressed = Segments(id, choices, static_cast<int>(now)); pressed >= 0) {
      ui_->Do(SetValue{static_cast<Value>(pressed)});
    }
  }
  // Of the row that is being filled, from its left end.
  [[nodiscard]] float used() const { return x_ - area_.x; }
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

// A choice of several that a menu shows below its button: "Range: 0 to 1".
struct ToolbarChoice {
  const char* name = "";
  std::string value;
  std::string brief;  // where there is no room for the name: "L1"
  std::string_view tooltip;
  Popup popup = Popup::kNone;
};
// Their names go where the toolbar has no room for all of them in one row.
void DrawToolbarChoices(Ui* ui, Flow* flow, std::span<const ToolbarChoice> choices, float room);

// Range and colours of maps.
[[nodiscard]] std::vector<ToolbarChoice> MapSettingsChoices(const AppState& state);
// `more` follow them; without their names where all together are wider than `room`.
void DrawMapSettings(Ui* ui, Flow* flow, float room, std::span<const ToolbarChoice> more = {});
// Which tokens are shown.
[[nodiscard]] ToolbarChoice TokensChoice(const AppState& state);
// Where words are merged or tokens hidden elsewhere: that this screen shows all of them, greyed, and why.
void DrawAllTokens(Ui* ui, Flow* flow, std::string_view why);
// Where weights are joined or times something elsewhere: that this screen shows the heads' own, the same way.
void DrawOwnWeights(Ui* ui, Flow* flow, std::string_view why);
// Encoder, decoder or cross; nothing for a model of one part.
void DrawPartSwitch(Ui* ui, Flow* flow);

}  // namespace headscope

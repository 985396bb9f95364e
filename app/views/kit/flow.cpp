#include "app/views/kit/flow.h"

#include <cstddef>
#include <string>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr float kControl = 28.0F;  // unscaled

}  // namespace

Flow::Flow(Ui* ui, const Rect& area, float line)
    : ui_(ui),
      area_(area),
      line_(ui->Px(line)),
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
  const float room = area_.width - 2.0F * pad_;
  int pressed = -1;
  for (std::size_t from = 0; from < choices.size();) {
    std::size_t count = choices.size() - from;
    while (count > 1 && SegmentsWidth(*ui_, choices.subspan(from, count)) > room) {
      --count;
    }
    const auto some = choices.subspan(from, count);
    const auto before = static_cast<int>(from);
    const Rect place = Next(SegmentsWidth(*ui_, some), ui_->Px(kControl));
    const std::string own = from == 0 ? std::string(id) : fmt::format("{} {}", id, from);
    if (const int one = headscope::Segments(ui_, own.c_str(), place, some, chosen - before);
        one >= 0) {
      pressed = before + one;
    }
    from += count;
  }
  return pressed;
}

namespace {

ButtonLook LookOfChoice(const ToolbarChoice& choice, const std::string& text) {
  return {.text = text, .tooltip = choice.tooltip, .bare = true};
}

std::string TextOfChoice(const ToolbarChoice& choice, bool is_named) {
  return (is_named ? fmt::format("{}: {}", choice.name, choice.value) : choice.brief) + " ▾";
}

}  // namespace

void DrawToolbarChoices(Ui* ui, Flow* flow, std::span<const ToolbarChoice> choices, float room) {
  float width = 0.0F;
  for (const ToolbarChoice& choice : choices) {
    const std::string text = TextOfChoice(choice, true);
    width += ButtonWidth(*ui, LookOfChoice(choice, text)) + ui->Px(10.0F);
  }
  for (const ToolbarChoice& choice : choices) {
    const std::string text = TextOfChoice(choice, width <= room);
    flow->PopupButton(choice.name, LookOfChoice(choice, text), choice.popup);
  }
}

void DrawAllTokens(Ui* ui, Flow* flow, std::string_view why) {
  if (!ui->state.token_look.IsPlain()) {
    const std::string words =
        fmt::format("Words and hidden tokens are a look of Inspect and Compare: {}", why);
    flow->Button("all tokens",
                 {.text = "Tokens: all here", .tooltip = words, .enabled = false, .bare = true});
  }
}

void DrawOwnWeights(Ui* ui, Flow* flow, std::string_view why) {
  if (ui->state.head_look.map_of != MapOf::kHead) {
    const std::string words = fmt::format(
        "× values, × outputs, the layer’s mean and rollout are looks of Inspect: {}", why);
    flow->Button("own weights",
                 {.text = "Heads: own weights", .tooltip = words, .enabled = false, .bare = true});
  }
}

}  // namespace headscope

#include "app/views/walk/strip.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <imgui.h>

#include "app/views/walk/picture.h"

namespace headscope {
namespace {

struct Ends {
  double low = 0.0;
  double high = 0.0;
};

double LargestOf(const Strip& strip) {
  double largest = strip.largest;
  for (std::size_t i = 0; strip.largest == 0.0 && i < strip.count; ++i) {
    largest = std::max(largest, std::abs(strip.value(i)));
  }
  return largest > 0.0 ? largest : 1.0;
}

Rgb BarColor(const Ui& ui, const Strip& strip, double value, bool is_chosen) {
  if (!strip.is_signed) {
    return is_chosen ? ui.colors().accent : Blend(ui.colors().panel, ui.colors().muted, 0.55F);
  }
  const auto table = ColormapTable(Colormap::kDiverging, ui.state.theme);
  constexpr std::size_t kBlue = 50;
  constexpr std::size_t kRed = 205;
  return table[value < 0.0 ? kBlue : kRed];
}

}  // namespace

std::optional<std::size_t> DrawStrip(Pen* pen, const Strip& strip) {
  Ui* const ui = pen->ui;
  const Rect rect = pen->Take(ui->Px(strip.height));
  pen->Skip(4.0F);
  if (strip.count == 0) {
    return std::nullopt;
  }
  const auto pixels = static_cast<std::size_t>(std::max(1.0F, rect.width / ui->Px(1.0F)));
  const std::size_t bars = std::min(strip.count, pixels);
  const double largest = LargestOf(strip);
  bool has_negative = strip.is_signed && strip.largest > 0.0;
  std::vector<Ends> ends(bars);
  for (std::size_t bar = 0; bar < bars; ++bar) {
    const std::size_t first = bar * strip.count / bars;
    const std::size_t last = std::max(first + 1, (bar + 1) * strip.count / bars);
    ends[bar] = {strip.value(first), strip.value(first)};
    for (std::size_t i = first; i < last; ++i) {
      ends[bar].low = std::min(ends[bar].low, strip.value(i));
      ends[bar].high = std::max(ends[bar].high, strip.value(i));
    }
    has_negative = has_negative || ends[bar].low < 0.0;
  }
  const float up = has_negative ? rect.height / 2.0F : rect.height;
  const float zero = rect.y + up;
  const float each = rect.width / static_cast<float>(bars);
  const float gap = each > ui->Px(4.0F) ? ui->Px(2.0F) : 0.0F;
  const auto at = [&](double value) {
    return zero - up * static_cast<float>(std::clamp(value / largest, -1.0, 1.0));
  };
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->AddLine({rect.x, zero}, {rect.x + rect.width, zero}, ToImGui(ui->colors().line), 1.0F);
  for (std::size_t bar = 0; bar < bars; ++bar) {
    const float left = rect.x + each * static_cast<float>(bar);
    const bool is_chosen = bars == strip.count && bar == strip.chosen;
    // The smallest of several values from 0 to the largest stands out.
    for (const double value : {ends[bar].high, ends[bar].low}) {
      const bool is_inner = value == ends[bar].low && ends[bar].low > 0.0 && bars < strip.count;
      list->AddRectFilled({left, std::min(at(value), zero)},
                          {left + each - gap, std::max(at(value), zero)},
                          ToImGui(BarColor(*ui, strip, value, is_chosen || is_inner)));
    }
  }
  const Pressed pressed = Area(ui, strip.id, rect, "");
  if (!pressed.hovered) {
    return std::nullopt;
  }
  const float part = (ImGui::GetIO().MousePos.x - rect.x) / rect.width;
  const auto index =
      std::min(strip.count - 1,
               static_cast<std::size_t>(std::max(0.0F, part) * static_cast<float>(strip.count)));
  TellNow(ui, strip.tooltip(index));
  return pressed.clicked ? std::optional(index) : std::nullopt;
}

}  // namespace headscope

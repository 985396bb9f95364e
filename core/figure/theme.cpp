#include "core/figure/theme.h"

namespace headscope {
namespace {

constexpr ThemeColors kDark = {.background = RgbOf(0x0E1116),
                               .panel = RgbOf(0x151A21),
                               .raised = RgbOf(0x1D242D),
                               .line = RgbOf(0x29313C),
                               .text = RgbOf(0xE7ECF2),
                               .muted = RgbOf(0x98A4B3),
                               .dim = RgbOf(0x7F8B9B),
                               .accent = RgbOf(0x8CE9FF)};

constexpr ThemeColors kLight = {.background = RgbOf(0xF7F8FA),
                                .panel = RgbOf(0xFFFFFF),
                                .raised = RgbOf(0xEEF1F5),
                                .line = RgbOf(0xD9DEE6),
                                .text = RgbOf(0x1B2230),
                                .muted = RgbOf(0x566174),
                                .dim = RgbOf(0x667385),
                                .accent = RgbOf(0x0A6EBD)};

}  // namespace

const ThemeColors& ColorsOf(Theme theme) {
  return theme == Theme::kDark ? kDark : kLight;
}

}  // namespace headscope

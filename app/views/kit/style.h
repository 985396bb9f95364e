// ImGui's own widgets (text fields, menus, tooltips, scroll bars) in the colours of the theme.
#pragma once

#include "core/figure/color_scale.h"

namespace headscope {

void ApplyStyle(Theme theme, float scale);

}  // namespace headscope

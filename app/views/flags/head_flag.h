// The flag of the selected head with its note; or how to set one. In the panels of all screens.
#pragma once

#include "app/views/kit/ui.h"

namespace headscope {

// Returns the height.
float DrawFlagLine(Ui* ui, float x, float y, float width);

}  // namespace headscope

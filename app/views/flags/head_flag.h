// The flag of the selected head with its note; or how to set one. In the panels of all screens.
#pragma once

#include "app/views/kit/pen.h"

namespace headscope {

void DrawFlagLine(Pen* pen);

}  // namespace headscope

// The questions for the desktop's file chooser.
#pragma once

#include "app/platform/file_portal.h"
#include "app/state/reducer.h"

namespace headscope {

[[nodiscard]] FileQuestion QuestionFor(const AskDesktop& question);

}  // namespace headscope

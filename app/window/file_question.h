// What the desktop's file chooser is asked, for each use of a file.
//
// Threads  UI thread.
#pragma once

#include "app/platform/file_portal.h"
#include "app/state/reducer.h"

namespace headscope {

[[nodiscard]] FileQuestion QuestionFor(const AskDesktop& question);

}  // namespace headscope

// Screens for tests that draw nothing.
#pragma once

#include "app/state/screen.h"

namespace headscope::test {

inline constexpr ScreenKind kHeadsScreen = {.id = "heads", .subject = ScreenSubject::kHeads};
inline constexpr ScreenKind kCountsScreen = {.id = "counts", .subject = ScreenSubject::kHeadCounts};

}  // namespace headscope::test

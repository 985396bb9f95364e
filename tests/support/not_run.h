// For tests that a machine may be unable to run: they stand in a CTest entry of their own
// (tests/CMakeLists.txt), which is reported as skipped, not as passed, when it says "not run: ".
#pragma once

#include <cstdio>

#include "core/compute/precision.h"

namespace headscope::test {

// True, and said why, where the processor has no bfloat16 products.
inline bool HasNoBfloat16() {
  const Status possible = CheckPrecision(Precision::kBf16);
  if (!possible) {
    std::printf("not run: %s\n", possible.error().message.c_str());
    std::fflush(stdout);
  }
  return !possible;
}

}  // namespace headscope::test

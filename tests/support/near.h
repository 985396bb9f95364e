// Comparisons within a bound and no further: a margin given to Catch2's Approx comes on top of the
// hundred-thousandth of the value that it always allows.
#pragma once

#include "tests/support/catch.h"

namespace headscope::test {

inline Approx Near(double value, double bound) {
  return Approx(value).epsilon(0.0).margin(bound);
}

// For numbers computed in double by a few operations.
inline Approx Near(double value) {
  return Near(value, 0x1p-46 * (value < 0.0 ? -value : value));
}

}  // namespace headscope::test

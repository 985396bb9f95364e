// The one translation unit that holds Catch2's main.
#define CATCH_CONFIG_MAIN
#include "tests/support/catch.h"

// In place of the C library's: tests write thousands of small models, and none has to outlive a power cut.
extern "C" int fsync(int /*descriptor*/) {
  return 0;
}

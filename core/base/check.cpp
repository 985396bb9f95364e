#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace headscope {

void CheckFailed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "headscope: a bug: %s (%s) at %s:%d\n", message, condition, file, line);
  std::abort();
}

}  // namespace headscope

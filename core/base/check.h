// Aborts on bugs of the program itself, never on bad input.
#pragma once

namespace headscope {

[[noreturn]] void CheckFailed(const char* condition,
                              const char* message,
                              const char* file,
                              int line);

}  // namespace headscope

#define HEADSCOPE_CHECK(condition, message)                              \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ::headscope::CheckFailed(#condition, message, __FILE__, __LINE__); \
    }                                                                    \
  } while (false)

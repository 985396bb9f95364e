// While it lives, work that does not belong on the thread that draws is written down in place of
// ending the program. One at a time.
#pragma once

#include <string>
#include <vector>

#include "core/base/thread_role.h"

namespace headscope::test {

class Violations {
 public:
  Violations() {
    Works().clear();
    SetDrawingViolation([](const char* work) { Works().emplace_back(work); });
  }
  ~Violations() { SetDrawingViolation(nullptr); }
  Violations(const Violations&) = delete;
  Violations& operator=(const Violations&) = delete;

  // In the order in which they were done.
  [[nodiscard]] const std::vector<std::string>& works() const { return Works(); }

 private:
  static std::vector<std::string>& Works() {
    static std::vector<std::string> works;
    return works;
  }
};

}  // namespace headscope::test

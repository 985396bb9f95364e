#include "app/cli/short_waits.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace headscope {

void RestartWithShortWaits(char** arguments) {
  constexpr const char* kSpins = "GOMP_SPINCOUNT";
  if (std::getenv(kSpins) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) {
    return;
  }
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  // About 20 microseconds: the threads of one product rarely finish further apart.
  if (!error && setenv(kSpins, "2000", 0) == 0) {
    execv(program.c_str(), arguments);
  }
}

}  // namespace headscope

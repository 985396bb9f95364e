#include "tests/support/folders.h"

namespace headscope::test {

std::filesystem::path SourceFolder() {
  return HEADSCOPE_SOURCE_DIR;
}

std::filesystem::path SharedData() {
  return HEADSCOPE_SHARED_DATA;
}

}  // namespace headscope::test

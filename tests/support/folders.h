// Where the tests find their files. One object alone knows it, so that the others are the same in
// every checkout.
#pragma once

#include <filesystem>

namespace headscope::test {

// The root of the source tree.
[[nodiscard]] std::filesystem::path SourceFolder();
// Data from outside the project; tests that use it are tagged [shared].
[[nodiscard]] std::filesystem::path SharedData();

}  // namespace headscope::test

// "~/x" and "~name/x" as a shell reads them.
//
// Errors   none: a name that nobody has stays as it is, and opening it gives the sentence.
// Threads  any.
#pragma once

#include <filesystem>

namespace headscope {

[[nodiscard]] std::filesystem::path ExpandHome(const std::filesystem::path& path);

}  // namespace headscope

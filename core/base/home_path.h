// Expands "~/x" and "~name/x" as a shell does.
//
// Errors   none: an unknown user's path is left as it is, and opening it gives the message.
#pragma once

#include <filesystem>

namespace headscope {

[[nodiscard]] std::filesystem::path ExpandHome(const std::filesystem::path& path);

}  // namespace headscope

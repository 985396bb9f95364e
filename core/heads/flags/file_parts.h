// What the two forms of a file of flags share.
#pragma once

#include <string>

#include "core/heads/flags/file.h"

namespace headscope {

// Sorts what was read by head. kFormat: a head that stands twice.
[[nodiscard]] Status SortFlags(const std::string& name, FlagFile* file);

}  // namespace headscope

// Takes away the temporary files that a killed run left behind.
//
// Those of a run that is alive are locked (flock); the system takes the locks back when a process
// ends, however it ends. A file without a lock that nobody has written to for a minute is nobody's.
//
// Errors   none: what cannot be read or removed stays.
// Threads  any.
#pragma once

#include <filesystem>

namespace headscope {

inline constexpr const char* kTemporaryPrefix = ".headscope-";

// In this folder, not below it. Returns how many it removed.
int SweepTemporaryFiles(const std::filesystem::path& folder);

}  // namespace headscope

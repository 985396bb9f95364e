// Removes the temporary files that a killed run left behind.
//
// A running program's files are locked (flock); the system releases the locks when a process ends,
// however it ends. A file without a lock that nobody has written to for a minute belongs to nobody.
//
// Errors   none: what cannot be read or removed stays.
#pragma once

#include <filesystem>

namespace headscope {

inline constexpr const char* kTemporaryPrefix = ".headscope-";

// Sweeps this folder, not the ones below it. Returns how many files it removed.
int SweepTemporaryFiles(const std::filesystem::path& folder);

}  // namespace headscope

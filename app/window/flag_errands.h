// Sessions, files of flags and tables of scans, read and written for the window; and who sits before it.
//
// Threads  any; the disk is waited for, so not the one that draws.
#pragma once

#include <filesystem>
#include <string>

#include "app/state/reducer.h"

namespace headscope {

[[nodiscard]] Action ReadSessionFor(const std::filesystem::path& session);
[[nodiscard]] Action WriteSessionFor(const StoreSession& store);
[[nodiscard]] Action ReadFlagsFor(const ReadFlags& asked);
// A file that is there is written over only when that was said, and only if it is one of flags.
[[nodiscard]] Action WriteFlagsFor(const WriteFlags& asked);
[[nodiscard]] Action WriteScanFor(const WriteScan& asked);

// The account's full name, or its short one; empty: neither is known. Any thread.
[[nodiscard]] std::string AccountName();
// "2026-11-23", by the clock of the machine.
[[nodiscard]] std::string Today();

}  // namespace headscope

// Reads and writes sessions, files of flags and tables of scans for the window; and tells who uses
// it.
//
// Threads  any but the one that draws, since these wait for the disk.
#pragma once

#include <filesystem>
#include <string>

#include "app/state/reducer.h"

namespace headscope {

[[nodiscard]] Action ReadSessionFor(const std::filesystem::path& session);
[[nodiscard]] Action WriteSessionFor(const StoreSession& store);
[[nodiscard]] Action SaveSessionFor(const SaveSessionFile& save);
// The newest files of a folder; what is no session is left out, one that cannot be read says why.
[[nodiscard]] Action ListSessionsIn(const std::filesystem::path& folder);
[[nodiscard]] Action ReadFlagsFor(const ReadFlags& asked);
// An existing file is overwritten only if that was requested, and only if it is a file of flags.
[[nodiscard]] Action WriteFlagsFor(const WriteFlags& asked);
[[nodiscard]] Action WriteScanFor(const WriteScan& asked);

// Returns the account's full name, otherwise its short one; empty: neither is known. Any thread.
[[nodiscard]] std::string AccountName();
// Returns "2026-11-23", by the machine's clock.
[[nodiscard]] std::string Today();

}  // namespace headscope

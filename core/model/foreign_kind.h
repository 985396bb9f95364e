// Recognises files that users often try but that are not models the program can open: other
// formats, adapters, packed files. One table gives the names and first bytes of each kind, and what
// to do.
//
// Errors   none itself: returns the error to show, or nothing if the table does not know the kind.
// Threads  any but the drawing one.
// Cost     reads the names in the folder, the first bytes of files whose name does not decide, and
//          the list of a zip.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/error.h"

namespace headscope {

// Explains why a file does not open as a model.
[[nodiscard]] std::optional<Error> ForeignFile(const std::filesystem::path& file);

// The same by its name alone: a name that no model's own weights have.
[[nodiscard]] std::optional<Error> ForeignName(const std::filesystem::path& file);

// Explains why a folder does not open, by its content; of several kinds it picks the most helpful
// one.
[[nodiscard]] std::optional<Error> ForeignFolder(const std::filesystem::path& folder);

}  // namespace headscope

// What people bring that does not open, named for what it is: models in other formats, adapters,
// packed files. One table says by which names and first bytes each kind is known, and what to do.
//
// Errors   none of its own: the answer is the sentence to refuse with, or nothing for what is of no
//          kind that the table knows.
// Threads  any but the one that draws.
// Cost     the names in the folder; the first bytes of those files that a name does not tell, of a
//          zip its list.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/error.h"

namespace headscope {

// Why a file does not open as a model.
[[nodiscard]] std::optional<Error> ForeignFile(const std::filesystem::path& file);

// The same by its name alone: weights with a name that no model's own have.
[[nodiscard]] std::optional<Error> ForeignName(const std::filesystem::path& file);

// Why a folder does not, by what lies in it; of several kinds the one that helps most.
[[nodiscard]] std::optional<Error> ForeignFolder(const std::filesystem::path& folder);

}  // namespace headscope

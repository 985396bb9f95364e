// Where an exported picture may go.
//
// Errors   kInput: a folder, or a file that is no picture of ours to replace; what to do.
// Threads  UI thread; a look at the disk.
#pragma once

#include <filesystem>

#include "core/base/error.h"

namespace headscope {

enum class ExportPlace { kFree, kTakenByPicture };

// A file of another kind is never offered for overwriting, whatever it is called.
[[nodiscard]] Result<ExportPlace> LookAtExportPlace(const std::filesystem::path& path);

}  // namespace headscope

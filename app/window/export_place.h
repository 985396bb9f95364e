// Where an exported picture may go.
//
// Errors   kInput: a folder, or a file that is none of ours to replace; what to do.
// Threads  any; a look at the disk, so not the one that draws.
#pragma once

#include <filesystem>

#include "app/state/actions.h"
#include "core/base/error.h"

namespace headscope {

enum class ExportPlace { kFree, kTakenByPicture };

// A file of another kind is never offered for overwriting, whatever it is called. `kind` knows the
// files of numbers that it is written as; null: pictures alone are known.
[[nodiscard]] Result<ExportPlace> LookAtExportPlace(const std::filesystem::path& path,
                                                    const FigureKind* kind = nullptr);

// What to do next about a figure that is asked for: FigureAsked where it may be written,
// OverwriteNeeded where a person is to be asked, else ReportError.
[[nodiscard]] Action LookBeforeFigure(const FigureJob& job, bool overwrite);

}  // namespace headscope

// Checks where an exported picture may be written.
//
// Errors   kInput: a folder, or a file that we must not replace; says what to do.
// Threads  any but the one that draws, since it accesses the disk.
#pragma once

#include <filesystem>

#include "app/platform/picture_clipboard.h"
#include "app/state/actions.h"
#include "core/base/error.h"

namespace headscope {

enum class ExportPlace { kFree, kTakenByPicture };

// A file of another kind is never offered for overwriting, whatever its name. `kind` knows the data
// formats in which it is written; null: only pictures are known.
[[nodiscard]] Result<ExportPlace> LookAtExportPlace(const std::filesystem::path& path,
                                                    const FigureKind* kind = nullptr);

// Returns the next step for a requested figure: FigureAsked if it may be written, OverwriteNeeded
// if the user must be asked, otherwise ReportError.
[[nodiscard]] Action LookBeforeFigure(const FigureJob& job, bool overwrite);

// The one figure as a PNG in a temporary file of its own, on its way to the clipboard.
[[nodiscard]] Action CopyByFile(FigureJob job);
// Puts the file's picture on the clipboard and removes the file.
[[nodiscard]] Action CopyPictureFile(const std::filesystem::path& file,
                                     PictureClipboard* clipboard);

}  // namespace headscope

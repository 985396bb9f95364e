// What is wrong with an export before anything is drawn: said while it is typed.
//
// Errors   a sentence; empty: nothing.
// Threads  plain values; no disk.
#pragma once

#include <string>

#include "app/state/dialogs.h"

namespace headscope {

// The size as a number; 0 where it is none that a figure can have.
[[nodiscard]] int SizeOf(const ExportDraft& draft);
[[nodiscard]] std::string SizeProblem(const ExportDraft& draft);
// What may still be refused: it depends on the picture's shape.
[[nodiscard]] std::string SizeHint(const ExportDraft& draft);
[[nodiscard]] std::string PathProblem(const ExportDraft& draft);
[[nodiscard]] bool CanExport(const ExportDraft& draft);

}  // namespace headscope

// Kept figures in the look that the export dialog says.
//
// Errors   kInput: the look would hide what a figure must say; it waits to be made again.
// Threads  UI thread; no disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/work.h"
#include "core/base/error.h"

namespace headscope {

// The chosen one; null: nothing is kept.
[[nodiscard]] const KeptFigure* ChosenFigure(const AppState& state);
// "Figure 2: head L1H3, lines"
[[nodiscard]] std::string KeptTitle(const AppState& state, std::size_t place);
// `has_caption`: of what is made of it. kInput: heads were off, and it would not say so.
[[nodiscard]] Status CheckSaid(const KeptFigure& figure, bool has_caption);
// As the draft says: theme, size, letters.
[[nodiscard]] Result<FigureSubject> SubjectOf(const KeptFigure& figure, const ExportDraft& draft);
// A file for each: "figures-02-english-L1H3-lines.svg".
[[nodiscard]] std::vector<std::filesystem::path> FilesOfKept(const AppState& state,
                                                             const ExportDraft& draft);
// While figures are made again: the one under way is this, or there is none, and why.
void TakeMade(const KeptFigure& made, Reducer* reducer);
void TakeNotMade(const std::string& why, Reducer* reducer);

// Draws their previews one after another, while they are on screen.
[[nodiscard]] Work PreviewsOfKept();

}  // namespace headscope

// What the export dialog says before anything is drawn: what there is to choose, and what is wrong.
//
// Errors   a sentence; empty: nothing.
// Threads  plain values; no disk.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/dialogs.h"
#include "core/figure/figure_context.h"
#include "core/figure/figure_format.h"
#include "core/figure/figure_preset.h"

namespace headscope {

// As they are offered.
inline constexpr std::array kFigureThemes = {Theme::kLight, Theme::kDark, Theme::kPrint};

// "head L5H1", "layer 5", "all heads", "head counts", "L5H1 beside L5H2"; views other than the plain one say so.
[[nodiscard]] std::string ChoiceName(const AppState& state, const FigureKind& kind);

// Whether there is something of that kind to draw.
[[nodiscard]] bool IsThere(const AppState& state, const FigureKind& kind);

// The size in pixels; 0 where it is none that a figure can have.
[[nodiscard]] int SizeOf(const ExportDraft& draft);
// What of the figure is shown, how wide it is on paper, how large its letters are.
[[nodiscard]] FigureLook LookOf(const ExportDraft& draft);
// Theme, size and letters of a figure.
void PutLook(const ExportDraft& draft, FigureContext* context);
// "8.9 cm" and "7", as they are typed.
[[nodiscard]] std::string SizeText(const FigurePreset& preset);
[[nodiscard]] std::string PointsText(const FigurePreset& preset);
// Why the size of letters is none, in a few words; empty: it is one.
[[nodiscard]] std::string PointsProblem(const ExportDraft& draft);
[[nodiscard]] std::string SizeProblem(const ExportDraft& draft);
// The preset whose size and letters the draft has; null: none.
[[nodiscard]] const FigurePreset* PresetOf(const ExportDraft& draft);
void UsePreset(const FigurePreset& preset, ExportDraft* draft);
// Theme, size, letters and parts, as one key; empty: they are none that can be drawn.
[[nodiscard]] std::string LookKey(const ExportDraft& draft);
// The format where the file is one of numbers, which has neither size nor, but for a page, ground;
// null: it is a picture, or none.
[[nodiscard]] const NumbersFormat* NumbersOf(const ExportDraft& draft);
[[nodiscard]] inline bool IsOfNumbers(const ExportDraft& draft) {
  return NumbersOf(draft) != nullptr;
}
// Whether it has a background: every picture, and a page for a browser.
[[nodiscard]] bool HasGround(const ExportDraft& draft);
// How large that is on paper, and what may still be refused: it depends on the picture's shape.
[[nodiscard]] std::string SizeHint(const ExportDraft& draft);

// Whether there may be a file for each of several heads; and why not, in a sentence.
[[nodiscard]] std::string WhyNotEach(const AppState& state, const ExportDraft& draft);
// One head of several, each in a file of its own.
struct HeadFile {
  HeadIndex head;
  std::filesystem::path path;
};
// One for each head that is chosen, in order: "probe-L1H3.svg". None: the figure is one file.
[[nodiscard]] std::vector<HeadFile> FilesOfHeads(const AppState& state, const ExportDraft& draft);

// All that the preview depends on; empty: there is none.
[[nodiscard]] std::string PreviewKey(const AppState& state);

// By the path's ending; null: none that is known.
[[nodiscard]] const FigureFormat* FormatOf(const ExportDraft& draft);
// The path with that ending in place of the one it has, if it has one.
[[nodiscard]] std::string PathAs(const ExportDraft& draft, std::string_view ending);
[[nodiscard]] std::string PathProblem(const ExportDraft& draft);
[[nodiscard]] bool CanExport(const ExportDraft& draft);
// Whether head counts are to be exported now: they are computed then, whatever screen is open.
[[nodiscard]] bool ExportsCounts(const AppState& state);
// What the figure waits for: head counts of the text and the layer that are open; empty: nothing.
[[nodiscard]] std::string WaitsFor(const AppState& state);

}  // namespace headscope

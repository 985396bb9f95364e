// The parts of the Compare screen: each draws one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/compare/compared.h"
#include "app/views/compare/layout.h"
#include "app/views/heads/grid.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/ui.h"

namespace headscope {

class Flow;  // app/views/kit/flow.h

// What is made once for a result, a pair or a row, and drawn in many frames.
struct CompareDrawing {
  std::shared_ptr<const ComparedPair> pair;  // of which the labels are
  std::shared_ptr<const Encoding> queries;   // the places as tokens, for labels
  std::shared_ptr<const Encoding> keys;
  std::shared_ptr<const PairMaps> maps;                 // of which the positions are
  ColorScale scale;                                     // and under this one
  std::shared_ptr<const std::vector<float>> positions;  // of the difference along its colours
  CompareState::MapsQuestion row_of;                    // the row that is told
  std::int64_t query = -1;
  std::vector<float> row_a;  // exact; kMasked where masked or not there
  std::vector<float> row_b;
  bool dragged = false;
  bool drags_divider = false;
  std::vector<Rect> map_rects;  // of the last frame: the wheel zooms there
};

// The drawing of the state's result; there is one.
[[nodiscard]] CompareDrawing& DrawingOf(Ui* ui);
// The row that is pointed at, or the last that was, of the selected pair; false: there is no pair.
[[nodiscard]] bool TellRow(Ui* ui, CompareDrawing* drawing);

// The rows of A's layers that are compared, and where they lie.
[[nodiscard]] HeadsGrid LayOutHeadsOfA(const Ui& ui, const Rect& area, HeadsGridLook* look);
void DrawComparedHeads(Ui* ui, const Rect& area);
void DrawFurthestPairs(Ui* ui, const Rect& area);
void DrawComparedPair(Ui* ui, const Rect& area);
[[nodiscard]] PairWish WishOfPair(Ui* ui);
// On one map of the pair; `twin`: the other one, null where there is none.
void HandleComparePointer(Ui* ui,
                          const char* id,
                          const MapGeometry& geometry,
                          const MapGeometry* twin,
                          CompareDrawing* drawing);
void DrawMatching(Pen* pen);

// What changed between the two models' weights.
void DrawWeights(Ui* ui, const Rect& area);

// --- patching between two texts
void DrawPatchToolbar(Ui* ui, Flow* flow);
// The row that words are asked at, and the rows of heads that are taken over.
void DrawPatchRows(Ui* ui, Flow* flow);
// What the numbers are, at the top of the area; returns its height.
float DrawPatchStrip(Ui* ui, const Rect& area);
void DrawPatchedHeads(Ui* ui, const Rect& area);
void DrawLargestPatches(Ui* ui, const Rect& area);
void DrawPatchFacts(Pen* pen);
void DrawPatchPositions(Pen* pen);
// The button that begins it, where that waits for a person; false: it does not.
bool DrawPatchNow(Pen* pen, const std::optional<PatchingState::Question>& question);
// Direct effects: where paths arrive, and whether MLPs are frozen.
void DrawPathControls(Pen* pen);
// A click on a head of the map: whether paths arrive there now, or no longer; false: it is looked at.
bool TakeReceiver(Ui* ui, HeadIndex head);
// What such a click does, where it does anything; how a head looks in which paths arrive.
[[nodiscard]] std::string PathCellWords(const AppState& state, HeadIndex head);
[[nodiscard]] std::optional<HeadsGridCell> PathCell(const Ui& ui, HeadIndex head);
// The largest share without its sign, above 0; a share's colour around 0.
[[nodiscard]] double LargestPatch(const PatchedTexts& patched);
[[nodiscard]] Rgb ColorOfPatch(const Ui& ui, double share, double largest, bool is_old);

// "L1H2 ↔ L1H5"
[[nodiscard]] std::string NameOfPair(const ComparedHeads& pair);
// "0.123 nats"; "no partner" or "no row counts" where there is no number.
[[nodiscard]] std::string DivergenceText(const ComparedHeads& pair);
// Along the colours that divergences are drawn in: from 0 to the largest of the pairs.
[[nodiscard]] ColorScale ScaleOfDivergence(const AppState& state);

}  // namespace headscope

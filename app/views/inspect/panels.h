// Parts of the panel at the right of Inspect.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/state/heads/scores.h"
#include "app/state/inspect/row_words.h"
#include "app/state/queries.h"
#include "app/views/kit/flow.h"
#include "app/views/kit/pen.h"
#include "app/views/maps/map_geometry.h"
#include "core/attention/map_view.h"
#include "core/figure/loss_chart.h"

namespace headscope {

// One row of weights in words: the sentence shaded by it (in cross-attention the text, below the
// target that the row is of), and its largest weights as bars. `max_height` is of one text.
void DrawShadedSentence(Pen* pen, float max_height, const RowWeights& row);
void DrawRowBars(Pen* pen, float max_height, const RowWeights& row);

// Tokens in reading order, wrapped to the width; y from 0. Kept until the text or the width changes; a
// long text grows from frame to frame.
const std::vector<Rect>& LayOutChips(Ui* ui,
                                     const std::shared_ptr<const Encoding>& encoding,
                                     float width,
                                     TokenChips* kept);

// Lines of a list of so many: as many as there is room for, and one for the rest of them.
[[nodiscard]] inline std::size_t LinesWithRest(std::size_t count, std::size_t room) {
  return count <= room ? count : room + 1;
}

// Why a held cell lights up: who wrote most of what its score is made of, into the key's stream and
// into the query's. A head's line leads to it and to the path from it, an MLP's to patching.
void DrawWhyCell(Pen* pen);
// The height that it takes; 0 where no cell is held.
[[nodiscard]] float WhyHeight(const Ui& ui);

// How well the model said each token, folded away at first.
void DrawLossStrip(Pen* pen);
[[nodiscard]] float LossStripHeight(const Ui& ui);

// What the model says at a held row: the likeliest tokens, the one that came, and which heads raised
// the likeliest. A head of the map leads to it.
void DrawNextWord(Pen* pen);
// The height that it takes; 0 where no row is held.
[[nodiscard]] float NextWordHeight(const Ui& ui);

// The band over the grid while heads are taken away. Returns its height.
float DrawHeadsOff(Ui* ui, const Rect& area);
// On the map of a head that is off; and of one that is another without them, once it is there.
void DrawOffMark(const Ui& ui, const Rect& cell);
void DrawChangedMark(const Ui& ui, const Rect& cell, bool is_there);
// On what is off or cut.
void DrawOffCross(const Ui& ui, const Rect& cell);
// On the map of a head with edges cut; and on these cells of the large map.
void DrawCutMark(const Ui& ui, const Rect& cell);
void DrawCutCells(const Ui& ui, const MapGeometry& geometry, const MapView& map);
// The held cell's edge, and ways to cut it.
void DrawCutLine(Pen* pen);
[[nodiscard]] float CutLineHeight(const Ui& ui);

// What stands under a head's map: its flag, or what a scan suggests.
struct ShownRole {
  std::string word;
  Rgb color;
  bool is_flag = false;
};
[[nodiscard]] std::optional<ShownRole> RoleShown(const FlagSheet& flags,
                                                 const HeadSuggestions& suggestions,
                                                 HeadIndex head);

// The roles of the heads in view, each with its colour and how many heads have it: a click shows
// these alone. Before there are any: what brings them. Returns its height.
float DrawRoleLegend(Ui* ui, const Rect& area);

// How much of the selected head's attention goes to hidden tokens, or why they still show.
void DrawHiddenWords(Pen* pen, const FullMap& full);

// Where one may begin, on a first start: three cards. Returns their height; 0: they are put away.
float DrawDoors(Ui* ui, const Rect& area);

// What the selected head does on this text, in a sentence that leads to the row that shows it.
void DrawHeadWords(Pen* pen, const FullMap& full);
// In its place, where the map is of several heads.
void DrawJoinedWords(Pen* pen, const FullMap& full);

}  // namespace headscope

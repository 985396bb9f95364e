// The ways in which Inspect shows the selected head in full, one file each, and what they share.
//
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "app/state/queries.h"
#include "app/views/kit/pen.h"
#include "core/figure/token_lines.h"

namespace headscope {

// The head in full, and the room for it: `below` pixels are left under it for what belongs to it.
struct HeadPanel {
  FullMap full;
  bool dimmed = false;
  float below = 0.0F;
};

// The choice between them: map, lines, arcs and so on.
float DrawViewChoice(Pen* pen);  // returns its width
// Of the map: what it is of, and why that is not there yet. `used`: of the line above, by the views.
void DrawMapOfChoice(Pen* pen, float used);

void DrawLinesView(Pen* pen, const HeadPanel& panel);
void DrawArcsView(Pen* pen, const HeadPanel& panel);
void DrawTextView(Pen* pen, const HeadPanel& panel);
void DrawPairView(Pen* pen, const HeadPanel& panel);
void DrawStepsView(Pen* pen, const HeadPanel& panel);

// --- what lines and arcs share

// One head or several, and the heads of the layer to choose from.
void DrawHeadTools(Pen* pen, const HeadPanel& panel);
// The same, and how much of a row is shown.
void DrawKeepTools(Pen* pen, const HeadPanel& panel);

// Whether pointing at a word asks what it looks at, or who looks at it.
void DrawLooksChoice(Ui* ui, const Rect& place);
[[nodiscard]] float LooksChoiceWidth(const Ui& ui);

// The weights that are drawn now: of all rows, of the row that is pointed at, or of the key.
struct ShownWeights {
  std::vector<MapView> maps;
  std::vector<LineInk> inks;
  const KeptWeights* kept = nullptr;  // null: not there yet
  LinesSubject of = LinesSubject::kAllRows;
  std::optional<MapPoint> point;
};
[[nodiscard]] ShownWeights WeightsInView(Ui* ui, const HeadPanel& panel);
// Whether a token is at an end of what is drawn.
[[nodiscard]] std::vector<bool> TokensOf(const ShownWeights& shown,
                                         bool queries,
                                         std::size_t count);

// Hands the lines to the scene, which draws them once; an older result is paler.
void PlaceStrokes(Ui* ui, std::vector<Stroke> strokes, const Rect& clip, bool dimmed);
// The same in any panel: `kept` are those of the last frame.
void PlaceStrokes(Ui* ui,
                  Panel panel,
                  std::vector<Stroke> strokes,
                  const Rect& clip,
                  std::shared_ptr<const std::vector<Stroke>>* kept);

// A thumbnail as lines, added to `strokes`; nothing in the frames before it is made.
void AddThumbnailLines(
    Ui* ui, const MapView& map, const Rect& cell, const LineInk& ink, std::vector<Stroke>* strokes);
// Before those of a frame: a few are made in each.
void BeginThumbnailLines(Ui* ui);

// The pointer is on a line: its cell is pointed at, told, and held by a click.
void PointAtWeight(Ui* ui,
                   const HeadPanel& panel,
                   const ShownWeights& shown,
                   const KeptWeight& weight,
                   bool clicked);

// A cross on the middle of each line whose edge is cut, while the maps are shown without it.
using StrokeOf = std::function<Stroke(const KeptWeight&)>;
void DrawCutCrosses(const Ui& ui,
                    const ShownWeights& shown,
                    const Rect& clip,
                    const StrokeOf& stroke_of);

// What is drawn and what is not, and the bar of the lines.
void DrawKeptWords(Pen* pen, const ShownWeights& shown);

}  // namespace headscope

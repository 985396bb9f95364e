// The tree of a sentence and one head over one line of text: edges of the tree above the line, under
// their relations, the head's largest weight of each word below it. Edges on which both agree are told
// apart by colour, thickness and dashes. A tip stands at the word that is looked at.
//
// Units    the painter's pixels; places along the line are from its left end.
// Cost     edges squared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"
#include "core/figure/token_arcs.h"
#include "core/figure/token_lines.h"
#include "core/heads/measure/tree_answers.h"

namespace headscope {

// How each of EdgeMatch is drawn.
struct EdgeInk {
  Rgb color;
  float thickness = 1.0F;
  float dash = 0.0F;
  float alpha = 1.0F;
};
[[nodiscard]] EdgeInk InkOf(EdgeMatch match, Theme theme, float unit);

// The middle of each word, over its pieces; below 0: the word has none.
[[nodiscard]] std::vector<float> WordMiddles(const TextTree& tree, const TextLine& line);

// How deep edges lie over each other, from 1: one that spans others rises above them.
struct EdgeSpan {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
[[nodiscard]] std::vector<int> LevelsOf(std::span<const EdgeSpan> edges);

struct TreePlace {
  float left = 0.0F;    // of the line's left end
  float top = 0.0F;     // where arcs above the line end
  float bottom = 0.0F;  // where arcs below it end
  float rise = 0.0F;    // the most that an arc rises above the line
  float fall = 0.0F;    // the most that one hangs below it
  float unit = 1.0F;    // of thickness
  Theme theme = Theme::kDark;
};

// A relation at the top of its arc.
struct EdgeLabel {
  std::size_t edge = 0;  // of the answers
  float x = 0.0F;        // its middle
  float y = 0.0F;        // the arc's top
  Rgb color = {};
};

struct TreeDrawing {
  std::vector<Stroke> strokes;
  std::vector<std::size_t> edge_arcs;  // of each edge that is drawn, its stroke; no stroke: npos
  std::vector<std::size_t> head_arcs;  // of each of the head's, likewise
  std::vector<EdgeLabel> labels;
};
[[nodiscard]] TreeDrawing DrawTree(const TreeAnswers& answers,
                                   std::span<const float> middles,
                                   const TreePlace& place);

// Those that touch no other one; edges on which both agree come first, those that are not asked last.
[[nodiscard]] std::vector<bool> LabelsWithRoom(const TreeDrawing& drawing,
                                               const TreeAnswers& answers,
                                               std::span<const float> widths,
                                               float height);

// What the colours and dashes stand for.
[[nodiscard]] std::string TreeLegendWords(PairDirection direction);

}  // namespace headscope

#include "core/figure/tree_arcs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "core/figure/theme.h"

namespace headscope {
namespace {

constexpr float kTip = 4.0F;  // of an arrow, in units

// Two short lines at the end of an arc, which comes down (or up) to it nearly upright.
void AddTip(const Stroke& arc, bool at_begin, float unit, std::vector<Stroke>* strokes) {
  const float x = at_begin ? arc.x0 : arc.x1;
  const float y = at_begin ? arc.y0 : arc.y1;
  const float up = arc.rise > 0.0F ? -1.0F : 1.0F;
  for (const float side : {-1.0F, 1.0F}) {
    strokes->push_back({.x0 = x,
                        .y0 = y,
                        .x1 = x + side * 0.6F * kTip * unit,
                        .y1 = y + up * kTip * unit,
                        .thickness = arc.thickness,
                        .color = arc.color,
                        .alpha = arc.alpha});
  }
}

// Edges that are not asked first, so that the others lie over them.
std::vector<std::size_t> InOrderOfDrawing(std::span<const EdgeMatch> matches) {
  std::vector<std::size_t> order(matches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) {
    return matches[i] == EdgeMatch::kNotAsked ? 0 : matches[i] == EdgeMatch::kDiffers ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return place(a) < place(b);
  });
  return order;
}

struct ArcEnds {
  std::int64_t from = 0;
  std::int64_t to = 0;  // has the tip
  EdgeMatch match = EdgeMatch::kNotAsked;
};

// On one side of the line, `up` above it; appends to `strokes`, and returns where each arc is.
std::vector<std::size_t> DrawArcs(std::span<const ArcEnds> ends,
                                  std::span<const float> middles,
                                  const TreePlace& place,
                                  bool up,
                                  std::vector<Stroke>* strokes) {
  std::vector<std::size_t> at(ends.size(), std::string::npos);
  std::vector<EdgeSpan> spans;
  std::vector<EdgeMatch> matches;
  for (const ArcEnds& arc : ends) {
    spans.push_back({arc.from, arc.to});
    matches.push_back(arc.match);
  }
  const std::vector<int> levels = LevelsOf(spans);
  const int deepest = levels.empty() ? 1 : *std::max_element(levels.begin(), levels.end());
  const float most = up ? place.rise : place.fall;
  const float y = up ? place.top : place.bottom;
  for (const std::size_t i : InOrderOfDrawing(matches)) {
    const float from = middles[static_cast<std::size_t>(ends[i].from)];
    const float to = middles[static_cast<std::size_t>(ends[i].to)];
    if (from < 0.0F || to < 0.0F) {
      continue;
    }
    const EdgeInk ink = InkOf(ends[i].match, place.theme, place.unit);
    // Ends of arcs that meet at a word stand a little apart.
    const float aside = 2.0F * place.unit * (to > from ? 1.0F : -1.0F);
    const float rise =
        std::max(6.0F * place.unit,
                 most * static_cast<float>(levels[i]) / static_cast<float>(std::max(deepest, 3)));
    at[i] = strokes->size();
    strokes->push_back({.x0 = place.left + from + aside,
                        .y0 = y,
                        .x1 = place.left + to - aside,
                        .y1 = y,
                        .rise = up ? rise : -rise,
                        .thickness = ink.thickness,
                        .color = ink.color,
                        .alpha = ink.alpha,
                        .dash = ink.dash});
    const Stroke arc = strokes->back();
    AddTip(arc, false, place.unit, strokes);
  }
  return at;
}

}  // namespace

EdgeInk InkOf(EdgeMatch match, Theme theme, float unit) {
  const ThemeColors& colors = ColorsOf(theme);
  switch (match) {
    case EdgeMatch::kAgrees:
      return {colors.accent, 2.25F * unit, 0.0F, 1.0F};
    case EdgeMatch::kDiffers:
      return {theme == Theme::kDark    ? RgbOf(0xF0A35E)
              : theme == Theme::kLight ? RgbOf(0xB45309)
                                       : RgbOf(0x8A5A1A),
              1.25F * unit,
              4.0F * unit,
              1.0F};
    case EdgeMatch::kNotAsked:
      break;
  }
  return {colors.dim, 1.0F * unit, 1.5F * unit, 0.55F};
}

std::vector<float> WordMiddles(const TextTree& tree, const TextLine& line) {
  std::vector<float> middles(tree.sentence->words.size(), -1.0F);
  std::vector<float> least(middles.size(), 0.0F);
  std::vector<float> most(middles.size(), 0.0F);
  for (std::size_t token = 0; token < tree.word.size() && token < line.middles.size(); ++token) {
    if (tree.word[token] < 0) {
      continue;
    }
    const auto word = static_cast<std::size_t>(tree.word[token]);
    const float half = line.is_squeezed ? 0.0F : line.widths[token] / 2.0F;
    const float low = line.middles[token] - half;
    const float high = line.middles[token] + half;
    const bool is_first = middles[word] < 0.0F;
    least[word] = is_first ? low : std::min(least[word], low);
    most[word] = is_first ? high : std::max(most[word], high);
    middles[word] = std::max(0.0F, (least[word] + most[word]) / 2.0F);
  }
  return middles;
}

std::vector<int> LevelsOf(std::span<const EdgeSpan> edges) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const EdgeSpan& edge : edges) {
    spans.emplace_back(std::min(edge.from, edge.to), std::max(edge.from, edge.to));
  }
  std::vector<std::size_t> order(spans.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return spans[a].second - spans[a].first < spans[b].second - spans[b].first;
  });
  std::vector<int> levels(spans.size(), 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& outer = spans[order[i]];
    for (std::size_t j = 0; j < i; ++j) {
      const auto& inner = spans[order[j]];
      // It lies over what shares more than an end with it.
      if (inner.first < outer.second && inner.second > outer.first) {
        levels[order[i]] = std::max(levels[order[i]], levels[order[j]] + 1);
      }
    }
  }
  return levels;
}

TreeDrawing DrawTree(const TreeAnswers& answers,
                     std::span<const float> middles,
                     const TreePlace& place) {
  TreeDrawing drawing;
  const bool is_up = answers.direction == PairDirection::kDependentToHead;
  std::vector<ArcEnds> tree;
  for (const TreeEdge& edge : answers.edges) {
    tree.push_back({is_up ? edge.dependent : edge.governor,
                    is_up ? edge.governor : edge.dependent,
                    edge.match});
  }
  std::vector<ArcEnds> head;
  for (const HeadEdge& edge : answers.head) {
    head.push_back({edge.query, edge.key, edge.match});
  }
  drawing.edge_arcs = DrawArcs(tree, middles, place, true, &drawing.strokes);
  drawing.head_arcs = DrawArcs(head, middles, place, false, &drawing.strokes);
  for (std::size_t edge = 0; edge < answers.edges.size(); ++edge) {
    if (drawing.edge_arcs[edge] == std::string::npos) {
      continue;
    }
    const Stroke& arc = drawing.strokes[drawing.edge_arcs[edge]];
    drawing.labels.push_back({.edge = edge,
                              .x = (arc.x0 + arc.x1) / 2.0F,
                              .y = arc.y0 - arc.rise,
                              .color = answers.edges[edge].match == EdgeMatch::kNotAsked
                                           ? ColorsOf(place.theme).dim
                                           : arc.color});
  }
  return drawing;
}

std::vector<bool> LabelsWithRoom(const TreeDrawing& drawing,
                                 const TreeAnswers& answers,
                                 std::span<const float> widths,
                                 float height) {
  std::vector<EdgeMatch> matches;
  for (const EdgeLabel& label : drawing.labels) {
    matches.push_back(answers.edges[label.edge].match);
  }
  std::vector<std::size_t> order = InOrderOfDrawing(matches);
  std::reverse(order.begin(), order.end());
  std::vector<bool> shown(drawing.labels.size(), false);
  for (const std::size_t i : order) {
    const EdgeLabel& label = drawing.labels[i];
    bool is_free = true;
    for (std::size_t other = 0; other < shown.size() && is_free; ++other) {
      const EdgeLabel& placed = drawing.labels[other];
      is_free = !shown[other] || std::abs(placed.y - label.y) >= height ||
                std::abs(placed.x - label.x) >= (widths[i] + widths[other]) / 2.0F + 2.0F;
    }
    shown[i] = is_free;
  }
  return shown;
}

std::string TreeLegendWords(PairDirection direction) {
  return std::string("Above the line the tree, below it the head: each word’s largest weight. ") +
         (direction == PairDirection::kDependentToHead
              ? "Tips point from a word to its governor"
              : "Tips point from a governor to its dependent") +
         " and to what the head looks at. Solid and thick: both agree; dashed: they do not; dotted: not "
         "asked.";
}

}  // namespace headscope

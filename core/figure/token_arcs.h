// Weights as arcs over one line of text, the same in the window and in figures: an arc to a token
// that was read before rises above the line, one to a token still to come hangs below it. Two texts
// (cross-attention) are two lines, with straight lines between them.
//
// Units    the painter's pixels; places along the line are from its left end.
// Cost     linear in tokens and weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/kept_weights.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"
#include "core/figure/token_lines.h"

namespace headscope {

// A word as it is written: how wide, and whether it stands right beside the one before.
struct LineWord {
  float width = 0.0F;
  bool continues = false;
};

// One line of text. The first word stands at the right where the text runs to the left.
struct TextLine {
  std::vector<float> middles;  // of each word
  std::vector<float> widths;   // as they are written
  float width = 0.0F;
  bool is_squeezed = false;  // closer than they are written: not all can be shown
};
// `room` above 0: the line is squeezed into it where it is longer.
[[nodiscard]] TextLine PlaceWords(std::span<const LineWord> words,
                                  float gap,
                                  bool right_to_left,
                                  float room = 0.0F);
// Those that stand apart, the ones of `first` before all others.
[[nodiscard]] std::vector<bool> WordsWithRoom(const TextLine& line,
                                              float gap,
                                              std::span<const std::int64_t> first);
// The word nearest to a place along the line; -1: there is none.
[[nodiscard]] std::int64_t WordAt(const TextLine& line, float x);

struct ArcsPlace {
  const TextLine* queries = nullptr;
  const TextLine* keys = nullptr;  // the same line, or another one below it
  float left = 0.0F;               // of the lines' left ends
  float top = 0.0F;                // where arcs above the line end, or lines from queries begin
  float bottom = 0.0F;             // where arcs below it end, or lines to keys end
  float rise = 0.0F;               // the most that an arc rises
  float unit = 1.0F;               // of thickness

  [[nodiscard]] bool is_one_text() const { return queries == keys; }
};

[[nodiscard]] Stroke ArcOf(const KeptWeight& weight,
                           std::span<const LineInk> inks,
                           const ArcsPlace& place);
// One for each weight that crosses the stretch of `view`, in the order of `weights`.
[[nodiscard]] std::vector<Stroke> ArcsBetween(std::span<const KeptWeight> weights,
                                              std::span<const LineInk> inks,
                                              const ArcsPlace& place,
                                              const Rect& view);

}  // namespace headscope

// An editable text set by Pango: caret positions, the place under a point, the boxes that a
// selection fills, and a picture of it. Any script, both directions.
//
// Units    pixels from the top left of the text; positions in the text are byte offsets.
// Errors   none; the text is valid UTF-8. Invisible characters are shown as signs: "↵".
// Threads  one at a time per TextBlock.
// Cost     time proportional to the length of the text (about a millisecond per 1,000 letters): for
//          a long line pass only the part around the caret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/text_breaks.h"
#include "core/figure/text_layout.h"
#include "core/figure/text_picture.h"

namespace headscope {

struct PixelBox {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

class TextBlock {
 public:
  enum class Lines { kOne, kMany };
  enum class Direction { kOfText, kLeftToRight, kRightToLeft };

  TextBlock();
  ~TextBlock();
  TextBlock(const TextBlock&) = delete;
  TextBlock& operator=(const TextBlock&) = delete;

  // kMany wraps at line breaks and at style.max_width_px; kOne never wraps. `direction`: the first
  // letter decides where a line begins, unless the text is part of a longer one.
  void Set(std::string_view utf8,
           const TextStyle& style,
           Lines lines,
           Direction direction = Direction::kOfText);
  [[nodiscard]] static Direction DirectionOf(std::string_view utf8);

  [[nodiscard]] double width() const;
  [[nodiscard]] double height() const;
  [[nodiscard]] double line_height() const;  // in the style's own font
  // Distance from the top of the first line to its baseline, and the same for a line in the style's
  // own font only: other fonts make a line higher.
  [[nodiscard]] double baseline() const;
  [[nodiscard]] double own_baseline() const;
  [[nodiscard]] bool right_to_left() const;  // the first line begins on the right

  [[nodiscard]] PixelBox Caret(std::size_t at) const;  // has no width
  [[nodiscard]] std::size_t PlaceAt(double x, double y) const;
  [[nodiscard]] std::vector<PixelBox> Boxes(TextSpan span) const;

  // The neighbouring positions in visual order, not in stored order; `at` itself at the edge.
  [[nodiscard]] std::size_t LeftOf(std::size_t at) const;
  [[nodiscard]] std::size_t RightOf(std::size_t at) const;
  [[nodiscard]] TextSpan LineOf(std::size_t at) const;

  // Draws the part of the text with its top left at (x, y).
  [[nodiscard]] TextPicture Draw(double x, double y, int width, int height, Rgb color) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope

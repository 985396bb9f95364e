// A text set by Pango to be edited: where the caret stands, what is under a point, which boxes a
// selection fills, and the picture of it. Any script, both directions.
//
// Units    pixels from the top left of the text; positions in the text are byte offsets.
// Errors   none; the text is valid UTF-8. Characters that nothing would show are set as signs: "↵".
// Threads  one at a time per TextBlock.
// Cost     setting takes time with the length of the text (about a millisecond per 1,000 letters):
//          of a long line give the part around the caret.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/text_breaks.h"
#include "core/figure/text_layout.h"

namespace headscope {

struct PixelBox {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
};

// Straight alpha, row-major [height, width, 4]; emoji keep their colours.
struct TextPicture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;
};

class TextBlock {
 public:
  enum class Lines { kOne, kMany };
  enum class Direction { kOfText, kLeftToRight, kRightToLeft };

  TextBlock();
  ~TextBlock();
  TextBlock(const TextBlock&) = delete;
  TextBlock& operator=(const TextBlock&) = delete;

  // kMany breaks lines at line breaks and where they reach style.max_width_px; kOne never does.
  // `direction` is where a line begins: by its first letter, unless it is a part of a longer text.
  void Set(std::string_view utf8,
           const TextStyle& style,
           Lines lines,
           Direction direction = Direction::kOfText);
  [[nodiscard]] static Direction DirectionOf(std::string_view utf8);

  [[nodiscard]] double width() const;
  [[nodiscard]] double height() const;
  [[nodiscard]] double line_height() const;  // of the style's own font
  // From the top of the first line to where its letters stand, and the same for a line of the
  // style's own font: other fonts make a line higher.
  [[nodiscard]] double baseline() const;
  [[nodiscard]] double own_baseline() const;
  [[nodiscard]] bool right_to_left() const;  // the first line begins at the right

  [[nodiscard]] PixelBox Caret(std::size_t at) const;  // without width
  [[nodiscard]] std::size_t PlaceAt(double x, double y) const;
  [[nodiscard]] std::vector<PixelBox> Boxes(TextSpan span) const;

  // The places beside `at` as they are seen, not as they are stored; `at` itself where there is
  // nothing further.
  [[nodiscard]] std::size_t LeftOf(std::size_t at) const;
  [[nodiscard]] std::size_t RightOf(std::size_t at) const;
  [[nodiscard]] TextSpan LineOf(std::size_t at) const;

  // The part of the text with its top left at (x, y).
  [[nodiscard]] TextPicture Draw(double x, double y, int width, int height, Rgb color) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope

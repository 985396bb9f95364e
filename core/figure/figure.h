// What every figure is: texts and maps that find their places on a page, then are drawn on any
// canvas. Which figures there are: core/figure/figure_kind.h.
//
// Units    size_px: the longer side of the whole; pixels of which kPixelsPerInch make an inch where
//          a file has a size on paper.
// Errors   kIo (unwritable, disk full), kInput (too few or too many pixels, nothing to draw, a name
//          that ends otherwise), kUnsupported (.svg: not yet), kCancelled.
// Threads  any that may compute; one at a time for each figure.
// Source   docs/reference.md, "render".
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/figure/color_scale.h"

namespace headscope {

class Canvas;
class TextSetter;

// What size_px can be.
inline constexpr int kLeastFigureSize = 160;
inline constexpr int kMostFigureSize = 16384;
inline constexpr std::int64_t kMostFigurePixels = 100'000'000;  // of the whole
inline constexpr int kPixelsPerInch = 150;

// What every figure has: its words, its ground and its size.
struct FigurePage {
  std::string title;
  std::string caption;             // model, text, convention; set below the maps
  std::vector<std::string> notes;  // what is pooled, clipped, floored
  Theme theme = Theme::kLight;
  int size_px = 1600;
  std::string masked_word = "masked";  // what cells without a number are
};

struct FigureSize {
  int width = 0;
  int height = 0;
};

class Figure {
 public:
  explicit Figure(FigurePage page) : page_(std::move(page)) {}
  virtual ~Figure() = default;
  Figure(const Figure&) = delete;
  Figure& operator=(const Figure&) = delete;

  [[nodiscard]] const FigurePage& page() const { return page_; }

  // Gives everything its place; the longer side is page().size_px. kInput: there is no room for it.
  // `setter` measures the texts, and is used until the figure is drawn.
  [[nodiscard]] virtual Result<FigureSize> Measure(TextSetter* setter) = 0;
  // On a canvas of that size.
  [[nodiscard]] virtual Status Draw(Canvas* canvas, const std::stop_token& stop) = 0;

 private:
  FigurePage page_;
};

// By the ending of `path` (core/figure/figure_format.h). Written whole or not at all; the same
// figure is the same bytes.
[[nodiscard]] Status WriteFigure(const std::filesystem::path& path,
                                 Figure* figure,
                                 const std::stop_token& stop = {});
// Where Measure finds no room.
[[nodiscard]] tl::unexpected<Error> TooSmall(const FigurePage& page);

}  // namespace headscope

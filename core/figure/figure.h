// The base of every figure: texts and maps are placed on a page, then drawn on any canvas. The
// kinds of figures are in core/figure/figure_kind.h.
//
// Units    size_px: the longer side of the figure in pixels; in files with a size on paper,
//          kPixelsPerInch of them make an inch.
// Errors   kIo (unwritable, disk full), kInput (too few or too many pixels, nothing to draw, an
//          unknown extension), kCancelled.
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

// Limits of size_px.
inline constexpr int kLeastFigureSize = 160;
inline constexpr int kMostFigureSize = 16384;
inline constexpr std::int64_t kMostFigurePixels = 100'000'000;  // of the whole figure
inline constexpr int kPixelsPerInch = 150;

// What of a figure is shown, and how large its letters are.
struct FigureLook {
  bool is_width = false;     // the size is that of the width, not of the longer side
  bool is_on_paper = false;  // a file that can say so says how wide it is on paper
  double pixels_per_inch = kPixelsPerInch;
  double font_points = 0.0;  // of captions and labels; 0: by the size
  bool has_labels = true;    // the tokens beside a map
  bool has_bar = true;       // of colours
  bool has_caption = true;   // with the notes
};

// What every figure has: its words, theme and size.
struct FigurePage {
  std::string title;
  std::string caption;             // model, text, convention; below the maps
  std::vector<std::string> notes;  // say what is pooled, clipped or floored
  Theme theme = Theme::kLight;
  int size_px = 1600;
  std::string masked_word = "masked";  // the name of cells without a number
  FigureLook look = {};
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
  // Before it is measured. Without a caption it has no notes either.
  void SetLook(const FigureLook& look);

  // Places everything; the longer side becomes page().size_px. kInput: there is not enough room.
  // `setter` measures the texts and is used until the figure is drawn.
  [[nodiscard]] virtual Result<FigureSize> Measure(TextSetter* setter) = 0;
  // Draws on a canvas of the measured size.
  [[nodiscard]] virtual Status Draw(Canvas* canvas, const std::stop_token& stop) = 0;

 private:
  FigurePage page_;
};

// The extension of `path` chooses the format (core/figure/figure_format.h). The file is written
// completely or not at all; the same figure gives the same bytes.
[[nodiscard]] Status WriteFigure(const std::filesystem::path& path,
                                 Figure* figure,
                                 const std::stop_token& stop = {});
// Measures it, within the limits of sizes.
[[nodiscard]] Result<FigureSize> MeasureFigure(Figure* figure, TextSetter* setter);
// The error if Measure finds no room.
[[nodiscard]] tl::unexpected<Error> TooSmall(const FigurePage& page);

}  // namespace headscope

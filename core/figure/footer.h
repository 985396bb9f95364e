// The part of a figure below its maps: colour bar with its words, flags in force, table, caption,
// notes.
//
// Units    pixels.
// Threads  one thread at a time (TextSetter).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/figure/canvas.h"
#include "core/figure/figure.h"
#include "core/figure/figure_map.h"
#include "core/figure/figure_style.h"
#include "core/figure/token_lines.h"

namespace headscope {

// What the footer describes.
struct FooterContent {
  std::vector<const FigureMap*> maps;                    // none: no colour bar
  bool flags_in_heading = false;                         // otherwise flags have a legend here
  std::span<const std::vector<std::string>> table = {};  // the first row is the header
  std::int64_t marked_table_row = -1;                    // drawn in the accent colour
  // Weights are lines of this colour, as opaque as the bar says, and masked cells are nowhere.
  std::optional<Rgb> ink = {};
  std::vector<NamedInk> inks = {};  // of several heads: a legend
  bool has_bar = true;              // false: no colour of the maps is drawn
};

class Footer {
 public:
  // Everything given must outlive this.
  Footer(const FigurePage& page,
         const FigureStyle& style,
         const FooterContent& content,
         TextSetter* setter);

  // Breaks the lines for a width; returns the height. A pooled figure has one more note.
  double Layout(double width, const std::string& pooling_note);
  void Draw(Canvas* canvas, double x, double y) const;

 private:
  struct Legend {
    std::uint32_t rgb = 0;
    std::string role;
  };
  [[nodiscard]] bool HasBar() const {
    return !content_.maps.empty() && content_.has_bar && page_.look.has_bar;
  }
  void DrawBar(Canvas* canvas, double x, double y) const;
  void LayOutLegend();
  double DrawLegend(Canvas* canvas, double x, double y) const;
  double DrawTable(Canvas* canvas, double x, double y) const;
  double DrawLines(
      Canvas* canvas, double x, double y, const std::vector<std::string>& lines, Rgb color) const;
  double TableWidth(const TextStyle& style, std::vector<double>* columns) const;

  const FigurePage& page_;
  const FigureStyle& style_;
  FooterContent content_;
  TextSetter* setter_;
  ColorScale scale_;     // of the first map
  bool same_ = true;     // every map has that scale
  bool masked_ = false;  // some cell is masked
  bool sink_ = false;    // some head has a sink
  double bar_width_ = 0.0;
  double bar_height_ = 0.0;
  double width_ = 0.0;
  double line_ = 0.0;  // height of a caption line
  TextStyle table_style_;
  std::vector<double> table_columns_;
  std::vector<NamedInk> legend_;
  std::vector<std::size_t> legend_lines_;  // the first entry of each
  std::vector<std::string> words_;
  std::vector<std::string> caption_;
  std::vector<std::string> notes_;
};

}  // namespace headscope

// A filmstrip as a page: frames in lines, each with its step above and its score and role below.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <string>
#include <vector>

#include "core/figure/figure_map.h"
#include "core/figure/film_strip.h"
#include "core/figure/page_figure.h"

namespace headscope {

struct FilmContent {
  struct Frame {
    FigureMap map;  // its title is the step
    std::string score;
    std::string role;
  };
  std::vector<Frame> frames;
  Pool pool = Pool::kLargest;  // for maps with more cells than pixels; a note says so
};

using FilmFigure = PageFigure<FilmContent>;

// The range that all frames share: as it is fixed, or up to the largest weight of the head in any of
// them; by row, each row has its own.
[[nodiscard]] ColorScale ScaleOfFilm(const ColorScale& scale, const FilmStrip& film);
// "One range of colours for all frames: 0 to 0.93."
[[nodiscard]] std::string FilmRangeWords(const ColorScale& scale);

}  // namespace headscope

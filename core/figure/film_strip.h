// A filmstrip: the map of one head on one text at steps of a training, in one range of colours.
//
// Shapes   every map [n, n] of the same text.
// Threads  plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/attention/map_view.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct FilmFrame {
  std::int64_t step = 0;
  bool is_trained = false;  // the end of training, whose step is not in a name
  std::filesystem::path folder = {};
  MapView map = {};          // none: it is not there
  std::string score = {};    // on this text: "0.92 (12 rows)"
  std::string role = {};     // "induction", "no role", "not scanned"
  std::string why_not = {};  // if there is no map
};

struct FilmStrip {
  HeadIndex head;
  std::string metric = {};  // id of the score
  std::vector<FilmFrame> frames = {};
  std::size_t all = 0;  // steps that there are; fewer frames are chosen of them
};

// "step 300", "trained"
[[nodiscard]] std::string StepName(const FilmFrame& frame);

// "induction": what the numbers below the frames are of.
[[nodiscard]] std::string ScoreName(const FilmStrip& film);

// Which of `steps`, ascending, are shown where there are more than `most`: the first, the last, and
// between them those nearest to equal ratios of the step plus one, each once; as many as `most`.
[[nodiscard]] std::vector<std::size_t> ChooseFrames(std::span<const std::int64_t> steps,
                                                    std::size_t most);
inline constexpr std::size_t kFilmFrames = 12;

// The columns with which square frames, each with `words` below it, are largest in that room; at least
// one frame.
struct FilmRoom {
  double width = 0.0;
  double height = 0.0;
};
struct FilmFit {
  int columns = 1;
  double side = 0.0;  // of a frame; 0: there is no room
};
[[nodiscard]] FilmFit FitFilm(std::size_t frames, FilmRoom room, double gap, double words);

}  // namespace headscope

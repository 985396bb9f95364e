#include "core/figure/film_strip.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/heads/decide/numbers.h"

namespace headscope {

std::string StepName(const FilmFrame& frame) {
  return frame.is_trained ? "trained" : fmt::format("step {}", frame.step);
}

std::string ScoreName(const FilmStrip& film) {
  const HeadNumber* const number = FindNumber(film.metric);
  return number != nullptr ? number->NameOf(film.metric) : film.metric;
}

std::vector<std::size_t> ChooseFrames(std::span<const std::int64_t> steps, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (steps.size() <= most || most < 2) {
    chosen.resize(std::min(steps.size(), most));
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  const auto log = [&](std::size_t i) {
    return std::log1p(static_cast<double>(std::max<std::int64_t>(0, steps[i])));
  };
  const double first = log(0);
  const double last = log(steps.size() - 1);
  // Each takes the nearest that is left, and leaves as many as are still to be chosen.
  std::size_t next = 0;
  for (std::size_t frame = 0; frame < most; ++frame) {
    const double wanted =
        first + (last - first) * static_cast<double>(frame) / static_cast<double>(most - 1);
    const std::size_t end = steps.size() - (most - 1 - frame);
    std::size_t best = frame + 1 == most ? steps.size() - 1 : next;
    for (std::size_t i = best; i < end; ++i) {
      if (std::abs(log(i) - wanted) < std::abs(log(best) - wanted)) {
        best = i;
      }
    }
    chosen.push_back(best);
    next = best + 1;
  }
  return chosen;
}

FilmFit FitFilm(std::size_t frames, FilmRoom room, double gap, double words) {
  FilmFit fit;
  const auto count = static_cast<int>(frames);
  for (int columns = 1; columns <= count; ++columns) {
    const int rows = (count + columns - 1) / columns;
    const double side = std::floor(
        std::min((room.width + gap) / columns - gap, (room.height + gap) / rows - gap - words));
    if (side > fit.side) {
      fit = {columns, side};
    }
  }
  return fit;
}

}  // namespace headscope

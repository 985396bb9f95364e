#include "core/figure/film_steps.h"

#include <cstdint>

#include "core/figure/film_strip.h"

namespace headscope {

std::vector<SeriesModel> ChooseSteps(const std::vector<SeriesModel>& checkpoints,
                                     std::size_t most) {
  if (checkpoints.size() <= most) {
    return checkpoints;
  }
  const bool has_end = checkpoints.back().is_trained;
  std::vector<std::int64_t> steps;
  for (const SeriesModel& step : checkpoints) {
    if (!step.is_trained) {
      steps.push_back(step.value);
    }
  }
  std::vector<SeriesModel> chosen;
  for (const std::size_t place : ChooseFrames(steps, most - (has_end ? 1 : 0))) {
    chosen.push_back(checkpoints[place]);
  }
  if (has_end) {
    chosen.push_back(checkpoints.back());
  }
  return chosen;
}

}  // namespace headscope

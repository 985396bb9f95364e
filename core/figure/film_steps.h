// The steps of a training that a filmstrip shows.
//
// Threads  plain values.
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/model_series.h"

namespace headscope {

// `checkpoints`: by step, the trained model, whose step is in no name, last. More than `most`: the
// first and the last, and between them as ChooseFrames (core/figure/film_strip.h).
[[nodiscard]] std::vector<SeriesModel> ChooseSteps(const std::vector<SeriesModel>& checkpoints,
                                                   std::size_t most);

}  // namespace headscope

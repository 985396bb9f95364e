// What other heads cost, drawn at random from the same layers: the control of what heads that are off
// cost.
//
// Units    nats: the mean loss of the text without them, minus that of the whole model.
// Errors   kInput: a layer has fewer other heads than are off in it, or the text has no loss; those of
//          core/causes/text_without.h.
// Threads  the backend's.
// Cost     a run from the first of the layers on for each draw.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/causes/heads_off.h"
#include "core/model/block_description.h"

namespace headscope {

class TextWithout;
class WordLayer;

inline constexpr std::int64_t kControlDraws = 10;
inline constexpr std::uint64_t kControlSeed = 1;

// Puts other heads of the same layers in place of those that are off, each once in a draw; edges go
// with their head. At most `draws`, no two alike: fewer where there are not so many.
[[nodiscard]] Result<std::vector<HeadsOff>> DrawOthers(const ModelDescription& model,
                                                       const HeadsOff& off,
                                                       std::int64_t draws = kControlDraws,
                                                       std::uint64_t seed = kControlSeed);

struct RandomCost {
  double own = 0.0;
  std::vector<double> others;  // of each draw
  friend bool operator==(const RandomCost&, const RandomCost&) = default;

  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;  // of the draws from their mean; 0 of one
};

[[nodiscard]] Result<RandomCost> RandomCostOf(TextWithout* text,
                                              const ModelDescription& model,
                                              const HeadsOff& off,
                                              const WordLayer& words,
                                              std::uint64_t seed,
                                              const std::stop_token& stop,
                                              const std::function<void(double done)>& on_part = {});

}  // namespace headscope

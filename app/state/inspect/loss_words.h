// What the window says of the loss of each token.
//
// Units    nats.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/figure/loss_chart.h"

namespace headscope {

// One for each token; the first has nothing before it that could say it.
struct LossBar {
  std::int64_t row = -1;  // that says the token; -1: none
  std::optional<double> whole;
  std::optional<double> without;  // the heads that are off
};

struct LossBars {
  std::vector<LossBar> bars;  // empty: `told` says why
  double most = 1.0;          // the largest of them
  std::int64_t held = -2;     // the row that is held; -2: none
  std::string told;           // "mean 1.09 nats; orange: without L0H3 (zero), 2.74"
};
[[nodiscard]] LossBars LossBarsOf(const AppState& state);
// Whether any was said of the picture's text.
[[nodiscard]] bool HasLosses(const AppState& state);
// The same as a figure shows it; null: there is none.
[[nodiscard]] std::shared_ptr<const ShownLosses> LossesInView(const AppState& state);
// "captain: loss 1.09, rank 1; likeliest: captain, 33.7 %" of a token that has a bar; it takes time with
// the text's length.
[[nodiscard]] std::string WordsOfLoss(const AppState& state, std::size_t token);

}  // namespace headscope

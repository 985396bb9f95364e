// What the status line says: what was computed and how fast, precision, flags, the convention.
#pragma once

#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

struct StatusWords {
  std::string done;                 // of the picture on screen; empty: none, or none worth a mark
  std::vector<std::string> others;  // left to right, as far as there is room
  std::string convention;           // after them
};
// `working`: what is under way stands where the finished work would.
[[nodiscard]] StatusWords StatusOf(const AppState& state, bool working);

// "gpt2 L1H3 – Headscope": the picture's model, and the head that is kept.
[[nodiscard]] std::string WindowTitle(const AppState& state);

}  // namespace headscope

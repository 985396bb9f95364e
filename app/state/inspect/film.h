// The filmstrip of the selected head: which steps it has, and how far it is.
//
// Threads  UI thread.
#pragma once

#include <string>

#include "app/state/app_state.h"

namespace headscope {

// Whether Inspect shows the head over the steps of its training.
[[nodiscard]] bool WantsFilm(const AppState& state);
// Why there is no strip and what to do, in a sentence; empty: there is one, or nobody looked yet.
[[nodiscard]] std::string WhyNoFilm(const AppState& state);
// The strip of the head in view, as far as it is; null: none is begun.
[[nodiscard]] const FilmStrip* FilmInView(const AppState& state);
[[nodiscard]] bool IsFilmDone(const AppState& state);

}  // namespace headscope

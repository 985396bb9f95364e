// The tour of the window (app/views/help/tour.cpp).
//
// Threads  UI thread, between NewFrame and Render.
#pragma once

#include <cstddef>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {

// What leads to a stop of the tour, from 0; past the last one: what ends it.
[[nodiscard]] std::vector<Action> ActionsOfTour(const AppState& state, std::size_t stop);
void GoToTourStop(Ui* ui, std::size_t stop);
// Enter, arrows and Esc are the tour's while it is shown: before all other keys are read.
void TakeTourKeys(Ui* ui);
// Over everything but popups.
void DrawTour(Ui* ui);

}  // namespace headscope

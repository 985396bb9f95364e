// Passes what the window asks of training runs on to them.
//
// Threads  UI thread.
#pragma once

#include "app/state/reducer.h"
#include "core/worker/train_crew.h"

namespace headscope {

void DoTrainOrder(const TrainOrder& order, TrainCrew* crew);

}  // namespace headscope

// Lists the fields of training in sessions (core/io/fields.h).
//
// Errors   kFormat: a member of another type or out of its range.
// Source   our own format (app/state/train/remembered.h).
#pragma once

#include "app/state/train/remembered.h"
#include "core/io/fields.h"

namespace headscope {

inline constexpr FieldNames<TrainTask, 2> kTrainTasks = {
    {{{TrainTask::kCopy, "copy"}, {TrainTask::kMixture, "mixture"}}}, ""};

void EachField(FieldsOf<TrainKnobs> auto& knobs, auto& visit) {
  visit("task", knobs.task, kTrainTasks);
  visit("heads", knobs.heads, {.least = 1, .most = 1e4});
  visit("head_dim", knobs.head_dim, {.most = 1e4});
  visit("layers", knobs.layers, {.least = 1, .most = 100});
  visit("rate", knobs.rate);
  visit("seed", knobs.seed);
  visit("spread", knobs.spread);
  visit("alike", knobs.alike);
  visit("noise", knobs.noise);
  visit("ones", knobs.ones);
  visit("own_segments", knobs.own_segments);
  visit("disagreement", knobs.disagreement);
  visit("mlp", knobs.mlp);
  visit("tied", knobs.tied);
  visit("sinusoids", knobs.sinusoids);
  visit("fixed_period", knobs.fixed_period);
}

void EachField(FieldsOf<RememberedRun> auto& run, auto& visit) {
  visit("folder", run.folder);
  visit("looked", run.looked, {.most = 1e12, .skips_empty = true});
}

void EachField(FieldsOf<RememberedTraining> auto& training, auto& visit) {
  visit("knobs", training.knobs);
  visit("runs", training.runs);
  visit("compared", training.compared, kSkipsEmpty);
  visit("shows_curves", training.shows_curves);
}

}  // namespace headscope

// Made-up curves of trainings: one head with two seeds, four with one, two steps each.
#pragma once

#include <memory>

#include "core/figure/training_curves.h"

namespace headscope::test {

inline std::shared_ptr<const TrainingCurves> StubCurves() {
  TrainingCurves curves{.task = "copy, 2 layers", .curves = {}};
  HeadsCurve one{.heads = 1, .seeds = {1, 2}};
  one.points[0] = {{50, {.mean = 4.2, .error = 0.25, .runs = 2}},
                   {100, {.mean = 2.5, .error = 0.5, .runs = 2}}};
  one.points[1] = {{50, {.mean = 0.1, .error = 0.05, .runs = 2}},
                   {100, {.mean = 0.9, .error = 0.05, .runs = 2}}};
  one.points[2] = one.points[1];
  HeadsCurve four{.heads = 4, .seeds = {1}};
  four.points[0] = {{50, {.mean = 4.0, .runs = 1}}, {100, {.mean = 3.0, .runs = 1}}};
  four.points[1] = {{50, {.mean = 0.1, .runs = 1}}, {100, {.mean = 0.5, .runs = 1}}};
  four.points[2] = four.points[1];
  four.points[3] = {{50, {.mean = 0.2, .runs = 1}}, {100, {.mean = 0.3, .runs = 1}}};
  curves.curves = {one, four};
  curves.notes = {"copy-h8 is left out: --rate is 0.01, there 0.003."};
  return std::make_shared<const TrainingCurves>(std::move(curves));
}

}  // namespace headscope::test

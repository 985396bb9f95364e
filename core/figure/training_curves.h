// Training runs of one task with several numbers of heads, as curves against the step: of each number
// of heads the mean over its runs, which differ in their seed, with the standard error of that mean.
//
// Units    loss in nats a token, divergence in nats, scores from 0 to 1.
// Threads  plain values.
// Source   docs/reference.md, "Curves of trainings".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/mean_of_runs.h"
#include "core/figure/chart.h"
#include "core/figure/color_scale.h"
#include "core/figure/token_lines.h"
#include "core/io/table.h"

namespace headscope {

enum class TrainCurveOf { kLoss, kInduction, kPreviousToken, kDivergence };
inline constexpr std::size_t kCurveQuantities = 4;

struct TrainCurveWords {
  TrainCurveOf of = TrainCurveOf::kLoss;
  std::string_view name;   // "previous token"
  std::string_view key;    // for programs: "previous_token"
  std::string_view about;  // of which heads, in what unit
};
[[nodiscard]] const std::array<TrainCurveWords, kCurveQuantities>& AllTrainCurveWords();

struct CurvePoint {
  std::int64_t step = 0;
  MeanOfRuns value;
};

// The runs with one number of heads.
struct HeadsCurve {
  std::int64_t heads = 0;
  std::vector<std::uint64_t> seeds;
  std::array<std::vector<CurvePoint>, kCurveQuantities> points = {};

  [[nodiscard]] const std::vector<CurvePoint>& Of(TrainCurveOf of) const {
    return points[static_cast<std::size_t>(of)];
  }
};

struct TrainingCurves {
  std::string task;                     // what all runs have in common: "copy, 2 layers, rate .003"
  std::vector<HeadsCurve> curves;       // by number of heads, ascending
  std::vector<std::string> notes = {};  // runs that were left out, and why
};

// Each number of heads has its colour, the same in any set of curves.
[[nodiscard]] Rgb ColorOfCount(std::int64_t heads, Theme theme);

// "h 4 (3 seeds)", in its colour.
[[nodiscard]] std::vector<NamedInk> LegendOfCurves(const TrainingCurves& curves, Theme theme);
[[nodiscard]] Chart CurvesChart(const TrainingCurves& curves,
                                const TrainCurveWords& words,
                                Theme theme);
// heads, step, quantity, mean, error, runs.
[[nodiscard]] Table CurvesTable(const TrainingCurves& curves);
// "h 1: 3 seeds (1, 2, 3); h 4: 1 seed (1)", and what a bar is.
[[nodiscard]] std::string CurvesSeeds(const TrainingCurves& curves);

}  // namespace headscope

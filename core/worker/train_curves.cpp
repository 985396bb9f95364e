#include "core/worker/train_curves.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/stop.h"
#include "core/base/thread_role.h"
#include "core/model/model_series.h"
#include "core/train/measured_run.h"

namespace headscope {
namespace {

// What runs of one set have in common: all knobs but the number of heads, the seed and the steps.
TrainSettings CommonOf(TrainSettings settings) {
  TrainShape& shape = settings.shape;
  if (shape.width() == shape.model_dim) {
    shape.head_dim = 0;  // as wide as the number of heads lets it be
  }
  shape.heads = 0;
  settings.seed = 0;
  settings.steps = 0;
  return settings;
}

// Of runs that were measured anew nobody knows the rate, nor how their first weights were drawn.
std::string TaskWords(const TrainSettings& settings, bool knows_rate) {
  const TrainShape& shape = settings.shape;
  std::string words = fmt::format("{}, {}, d {}",
                                  settings.task == TrainTask::kCopy ? "copy" : "mixture",
                                  Counted(shape.layers, "layer"),
                                  shape.model_dim);
  words += knows_rate ? fmt::format(", rate {:g}", settings.rate) : "";
  if (shape.width() != shape.model_dim) {
    words += fmt::format(", d_k {}", shape.head_dim);
  }
  const std::pair<bool, const char*> marks[] = {{settings.start.alike, ", heads alike at first"},
                                                {settings.start.ones, ", all ones at first"},
                                                {shape.own_segments, ", own segments"},
                                                {shape.inner > 0, ", MLP"},
                                                {shape.tied, ", tied"},
                                                {shape.fixed_positions, ", sinusoids"},
                                                {settings.disagreement > 0.0, ", pushed apart"}};
  for (const auto& [is_set, text] : marks) {
    words += is_set ? text : "";
  }
  return words;
}

std::optional<double> BestHead(const HeadTable& table) {
  std::optional<double> best;
  for (const std::vector<double>& layer : table) {
    for (const double score : layer) {
      best = std::max(best.value_or(score), score);
    }
  }
  return best;
}

std::optional<double> MeanDivergence(const TrainMeasures& measures) {
  double sum = 0.0;
  double count = 0.0;
  for (const std::optional<double>& layer : measures.divergence) {
    sum += layer.value_or(0.0);
    count += layer ? 1.0 : 0.0;
  }
  return count > 0.0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> ValueOf(const TrainLine& line, TrainCurveOf of) {
  switch (of) {
    case TrainCurveOf::kLoss:
      return line.loss;
    case TrainCurveOf::kInduction:
      return BestHead(line.measures.induction);
    case TrainCurveOf::kPreviousToken:
      return BestHead(line.measures.previous_token);
    case TrainCurveOf::kDivergence:
      break;
  }
  return MeanDivergence(line.measures);
}

// A step counts where every run that came so far was measured.
std::vector<CurvePoint> PointsOf(const std::vector<const NamedTrain*>& runs, TrainCurveOf of) {
  struct AtStep {
    std::int64_t step = 0;
    double value = 0.0;
  };
  std::vector<AtStep> all;  // steps ascend, and of one step the runs
  std::vector<std::int64_t> ends;
  for (const NamedTrain* const run : runs) {
    for (const TrainLine& line : run->record.lines) {
      if (const auto value = ValueOf(line, of)) {
        all.push_back({line.step, *value});
      }
    }
    if (!run->record.lines.empty()) {
      ends.push_back(run->record.lines.back().step);
    }
  }
  std::ranges::stable_sort(all, {}, &AtStep::step);
  std::ranges::sort(ends);
  std::vector<CurvePoint> points;
  std::vector<double> values;
  for (std::size_t i = 0; i < all.size(); ++i) {
    values.push_back(all[i].value);
    const std::int64_t step = all[i].step;
    if (i + 1 < all.size() && all[i + 1].step == step) {
      continue;
    }
    const auto reached = ends.end() - std::ranges::lower_bound(ends, step);
    if (std::ssize(values) == reached) {
      points.push_back({.step = step, .value = *MeanOfValues(values)});
    }
    values.clear();
  }
  return points;
}

void AddMeasuredNote(const std::map<std::int64_t, std::vector<const NamedTrain*>>& by_heads,
                     std::vector<std::string>* notes) {
  std::vector<std::string> measured;
  for (const auto& [heads, runs] : by_heads) {
    for (const NamedTrain* const run : runs) {
      if (run->is_measured) {
        measured.push_back(run->name);
      }
    }
  }
  if (!measured.empty()) {
    notes->push_back(
        fmt::format("{}: measured anew at kept steps, the loss on {} rows of the task; no record "
                    "tells their rate.",
                    fmt::join(measured, ", "),
                    kMeasuredRows));
  }
}

// The settings that most runs have in common.
TrainSettings MostCommon(std::span<const NamedTrain* const> runs) {
  std::map<std::string, std::size_t> counts;
  const NamedTrain* best = runs.front();
  std::size_t most = 0;
  for (const NamedTrain* const run : runs) {
    const std::size_t count = ++counts[TrainSettingsText(CommonOf(run->record.settings))];
    if (count > most) {
      most = count;
      best = run;
    }
  }
  return best->record.settings;
}

}  // namespace

Result<std::vector<NamedTrain>> ReadTrainRuns(const std::filesystem::path& folder,
                                              const std::stop_token& stop) {
  CheckNotDrawing("reading training runs");
  std::vector<std::filesystem::path> places = {folder};
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    places.push_back(entry->path());
  }
  std::ranges::sort(places);
  std::vector<NamedTrain> runs;
  for (const std::filesystem::path& place : places) {
    const std::string name = place.filename().string();
    if (HasTrainRecord(place)) {
      HEADSCOPE_TRY(auto record, ReadTrainRecord(place));
      runs.push_back({.name = name, .record = std::move(record)});
    } else if (!CheckpointSteps(place).empty()) {
      Result<TrainRecord> record = MeasureTrainRun(place, stop);
      HEADSCOPE_TRY(CheckStop(stop));
      if (record) {  // else it is another kind of model
        runs.push_back({.name = name, .record = std::move(*record), .is_measured = true});
      }
    }
  }
  if (runs.empty()) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: holds no training run, expected folders with {} as headscope train "
                    "and Train's Save write them; train some",
                    folder.string(),
                    kTrainRecordFile));
  }
  return runs;
}

TrainingCurves CurvesOfRuns(std::span<const NamedTrain> runs) {
  std::vector<const NamedTrain*> each;
  for (const NamedTrain& run : runs) {
    each.push_back(&run);
  }
  return CurvesOfRuns(each);
}

TrainingCurves CurvesOfRuns(std::span<const NamedTrain* const> runs) {
  TrainingCurves curves;
  if (runs.empty()) {
    return curves;
  }
  const TrainSettings common = MostCommon(runs);
  std::map<std::int64_t, std::vector<const NamedTrain*>> by_heads;
  std::set<std::pair<std::int64_t, std::uint64_t>> seen;
  bool knows_rate = false;
  for (const NamedTrain* const run : runs) {
    const TrainSettings& settings = run->record.settings;
    const std::string differs = SettingsDiffer(CommonOf(settings), CommonOf(common));
    if (!differs.empty()) {
      curves.notes.push_back(fmt::format("{} is left out: {}.", run->name, differs));
    } else if (!seen.emplace(settings.shape.heads, settings.seed).second) {
      curves.notes.push_back(fmt::format("{} is left out: seed {} with {} is there already.",
                                         run->name,
                                         settings.seed,
                                         Counted(settings.shape.heads, "head")));
    } else {
      by_heads[settings.shape.heads].push_back(run);
      knows_rate = knows_rate || !run->is_measured;
    }
  }
  curves.task = TaskWords(common, knows_rate);
  for (const auto& [heads, of] : by_heads) {
    HeadsCurve curve{.heads = heads, .seeds = {}};
    for (const NamedTrain* const run : of) {
      curve.seeds.push_back(run->record.settings.seed);
    }
    std::ranges::sort(curve.seeds);
    for (const TrainCurveWords& words : AllTrainCurveWords()) {
      curve.points[static_cast<std::size_t>(words.of)] = PointsOf(of, words.of);
    }
    curves.curves.push_back(std::move(curve));
  }
  AddMeasuredNote(by_heads, &curves.notes);
  return curves;
}

}  // namespace headscope

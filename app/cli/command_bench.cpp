#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/base/counted.h"
#include "core/io/json_text.h"
#include "core/train/settings.h"
#include "core/train/step_times.h"
#include "core/worker/bench.h"
#include "core/worker/train_stop_times.h"

namespace headscope {
namespace {

std::string BenchTable(const std::string& heading, const std::vector<BenchCase>& cases) {
  std::string text =
      heading + "\n" +
      fmt::format("{:>8} {:>12} {:>12} {:>12} {:>7} {:>12} {:>11} {:>12} {:>12} {:>13} {:>13}\n",
                  "tokens",
                  "first ms",
                  "median ms",
                  "oneDNN ms",
                  "share",
                  "one more ms",
                  "weights ms",
                  "head off ms",
                  "of forwards",
                  "resident MB",
                  "all maps MB");
  for (const BenchCase& bench : cases) {
    const auto number = [](double value) { return fmt::format("{:.2f}", value); };
    text += fmt::format(
        "{:>8} {:>12.2f} {:>12.2f} {:>12.2f} {:>7.2f} {:>12} {:>11} {:>12} {:>12} {:>13.1f} {:>13.1f}\n",
        bench.tokens,
        bench.first_ms,
        bench.median_ms,
        bench.onednn_ms,
        bench.share,
        bench.appended ? number(bench.appended->milliseconds) : "-",
        bench.appended ? number(bench.appended->weights_ms) : "-",
        bench.head_off ? number(bench.head_off->first_ms) : "-",
        bench.head_off ? number(bench.head_off->forwards) : "-",
        static_cast<double>(bench.resident_bytes) / 1e6,
        static_cast<double>(bench.map_bytes) / 1e6);
  }
  return text;
}

// Trainings that are timed: what the window's cards begin with.
struct TrainBenchCase {
  TrainTask task = TrainTask::kCopy;
  std::int64_t heads = 1;
};
constexpr std::array<TrainBenchCase, 4> kTrainBenchCases = {{{TrainTask::kCopy, 1},
                                                             {TrainTask::kCopy, 4},
                                                             {TrainTask::kCopy, 16},
                                                             {TrainTask::kMixture, 4}}};

TrainSettings SettingsToTime(const TrainBenchCase& bench) {
  TrainSettings settings;
  settings.task = bench.task;
  settings.shape.heads = bench.heads;
  settings.shape.head_dim = settings.shape.model_dim / bench.heads;
  settings.periods = UsualPeriods(bench.task, settings.shape);
  return settings;
}

const char* TaskName(TrainTask task) {
  return task == TrainTask::kCopy ? "copy" : "mixture";
}

// Runs side by side whose stops are timed.
struct TimedStops {
  TrainTask task = TrainTask::kCopy;
  std::vector<std::int64_t> heads;
  TrainStopTimes times = {};
};
Result<std::vector<TimedStops>> TimeStops(std::int64_t stops) {
  const std::vector<std::vector<std::int64_t>> kCounts = {{1}, {4}, {16}, {1, 4, 8, 16}};
  std::vector<TimedStops> timed;
  for (const TrainTask task : {TrainTask::kCopy, TrainTask::kMixture}) {
    for (const std::vector<std::int64_t>& heads : kCounts) {
      std::vector<TrainSettings> runs;
      for (const std::int64_t count : heads) {
        runs.push_back(SettingsToTime({task, count}));
      }
      HEADSCOPE_TRY(const auto times, TimeTrainStops(runs, stops));
      timed.push_back({task, heads, times});
    }
  }
  return timed;
}

std::string StopsTable(const std::vector<TimedStops>& timed, std::int64_t stops) {
  std::string text = fmt::format(
      "\nstopping, a thread a run; of {}, ms until no step is computed, and until all are measured\n",
      Counted(stops, "stop"));
  text += fmt::format("{:>8} {:>10} {:>10} {:>8} {:>12} {:>8}\n",
                      "task",
                      "heads",
                      "stopped",
                      "most",
                      "measured",
                      "most");
  for (const TimedStops& one : timed) {
    text += fmt::format("{:>8} {:>10} {:>10.2f} {:>8.2f} {:>12.2f} {:>8.2f}\n",
                        TaskName(one.task),
                        fmt::format("{}", fmt::join(one.heads, ",")),
                        one.times.stopped.median,
                        one.times.most_stopped,
                        one.times.resting.median,
                        one.times.most_resting);
  }
  return text;
}

nlohmann::ordered_json StopsJson(const std::vector<TimedStops>& timed) {
  auto json = nlohmann::ordered_json::array();
  for (const TimedStops& one : timed) {
    json.push_back({{"task", TaskName(one.task)},
                    {"heads", one.heads},
                    {"stopped_ms", one.times.stopped.median},
                    {"most_stopped_ms", one.times.most_stopped},
                    {"measured_ms", one.times.resting.median},
                    {"most_measured_ms", one.times.most_resting}});
  }
  return json;
}

struct TimedTraining {
  TrainSettings settings;
  TrainStepTimes times;
};

std::string TrainBenchTable(const std::vector<TimedTraining>& timed, std::int64_t steps) {
  const TrainSettings usual;
  std::string text = fmt::format(
      "training, 1 thread: d {}, {} layers, {} rows of {} tokens; of {} steps the median and the "
      "middle half, and the share of their parts\n",
      usual.shape.model_dim,
      usual.shape.layers,
      usual.batch,
      usual.shape.context,
      steps);
  text += fmt::format("{:>8} {:>6} {:>10} {:>17} {:>8} {:>9} {:>7} {:>7}\n",
                      "task",
                      "heads",
                      "ms a step",
                      "middle half",
                      "forward",
                      "backward",
                      "Adam",
                      "batch");
  for (const TimedTraining& one : timed) {
    const TrainStepTimes& times = one.times;
    const double whole = times.batch + times.forward + times.backward + times.adam;
    const auto share = [&](double part) { return fmt::format("{:.1f} %", 100.0 * part / whole); };
    text += fmt::format("{:>8} {:>6} {:>10.2f} {:>17} {:>8} {:>9} {:>7} {:>7}\n",
                        TaskName(one.settings.task),
                        one.settings.shape.heads,
                        times.step.median,
                        fmt::format("{:.2f} to {:.2f}", times.step.low, times.step.high),
                        share(times.forward),
                        share(times.backward),
                        share(times.adam),
                        share(times.batch));
  }
  return text;
}

std::string TrainBenchJson(const std::vector<TimedTraining>& timed,
                           std::int64_t steps,
                           const std::vector<TimedStops>& stops) {
  nlohmann::ordered_json json;
  json["threads"] = 1;
  json["steps"] = steps;
  json["trainings"] = nlohmann::ordered_json::array();
  for (const TimedTraining& one : timed) {
    const TrainShape& shape = one.settings.shape;
    const TrainStepTimes& times = one.times;
    json["trainings"].push_back({{"task", TaskName(one.settings.task)},
                                 {"heads", shape.heads},
                                 {"layers", shape.layers},
                                 {"model_dim", shape.model_dim},
                                 {"vocabulary", shape.vocabulary},
                                 {"context", shape.context},
                                 {"batch", one.settings.batch},
                                 {"median_ms", times.step.median},
                                 {"low_ms", times.step.low},
                                 {"high_ms", times.step.high},
                                 {"batch_ms", times.batch},
                                 {"forward_ms", times.forward},
                                 {"backward_ms", times.backward},
                                 {"adam_ms", times.adam}});
  }
  json["stops"] = StopsJson(stops);
  return JsonText(json, 1) + "\n";
}

CommandStatus RunTrainBench(const Options& options) {
  constexpr std::int64_t kMostSteps = 1'000'000;
  if (options.bench_steps < 1 || options.bench_steps > kMostSteps) {
    return Usage(fmt::format("--steps {}: expected 1 to {}", options.bench_steps, kMostSteps));
  }
  std::vector<TimedTraining> timed;
  for (const TrainBenchCase& bench : kTrainBenchCases) {
    const TrainSettings settings = SettingsToTime(bench);
    HEADSCOPE_TRY(const auto times, TimeTrainSteps(settings, options.bench_steps, {}));
    timed.push_back({settings, times});
  }
  // As many as keep pace with the steps.
  constexpr std::int64_t kStepsForStop = 20;
  constexpr std::int64_t kMostStops = 10;
  const std::int64_t stops =
      std::clamp<std::int64_t>(options.bench_steps / kStepsForStop, 1, kMostStops);
  HEADSCOPE_TRY(const auto stopped, TimeStops(stops));
  return Print(options.json
                   ? TrainBenchJson(timed, options.bench_steps, stopped)
                   : TrainBenchTable(timed, options.bench_steps) + StopsTable(stopped, stops));
}

}  // namespace

CommandStatus RunBench(const Options& options) {
  if (options.bench_train) {
    return RunTrainBench(options);
  }
  HEADSCOPE_TRY(auto lengths, ParseNumbers(options.tokens, "--tokens", 1, std::int64_t{1} << 24));
  HEADSCOPE_TRY(const auto model, OpenModel(options));
  const std::int64_t positions = model->description().positions;
  const bool by_default = options.tokens == Options{}.tokens;
  if (by_default) {
    std::erase_if(lengths, [&](std::int64_t length) { return length > positions; });
    if (lengths.empty()) {
      lengths.push_back(positions);
    }
  }
  HEADSCOPE_TRY(auto backend, MakeBackend(options));
  Forward forward(model, backend.get());
  std::vector<BenchCase> cases;
  const Precision precision = *ParsePrecision(options.precision);  // MakeBackend accepted it
  for (const std::int64_t length : lengths) {
    HEADSCOPE_TRY(const auto bench, BenchLength(&forward, length, precision));
    cases.push_back(bench);
  }
  const unsigned threads = std::thread::hardware_concurrency();
  if (!options.json) {
    return Print(BenchTable(fmt::format("{}, {}", model->name(), backend->Description()), cases));
  }
  nlohmann::ordered_json json;
  json["model"] = model->name();
  json["threads"] = threads;
  json["precision"] = options.precision;
  json["backend"] = backend->Description();
  json["cases"] = nlohmann::ordered_json::array();
  for (const BenchCase& bench : cases) {
    nlohmann::ordered_json entry;
    entry["tokens"] = bench.tokens;
    entry["first_ms"] = bench.first_ms;
    entry["median_ms"] = bench.median_ms;
    entry["onednn_ms"] = bench.onednn_ms;
    entry["share"] = bench.share;
    entry["resident_bytes"] = bench.resident_bytes;
    entry["map_bytes"] = bench.map_bytes;
    entry["appended_ms"] = nullptr;
    entry["weights_ms"] = nullptr;
    entry["weight_passes"] = nullptr;
    if (bench.appended) {
      entry["appended_ms"] = bench.appended->milliseconds;
      entry["weights_ms"] = bench.appended->weights_ms;
      entry["weight_passes"] = bench.appended->milliseconds / bench.appended->weights_ms;
    }
    entry["head_off_ms"] = nullptr;
    entry["head_off_again_ms"] = nullptr;
    entry["head_off_forwards"] = nullptr;
    if (bench.head_off) {
      entry["head_off_ms"] = bench.head_off->first_ms;
      entry["head_off_again_ms"] = bench.head_off->again_ms;
      entry["head_off_forwards"] = bench.head_off->forwards;
    }
    json["cases"].push_back(std::move(entry));
  }
  return Print(JsonText(json, 1) + "\n");
}

}  // namespace headscope

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/cli/commands.h"
#include "core/base/digest.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/base/utf8.h"
#include "core/train/folder.h"
#include "core/train/kept_runs.h"
#include "core/train/kept_state.h"
#include "core/train/measure.h"
#include "core/train/record.h"
#include "core/train/run.h"
#include "core/train/settings.h"
#include "core/train/tasks.h"

namespace headscope {
namespace {

constexpr std::int64_t kSaveEvery = 100;

CommandResult<TrainPeriods> ReadPeriods(const std::string& text) {
  const std::string_view words = text;
  const std::size_t dash = words.find('-');
  const auto least = ParseAs<std::int64_t>(words.substr(0, dash));
  const auto most = dash == words.npos ? least : ParseAs<std::int64_t>(words.substr(dash + 1));
  if (!least || !most) {
    return Usage(fmt::format("--periods: {} is not 8-50 or 32", Quoted(text)));
  }
  return TrainPeriods{*least, *most};
}

CommandResult<TrainShape> ReadTrainShape(const Options& options) {
  const TrainOptions& train = options.train;
  TrainShape shape{.layers = train.layers,
                   .heads = train.heads,
                   .model_dim = train.model_dim,
                   .vocabulary = train.vocabulary,
                   .context = train.context,
                   .inner = train.mlp,
                   .tied = train.tied,
                   .fixed_positions = train.sinusoids,
                   .own_segments = train.own_segments};
  if (options.head_dim) {
    shape.head_dim = *options.head_dim;
  } else if (shape.heads < 1 || shape.model_dim % shape.heads != 0) {
    return Usage(
        fmt::format("--heads {}: they do not share a --model-dim of {} evenly; give --head-dim",
                    shape.heads,
                    shape.model_dim));
  } else {
    shape.head_dim = shape.model_dim / shape.heads;
  }
  return shape;
}

CommandStatus CheckTrainOptions(const TrainOptions& train) {
  if (train.optimizer != "adam") {
    return Usage(fmt::format("--optimizer: {} is not adam", Quoted(train.optimizer)));
  }
  if (train.every < 1) {
    return Usage(fmt::format("--every {}: expected 1 or more", train.every));
  }
  if (train.from && (train.spread || train.alike || train.ones)) {
    return Usage("--from goes without --spread, --alike and --ones: the first weights are read");
  }
  if (train.data && train.periods) {
    return Usage("--data goes without --periods: nothing is drawn");
  }
  if (train.noise && !train.alike) {
    return Usage("--noise goes with --alike: heads that are drawn apart need none");
  }
  return {};
}

CommandResult<TrainSettings> ReadTrainSettings(const Options& options) {
  const TrainOptions& train = options.train;
  HEADSCOPE_TRY(CheckTrainOptions(train));
  const auto task = ParseTrainTask(train.task);
  if (!task) {
    return Usage(fmt::format("--task: {} is not copy or mixture", Quoted(train.task)));
  }
  TrainSettings settings;
  HEADSCOPE_TRY(settings.shape, ReadTrainShape(options));
  settings.task = *task;
  settings.periods = UsualPeriods(*task, settings.shape);
  if (train.periods) {
    HEADSCOPE_TRY(settings.periods, ReadPeriods(*train.periods));
  }
  settings.start = {.spread = train.spread.value_or(settings.start.spread),
                    .alike = train.alike,
                    .noise = train.noise.value_or(0.0),
                    .ones = train.ones};
  settings.batch = train.batch;
  settings.steps = train.steps;
  settings.rate = train.rate;
  settings.warm_up = train.warm_up;
  settings.disagreement = train.disagreement;
  settings.seed = options.seed.value_or(settings.seed);
  settings.draws = !train.data;
  if (const Status fits = CheckTrainSettings(settings); !fits) {
    return Usage(fits.error().message);
  }
  return settings;
}

// Where a run goes on.
struct TrainProgress {
  std::optional<TrainState> state = {};  // none: at its first weights
  std::vector<TrainLine> lines = {};
  bool is_there = false;  // the folder holds a run
};

void SayTrainNote(const std::string& note) {
  fmt::print(stderr, "headscope: note: {}\n", ValidUtf8(note));
}

// What --resume goes on from: the newest whole state of the folder.
CommandResult<TrainProgress> FindProgress(const Options& options, const TrainSettings& settings) {
  TrainProgress progress;
  const std::filesystem::path out = options.out;
  std::error_code error;
  if (!options.resume || !std::filesystem::exists(out, error) ||
      std::filesystem::is_empty(out, error)) {
    return progress;
  }
  FoundTrain found = FindTrainState(out);
  Result<TrainRecord> record = ReadTrainRecord(out);
  if (!found.kept && !record) {
    return Fail(
        ErrorCode::kInput,
        fmt::format("{}: --resume finds no training run in it ({}); give the --out of one, or "
                    "a new folder",
                    out.string(),
                    record.error().message));
  }
  const std::string differs =
      SettingsDiffer(settings, found.kept ? found.kept->settings : record->settings);
  if (!differs.empty()) {
    return Usage(fmt::format(
        "{}: {}; resume a run with its own options, or give another --out", out.string(), differs));
  }
  progress.is_there = true;
  const std::int64_t done = found.kept ? found.kept->state.step : 0;
  if (done > settings.steps) {
    return Usage(fmt::format(
        "--steps {}: {} has done {} already; give more", settings.steps, out.string(), done));
  }
  for (const std::string& fault : found.faults) {
    SayTrainNote(fmt::format("{}; the run goes on from {}",
                             fault,
                             found.kept ? fmt::format("step {}, the last whole one", done)
                                        : std::string("its first weights: no step is whole")));
  }
  if (found.kept) {
    progress.state = std::move(found.kept->state);
  }
  if (!record) {
    SayTrainNote(record.error().message + "; the numbers before are lost");
    return progress;
  }
  std::ranges::copy_if(
      record->lines, std::back_inserter(progress.lines), [&](const TrainLine& line) {
        return line.step <= done && line.step % options.train.every == 0;
      });
  return progress;
}

CommandStatus Train(const Options& options, TrainProgress progress, TrainRun* run) {
  const TrainSettings& settings = run->settings();
  const std::filesystem::path out = options.out;
  TrainMeter meter(settings);
  TrainRecord record{settings, std::move(progress.lines)};
  // A run that is killed goes on from the newest state; what else was written before is written again.
  const auto save = [&]() -> Status {
    HEADSCOPE_TRY(WriteTrainRecord(out, record));
    HEADSCOPE_TRY(WriteTrainState(out, settings, run->state()));
    return WriteTrainFolder(out, settings, run->state().weights);
  };
  const auto keep = [&]() -> Status {
    if (!IsKeptStep(run->state().step) || run->state().step >= settings.steps) {
      return {};
    }
    HEADSCOPE_TRY(WriteTrainRecord(out, record));  // what goes on from here has its lines
    return WriteKeptStep(out, settings, run->state());
  };
  if (!progress.is_there) {
    HEADSCOPE_TRY(PrepareTrainFolder(out));
  }
  HEADSCOPE_TRY(const HeldRun held, HeldRun::Take(out));  // a window may have it
  if (progress.state) {
    run->Restore(std::move(*progress.state));
  }
  HEADSCOPE_TRY(save());
  HEADSCOPE_TRY(keep());
  const auto begun = std::chrono::steady_clock::now();
  for (std::int64_t step = run->state().step + 1; step <= settings.steps; ++step) {
    HEADSCOPE_TRY(const double loss, run->Step({}));
    const bool is_last = step == settings.steps;
    if (step % options.train.every == 0 || is_last) {
      HEADSCOPE_TRY(auto measures, meter.Measure(run->state().weights, {}));
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - begun;
      record.lines.push_back({.step = step, .loss = loss, .measures = std::move(measures)});
      HEADSCOPE_TRY(Print(
          TrainLineText(record.lines.back(), std::round(spent.count() * 10.0) / 10.0) + "\n"));
    }
    HEADSCOPE_TRY(keep());
    if (step % kSaveEvery == 0 || is_last) {
      HEADSCOPE_TRY(save());
    }
  }
  return {};
}

// Tells rows of one file from those of another.
std::string DigestOfRows(const std::vector<std::vector<std::int32_t>>& rows) {
  Digest digest;
  for (const std::vector<std::int32_t>& row : rows) {
    digest.Add(static_cast<std::uint64_t>(row.size()));
    for (const std::int32_t id : row) {
      digest.Add(static_cast<std::uint64_t>(id));
    }
  }
  return digest.Text();
}

}  // namespace

CommandStatus RunTrain(const Options& options) {
  HEADSCOPE_TRY(auto settings, ReadTrainSettings(options));
  if (options.out.empty()) {
    return Usage("--out is missing: say which folder to write");
  }
  std::vector<std::vector<std::int32_t>> rows;
  if (options.train.data) {
    HEADSCOPE_TRY(rows, ReadTrainRows(*options.train.data, settings.shape));
    settings.rows = DigestOfRows(rows);
  }
  HEADSCOPE_TRY(auto progress, FindProgress(options, settings));
  std::vector<float> first;
  if (options.train.from && !progress.state) {
    HEADSCOPE_TRY(first, ReadFirstWeights(*options.train.from, MakeTrainLayout(settings.shape)));
  }
  HEADSCOPE_TRY(auto run, TrainRun::Make(settings, std::move(first), std::move(rows)));
  return Train(options, std::move(progress), &run);
}

}  // namespace headscope

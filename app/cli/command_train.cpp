#include <chrono>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "core/base/parse_number.h"
#include "core/base/quote.h"
#include "core/io/json_text.h"
#include "core/train/folder.h"
#include "core/train/measure.h"
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

nlohmann::ordered_json TableOrNull(const HeadTable& table) {
  return table.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(table);
}

// One line of standard output.
std::string LineOf(std::int64_t step,
                   double loss,
                   const TrainMeasures& measures,
                   std::chrono::duration<double, std::milli> spent) {
  nlohmann::ordered_json line = {{"step", step},
                                 {"loss", loss},
                                 {"previous_token", TableOrNull(measures.previous_token)},
                                 {"induction", TableOrNull(measures.induction)},
                                 {"duplicate_token", TableOrNull(measures.duplicate_token)}};
  line["divergence"] = nlohmann::ordered_json::array();
  for (const std::optional<double>& one : measures.divergence) {
    line["divergence"].push_back(OrNull(one));
  }
  if (measures.accuracy) {
    for (std::size_t kind = 0; kind < kTargetKindNames.size(); ++kind) {
      line["accuracy"][std::string(kTargetKindNames[kind])] = (*measures.accuracy)[kind];
    }
  }
  line["milliseconds"] = std::round(spent.count() * 10.0) / 10.0;
  return JsonText(line) + "\n";
}

CommandStatus Train(const Options& options, TrainRun* run) {
  const TrainSettings& settings = run->settings();
  const std::filesystem::path out = options.out;
  TrainMeter meter(settings);
  HEADSCOPE_TRY(PrepareTrainFolder(out));
  const auto save = [&] { return WriteTrainFolder(out, settings, run->state().weights); };
  HEADSCOPE_TRY(WriteTrainStep(out, settings, 0, run->state().weights));
  HEADSCOPE_TRY(save());
  const auto begun = std::chrono::steady_clock::now();
  for (std::int64_t step = 1; step <= settings.steps; ++step) {
    HEADSCOPE_TRY(const double loss, run->Step({}));
    const bool is_last = step == settings.steps;
    if (step % options.train.every == 0 || is_last) {
      HEADSCOPE_TRY(const auto measures, meter.Measure(run->state().weights, {}));
      const auto spent = std::chrono::steady_clock::now() - begun;
      HEADSCOPE_TRY(Print(LineOf(step, loss, measures, spent)));
    }
    if (IsKeptStep(step) && !is_last) {
      HEADSCOPE_TRY(WriteTrainStep(out, settings, step, run->state().weights));
    }
    if (step % kSaveEvery == 0 || is_last) {
      HEADSCOPE_TRY(save());
    }
  }
  return {};
}

}  // namespace

CommandStatus RunTrain(const Options& options) {
  HEADSCOPE_TRY(const auto settings, ReadTrainSettings(options));
  if (options.out.empty()) {
    return Usage("--out is missing: say which folder to write");
  }
  std::vector<float> first;
  if (options.train.from) {
    HEADSCOPE_TRY(first, ReadFirstWeights(*options.train.from, MakeTrainLayout(settings.shape)));
  }
  std::vector<std::vector<std::int32_t>> rows;
  if (options.train.data) {
    HEADSCOPE_TRY(rows, ReadTrainRows(*options.train.data, settings.shape));
  }
  HEADSCOPE_TRY(auto run, TrainRun::Make(settings, std::move(first), std::move(rows)));
  return Train(options, &run);
}

}  // namespace headscope

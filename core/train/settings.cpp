#include "core/train/settings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/train/tasks.h"

namespace headscope {
namespace {

Status Refuse(std::string sentence) {
  return Fail(ErrorCode::kInput, std::move(sentence));
}

struct TrainBound {
  const char* name;
  std::int64_t value;
  std::int64_t least;
  std::int64_t most;
};

Status CheckBounds(const TrainSettings& settings) {
  const TrainShape& shape = settings.shape;
  for (const TrainBound& bound : {TrainBound{"--layers", shape.layers, 1, 24},
                                  TrainBound{"--heads", shape.heads, 1, 256},
                                  TrainBound{"--head-dim", shape.head_dim, 1, 1024},
                                  TrainBound{"--model-dim", shape.model_dim, 2, 1024},
                                  TrainBound{"--vocabulary", shape.vocabulary, 5, 8192},
                                  TrainBound{"--context", shape.context, 2, 1024},
                                  TrainBound{"--mlp", shape.inner, 0, 8192},
                                  TrainBound{"--batch", settings.batch, 1, 4096},
                                  TrainBound{"--steps", settings.steps, 0, 100'000'000},
                                  TrainBound{"--warmup", settings.warm_up, 0, 100'000'000}}) {
    if (bound.value < bound.least || bound.value > bound.most) {
      return Refuse(fmt::format(
          "{} {}: expected {} to {}", bound.name, bound.value, bound.least, bound.most));
    }
  }
  constexpr std::int64_t kMostRows = 1 << 16;
  if (settings.batch * shape.context > kMostRows) {
    return Refuse(
        fmt::format("--batch {} of --context {}: that is {} tokens a step, expected at most {}",
                    settings.batch,
                    shape.context,
                    settings.batch * shape.context,
                    kMostRows));
  }
  constexpr std::int64_t kMostWidth = 4096;
  if (shape.width() > kMostWidth) {
    return Refuse(fmt::format("--heads {} of --head-dim {}: they are {} wide, expected at most {}",
                              shape.heads,
                              shape.head_dim,
                              shape.width(),
                              kMostWidth));
  }
  return {};
}

Status CheckNumbers(const TrainSettings& settings) {
  if (!(settings.rate > 0.0) || !std::isfinite(settings.rate)) {
    return Refuse(fmt::format("--rate {}: expected a number above 0", settings.rate));
  }
  if (!(settings.disagreement >= 0.0) || !std::isfinite(settings.disagreement)) {
    return Refuse(fmt::format("--disagreement {}: expected 0 or more", settings.disagreement));
  }
  const TrainStart& start = settings.start;
  if (!(start.spread > 0.0) || !std::isfinite(start.spread)) {
    return Refuse(fmt::format("--spread {}: expected a number above 0", start.spread));
  }
  if (!(start.noise >= 0.0) || !std::isfinite(start.noise)) {
    return Refuse(fmt::format("--noise {}: expected 0 or more", start.noise));
  }
  if (start.noise > 0.0 && !start.alike) {
    return Refuse("--noise goes with --alike: heads that are drawn apart need none");
  }
  const TrainShape& shape = settings.shape;
  if (shape.own_segments && start.alike) {
    return Refuse(
        "--alike goes without --own-segments: heads that read other columns have no weights alike");
  }
  if (shape.own_segments && shape.heads > shape.model_dim) {
    return Refuse(fmt::format("--own-segments: {} heads cannot share the {} columns of --model-dim",
                              shape.heads,
                              shape.model_dim));
  }
  if (start.ones && start.alike) {
    return Refuse("--alike goes without --ones: weights that are all one are alike already");
  }
  if (settings.shape.fixed_positions && settings.shape.model_dim % 2 != 0) {
    return Refuse(fmt::format(
        "--sinusoids: a --model-dim of {} has no pairs of sine and cosine; give an even one",
        settings.shape.model_dim));
  }
  return {};
}

}  // namespace

TrainPeriods UsualPeriods(TrainTask task, const TrainShape& shape) {
  const TrainPeriods usual = task == TrainTask::kCopy ? TrainPeriods{8, 50} : TrainPeriods{8, 19};
  const std::int64_t fits = std::min(shape.vocabulary - 1, shape.context * 5 / 8);
  const std::int64_t most = std::max<std::int64_t>(2, std::min(usual.most, fits));
  return {std::min(usual.least, most), most};
}

Status CheckTrainSettings(const TrainSettings& settings) {
  HEADSCOPE_TRY(CheckBounds(settings));
  HEADSCOPE_TRY(CheckNumbers(settings));
  return settings.draws ? CheckTask(settings) : Status();
}

double RateAt(const TrainSettings& settings, std::int64_t step) {
  if (step >= settings.warm_up) {
    return settings.rate;
  }
  return settings.rate * static_cast<double>(step) / static_cast<double>(settings.warm_up);
}

std::optional<TrainTask> ParseTrainTask(const std::string& text) {
  return text == "copy"      ? std::optional(TrainTask::kCopy)
         : text == "mixture" ? std::optional(TrainTask::kMixture)
                             : std::nullopt;
}

}  // namespace headscope

#include "core/train/run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/train/row_loops.h"
#include "core/train/tasks.h"

namespace headscope {
namespace {

constexpr std::size_t kRecentLosses = 25;
constexpr double kDivergedFactor = 2.0;

}  // namespace

Result<TrainRun> TrainRun::Make(const TrainSettings& settings,
                                std::vector<float> first,
                                std::vector<std::vector<std::int32_t>> rows) {
  HEADSCOPE_TRY(CheckTrainSettings(settings));
  TrainRun run(settings);
  run.rows_ = std::move(rows);
  run.state_.weights =
      first.empty() ? DrawWeights(run.layout(), settings.start, settings.seed) : std::move(first);
  const auto count = static_cast<std::size_t>(run.layout().count);
  HEADSCOPE_CHECK(run.state_.weights.size() == count, "weights have the layout's size");
  run.state_.first.resize(count);
  run.state_.second.resize(count);
  run.gradient_.resize(count);
  return run;
}

void TrainRun::Restore(TrainState state) {
  state_ = std::move(state);
}

TrainBatch TrainRun::NextBatch() const {
  if (rows_.empty()) {
    return MakeTrainBatch(settings_, state_.step);
  }
  TrainBatch batch;
  const auto begin = static_cast<std::size_t>(state_.step * settings_.batch);
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings_.batch); ++i) {
    AddTrainRow(rows_[(begin + i) % rows_.size()], &batch);
  }
  return batch;
}

Status TrainRun::CheckLoss(double loss, double norm) {
  const std::int64_t step = state_.step + 1;
  const auto diverged = [&](const std::string& what) {
    return Fail(ErrorCode::kNumeric,
                fmt::format("step {}: {}; --rate {} is too high for this model, try {}",
                            step,
                            what,
                            settings_.rate,
                            settings_.rate / 10.0));
  };
  if (!std::isfinite(loss) || !std::isfinite(norm)) {
    return diverged("the loss is no longer a number");
  }
  std::vector<double> recent = state_.recent_losses;  // the state stays as it was if the run ends
  const double first = state_.step == 0 ? loss : state_.first_loss;
  recent.push_back(loss);
  if (recent.size() > kRecentLosses) {
    recent.erase(recent.begin());
  }
  const double begun = std::max(first, std::log(static_cast<double>(settings_.shape.vocabulary)));
  const double mean =
      std::accumulate(recent.begin(), recent.end(), 0.0) / static_cast<double>(recent.size());
  if (recent.size() == kRecentLosses && mean > kDivergedFactor * begun) {
    return diverged(fmt::format("the loss is {:.2f} and began at {:.2f}", mean, begun));
  }
  state_.first_loss = first;
  state_.recent_losses = std::move(recent);
  return {};
}

Result<double> TrainRun::Step(const std::stop_token& stop) {
  const TrainBatch batch = NextBatch();
  HEADSCOPE_TRY(const double loss, network_.Forward(state_.weights, batch, stop));
  HEADSCOPE_TRY(network_.Backward(state_.weights, batch, gradient_, stop));
  const auto count = static_cast<std::int64_t>(gradient_.size());
  const double norm = std::sqrt(SumOfSquares(gradient_.data(), count));
  HEADSCOPE_TRY(CheckLoss(loss, norm));
  ++state_.step;
  AdamUpdate<float>(AdamStepOf(RateAt(settings_, state_.step), state_.step, norm),
                    gradient_.data(),
                    state_.first.data(),
                    state_.second.data(),
                    state_.weights.data(),
                    count);
  return loss;
}

}  // namespace headscope

// Compares the open model's weights with another's, layer by layer; what gave way goes on from there.
#include <utility>

#include <fmt/format.h>

#include "core/compare/weight_changes.h"
#include "core/worker/job.h"

namespace headscope {

Status WeightsJob::Run(Job* job) const {
  HEADSCOPE_TRY(
      job->opened->CheckModel(opening, "attention only, no weights that could be compared"));
  HEADSCOPE_TRY(const auto other,
                job->opened->OpenBeside(folder, &job->opened->other(), job->stop));
  const std::shared_ptr<const Model>& a = job->opened->model();
  const std::shared_ptr<const Model>& b = other->shared_model();
  std::unique_ptr<WeightComparison>& kept = job->opened->weights();
  if (kept == nullptr || &kept->a() != a.get() || &kept->b() != b.get()) {
    HEADSCOPE_TRY(kept, WeightComparison::Make(a, b));
  }
  const auto tell = [job](std::int64_t done, std::int64_t total) {
    job->publish(Progress{done,
                          total,
                          done + 1 < total
                              ? fmt::format("weights of layer {} of {}", done + 1, total - 1)
                              : "weights of the embeddings"});
    job->between_layers();
  };
  auto changes = kept->Run(tell, job->stop);
  if (!changes) {
    if (changes.error().code != ErrorCode::kCancelled) {
      kept = nullptr;
    }
    return PassOn(std::move(changes.error()));
  }
  kept = nullptr;
  job->publish(WeightsCompared{std::move(*changes)});
  return {};
}

}  // namespace headscope

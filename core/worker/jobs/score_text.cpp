// Scores all heads on the text that is open.
#include <utility>

#include "core/heads/scan/text_scores.h"
#include "core/worker/job.h"

namespace headscope {

Status TextScoresJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "weights only, no model to score"));
  HEADSCOPE_TRY(auto scores, ScoreText(job->opened->forward(), *text, target.get(), job->stop));
  job->publish(TextScored{std::make_shared<const ScoreReport>(std::move(scores))});
  return {};
}

}  // namespace headscope

// Finds the heads whose output a given head reads, by its weights, and those that read its output.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status PartnersJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->CheckModel(opening, "attention only, no weights that could be read"));
  HEADSCOPE_TRY(auto found, FindCompositionPartners(job->opened->forward(), head, job->stop));
  job->publish(PartnersFound{std::make_shared<const CompositionPartners>(std::move(found))});
  return {};
}

}  // namespace headscope

// Finds the heads whose output a given head reads, by its weights, and those that read its output.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status PartnersJob::Run(Job* job) const {
  HEADSCOPE_TRY(job->opened->Check(opening));
  if (job->opened->attention() != nullptr) {
    return Fail(ErrorCode::kUnsupported,
                "the file holds attention only, no weights that could be read; open the model");
  }
  HEADSCOPE_TRY(auto found, FindCompositionPartners(job->opened->forward(), head, job->stop));
  job->publish(PartnersFound{std::make_shared<const CompositionPartners>(std::move(found))});
  return {};
}

}  // namespace headscope

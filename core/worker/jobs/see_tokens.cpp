// Merges and hides tokens of a picture's maps.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status LookJob::Run(Job* job) const {
  HEADSCOPE_TRY(auto seen, SeePicture(subject, look, job->stop));
  job->publish(PictureSeen{std::make_shared<const SeenPicture>(std::move(seen))});
  return {};
}

}  // namespace headscope

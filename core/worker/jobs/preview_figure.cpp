// Makes a figure as it will be written, scaled down.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status PreviewJob::Run(Job* job) const {
  HEADSCOPE_TRY(auto preview, MakePreview(*kind, subject, most, job->stop));
  job->publish(PreviewMade{std::make_shared<const FigurePreview>(std::move(preview))});
  return {};
}

}  // namespace headscope

// Makes figures, draws and writes them.
#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/worker/job.h"

namespace headscope {

Status FigureJob::Run(Job* job) const {
  const std::int64_t total = std::ssize(files);
  for (std::int64_t done = 0; done < total; ++done) {
    HEADSCOPE_TRY(CheckStop(job->stop));
    if (total > 1) {
      job->publish(Progress{done, total, fmt::format("picture {} of {}", done + 1, total)});
    }
    const FigureFile& file = files[static_cast<std::size_t>(done)];
    HEADSCOPE_TRY(WriteFigure(file.path, *file.kind, file.subject, job->stop));
    job->publish(FigureWritten{file.path, done + 1});
  }
  return {};
}

}  // namespace headscope

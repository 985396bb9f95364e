// Makes a figure, draws and writes it, or one for each of several heads.
#include <fmt/format.h>

#include "core/base/stop.h"
#include "core/worker/job.h"

namespace headscope {

Status FigureJob::Run(Job* job) const {
  if (each.empty()) {
    HEADSCOPE_TRY(WriteFigure(path, *kind, subject, job->stop));
    job->publish(FigureWritten{path});
    return {};
  }
  FigureSubject one = subject;
  one.heads.clear();
  const std::int64_t total = std::ssize(each);
  for (std::int64_t done = 0; done < total; ++done) {
    HEADSCOPE_TRY(CheckStop(job->stop));
    const HeadFile& file = each[static_cast<std::size_t>(done)];
    job->publish(Progress{done, total, fmt::format("picture {} of {}", done + 1, total)});
    one.head = file.head;
    HEADSCOPE_TRY(WriteFigure(file.path, *kind, one, job->stop));
    job->publish(FigureWritten{file.path, done + 1});
  }
  return {};
}

}  // namespace headscope

// Makes a figure, draws and writes it.
#include "core/worker/job.h"

namespace headscope {

Status FigureJob::Run(Job* job) const {
  HEADSCOPE_TRY(WriteFigure(path, *kind, subject, job->stop));
  job->publish(FigureWritten{path});
  return {};
}

}  // namespace headscope

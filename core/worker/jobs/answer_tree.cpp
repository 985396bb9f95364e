// Asks a head about each edge of the text's tree.
#include <utility>

#include "core/worker/job.h"

namespace headscope {

Status AnswerTreeJob::Run(Job* job) const {
  job->publish(
      TreeAnswered{std::make_shared<const TreeAnswers>(AnswerTree(*tree, map, direction))});
  return {};
}

}  // namespace headscope

// Places heads by how alike their maps are.
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/worker/job.h"

namespace headscope {

Status PlaceHeadsJob::Run(Job* job) const {
  const auto on_row = [job](std::int64_t done, std::int64_t rows) {
    job->publish(Progress{done, rows, fmt::format("row {} of {}", done + 1, rows)});
  };
  HEADSCOPE_TRY(auto placed, PlaceHeads(layers, part, on_row, job->stop));
  job->publish(HeadsPlaced{std::make_shared<const HeadPlaces>(std::move(placed))});
  return {};
}

}  // namespace headscope

#include "core/heads/weight_means.h"

#include "core/heads/eigenvalue_copying.h"
#include "core/model/output_layer.h"

namespace headscope {
namespace {

void AddNumbers(const std::vector<double>& numbers, HeadMeans* means) {
  means->resize(numbers.size());
  for (std::size_t head = 0; head < numbers.size(); ++head) {
    (*means)[head].AddText(numbers[head], 0.0, 0.0, 1.0);
  }
}

}  // namespace

Status AddWeightMeans(Forward* forward, const std::stop_token& stop, MeanTotals* means) {
  if (OutputLayerOf(forward->model())) {
    const Result<std::vector<double>> copying = EigenvalueCopying(forward, stop);
    HEADSCOPE_TRY(copying);
    AddNumbers(*copying, &(*means)["copying"]);
  }
  return {};
}

}  // namespace headscope

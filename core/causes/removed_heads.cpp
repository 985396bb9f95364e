#include "core/causes/removed_heads.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/compute/rows.h"

namespace headscope {
namespace {

std::size_t HeadWidth(const Forward& forward, ModelPart part) {
  return static_cast<std::size_t>(StackOf(forward.model().description(), part).value_dim);
}

}  // namespace

HeadMeanCollector::HeadMeanCollector(const Forward& forward, std::span<const HeadIndex> heads)
    : forward_(forward) {
  for (const HeadIndex head : heads) {
    sums_[head].values.resize(HeadWidth(forward, head.part));
  }
}

Status HeadMeanCollector::ChangeContext(LayerId layer, Activations* context) {
  std::vector<float> all;
  for (auto& [head, sum] : sums_) {
    if (LayerId{head.part, head.layer} != layer) {
      continue;
    }
    if (all.empty()) {
      all = ReadRows(forward_.backend(), *context);
    }
    const std::size_t width = sum.values.size();
    const auto cols = static_cast<std::size_t>(context->cols());
    for (std::size_t first = static_cast<std::size_t>(head.head) * width; first < all.size();
         first += cols) {
      for (std::size_t i = 0; i < width; ++i) {
        sum.values[i] += static_cast<double>(all[first + i]);
      }
    }
    sum.rows += static_cast<double>(context->rows());
  }
  return {};
}

std::vector<float> HeadMeanCollector::MeanOf(HeadIndex head) const {
  const Sum& sum = sums_.at(head);
  HEADSCOPE_CHECK(sum.rows > 0.0, "a mean is of runs that were");
  std::vector<float> mean;
  for (const double value : sum.values) {
    mean.push_back(static_cast<float>(value / sum.rows));
  }
  return mean;
}

void RemovedHeads::Remove(HeadIndex head, std::vector<float> replacement) {
  replacement.resize(HeadWidth(forward_, head.part));
  heads_[head] = std::move(replacement);
}

Status RemovedHeads::ChangeContext(LayerId layer, Activations* context) {
  std::vector<float> all;
  for (const auto& [head, replacement] : heads_) {
    if (LayerId{head.part, head.layer} != layer) {
      continue;
    }
    if (all.empty()) {
      all = ReadRows(forward_.backend(), *context);
    }
    const std::size_t width = replacement.size();
    const auto cols = static_cast<std::size_t>(context->cols());
    for (std::size_t first = static_cast<std::size_t>(head.head) * width; first < all.size();
         first += cols) {
      std::ranges::copy(replacement, all.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }
  if (!all.empty()) {
    forward_.backend().Load(all, context);
  }
  return {};
}

}  // namespace headscope

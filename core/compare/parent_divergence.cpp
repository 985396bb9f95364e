#include "core/compare/parent_divergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/attention/row_divergence.h"
#include "core/base/check.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

constexpr std::int64_t kParentDivergenceCellsAtOnce = std::int64_t{1} << 18;

struct ParentDivergenceSum {
  double divergence = 0.0;
  ParentDistance most;
};

// Compares rows of the child with those of the parent, from `begin` on.
void AddRows(const LayerAttention& children,
             std::int64_t child,
             std::int64_t begin,
             std::span<const float> parent_rows,
             ParentDivergenceSum* sum) {
  const std::int64_t keys = children.shape().keys;
  const std::int64_t rows = std::ssize(parent_rows) / keys;
  std::vector<float> own(parent_rows.size());
  children.Rows(child, begin, begin + rows, own);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!children.rule().SeesSeveral(begin + row, keys)) {
      continue;
    }
    const float* const mine = own.data() + row * keys;
    const float* const other = parent_rows.data() + row * keys;
    sum->divergence += RowDivergence(mine, other, keys);
    for (std::int64_t key = 0; key < keys; ++key) {
      const auto weight = static_cast<double>(mine[key]);
      const auto beside = static_cast<double>(other[key]);
      if (std::abs(weight - beside) > std::abs(sum->most.own - sum->most.other)) {
        sum->most = {
            .divergence = {}, .own = weight, .other = beside, .query = begin + row, .key = key};
      }
    }
  }
}

}  // namespace

Result<std::vector<ParentDistance>> DivergenceFromParents(const LayerAttention& parents,
                                                          const LayerAttention& children,
                                                          std::span<const std::int64_t> parent_of,
                                                          const std::stop_token& stop) {
  const AttentionShape& shape = children.shape();
  HEADSCOPE_CHECK(parents.shape().queries == shape.queries && parents.shape().keys == shape.keys,
                  "parents and children are of the same text");
  HEADSCOPE_CHECK(std::ssize(parent_of) == shape.heads, "each child has a parent or none");
  std::int64_t counted = 0;
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    counted += children.rule().SeesSeveral(query, shape.keys) ? 1 : 0;
  }
  std::vector<ParentDivergenceSum> sums(static_cast<std::size_t>(shape.heads));
  const std::int64_t at_once =
      std::clamp<std::int64_t>(kParentDivergenceCellsAtOnce / std::max<std::int64_t>(1, shape.keys),
                               1,
                               std::max<std::int64_t>(1, shape.queries));
  std::vector<float> rows;
  for (std::int64_t parent = 0; parent < parents.shape().heads; ++parent) {
    std::vector<std::int64_t> own;
    for (std::int64_t child = 0; child < shape.heads; ++child) {
      if (parent_of[static_cast<std::size_t>(child)] == parent) {
        own.push_back(child);
      }
    }
    for (std::int64_t begin = 0; begin < shape.queries && !own.empty(); begin += at_once) {
      const std::int64_t end = std::min(shape.queries, begin + at_once);
      rows.resize(static_cast<std::size_t>((end - begin) * shape.keys));
      parents.RowsOnAllThreads(parent, begin, end, rows);
#pragma omp parallel for schedule(dynamic) default(none) \
    shared(own, children, begin, rows, sums, stop)
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (!stop.stop_requested()) {
          AddRows(children, own[i], begin, rows, &sums[static_cast<std::size_t>(own[i])]);
        }
      }
      HEADSCOPE_TRY(CheckStop(stop));
    }
  }
  std::vector<ParentDistance> distances;
  for (std::size_t child = 0; child < sums.size(); ++child) {
    distances.push_back(sums[child].most);
    if (parent_of[child] != kNoParent && counted > 0) {
      distances.back().divergence = sums[child].divergence / static_cast<double>(counted);
    }
  }
  return distances;
}

}  // namespace headscope

// Which columns belong to which head, and which head counts are worth a look.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/headcount/split.h"

namespace headscope {

std::vector<std::vector<std::int32_t>> ContiguousColumns(std::int64_t width, std::int64_t heads) {
  HEADSCOPE_CHECK(heads > 0 && heads <= width, "a head has at least one column");
  std::vector<std::vector<std::int32_t>> columns;
  std::int32_t next = 0;
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t own = width / heads + (head < width % heads ? 1 : 0);
    std::vector<std::int32_t> set;
    for (std::int64_t i = 0; i < own; ++i) {
      set.push_back(next++);
    }
    columns.push_back(std::move(set));
  }
  return columns;
}

std::vector<std::int64_t> DefaultHeadCounts(std::int64_t trained,
                                            std::int64_t width,
                                            std::int64_t most) {
  std::vector<std::int64_t> counts;
  for (std::int64_t count = 1; count <= std::min(most, width); count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(trained);
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::vector<std::shared_ptr<const LayerAttention>> SplitResult::Cuts() const {
  std::vector<std::shared_ptr<const LayerAttention>> cuts;
  for (const SplitCount& count : counts) {
    cuts.push_back(count.attention);
  }
  return cuts;
}

std::string WidthText(const SplitCount& count) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  for (std::int64_t head = 0; head < count.heads; ++head) {
    const std::size_t own = count.attention->columns(head).size();
    least = std::min(least, own);
    most = std::max(most, own);
  }
  return least == most ? fmt::format("{}", most) : fmt::format("{}\u2013{}", least, most);
}

}  // namespace headscope

// Chooses which columns belong to which head, and which head counts are worth a look.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/random.h"
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

namespace {

// Every head and every count draws from a stream of its own.
std::uint64_t SeedOf(const SplitRequest& request, std::int64_t heads) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
  return request.seed + kGolden * static_cast<std::uint64_t>(heads);
}

// Returns `own` of the columns, ascending: the first ones of a shuffle.
std::vector<std::int32_t> DrawColumns(std::int64_t width, std::int64_t own, RandomStream* random) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(width));
  std::iota(all.begin(), all.end(), 0);
  for (std::int64_t i = 0; i < own; ++i) {
    const auto rest = static_cast<std::uint64_t>(width - i);
    std::swap(all[static_cast<std::size_t>(i)],
              all[static_cast<std::size_t>(i + static_cast<std::int64_t>(random->Below(rest)))]);
  }
  all.resize(static_cast<std::size_t>(own));
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::int32_t> Columns(std::int64_t first, std::int64_t step, std::int64_t count) {
  std::vector<std::int32_t> columns;
  for (std::int64_t i = 0; i < count; ++i) {
    columns.push_back(static_cast<std::int32_t>(first + i * step));
  }
  return columns;
}

}  // namespace

std::int64_t HeadDimOf(const SplitRequest& request, std::int64_t width, std::int64_t heads) {
  if (request.head_dim) {
    return *request.head_dim;
  }
  // The first columns of neighbouring heads are K/2 apart: (D - K)/(h - 1) = K/2.
  const bool shares_half = request.shares_half && request.segments == SegmentKind::kOverlapping;
  return shares_half ? (4 * width + heads + 1) / (2 * (heads + 1)) : width / heads;
}

std::vector<std::vector<std::int32_t>> SegmentColumns(const SplitRequest& request,
                                                      std::int64_t width,
                                                      std::int64_t heads) {
  if (request.segments == SegmentKind::kContiguous) {
    return ContiguousColumns(width, heads);
  }
  HEADSCOPE_CHECK(heads > 0 && heads <= width, "a head has at least one column");
  const std::int64_t own = HeadDimOf(request, width, heads);
  HEADSCOPE_CHECK(own > 0 && own <= width, "a head has at most all columns");
  RandomStream random(SeedOf(request, heads));
  std::vector<std::vector<std::int32_t>> columns;
  for (std::int64_t head = 0; head < heads; ++head) {
    if (request.segments == SegmentKind::kStrided) {
      columns.push_back(Columns(head, heads, (width - head + heads - 1) / heads));
    } else if (request.segments == SegmentKind::kRandom) {
      columns.push_back(DrawColumns(width, own, &random));
    } else {
      const std::int64_t first = heads > 1 ? head * (width - own) / (heads - 1) : 0;
      columns.push_back(Columns(first, 1, own));
    }
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

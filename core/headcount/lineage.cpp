#include "core/headcount/lineage.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace headscope {
namespace {

using LineageColumns = std::vector<std::int32_t>;

std::vector<LineageColumns> LineageColumnsOf(const LayerAttention& layer) {
  std::vector<LineageColumns> columns;
  for (std::int64_t head = 0; head < layer.shape().heads; ++head) {
    columns.push_back(layer.columns(head));
  }
  return columns;
}

// Returns the heads that own each column.
std::vector<std::vector<std::int64_t>> OwnersOf(const std::vector<LineageColumns>& heads) {
  std::vector<std::vector<std::int64_t>> owners;
  for (std::size_t head = 0; head < heads.size(); ++head) {
    for (const std::int32_t column : heads[head]) {
      owners.resize(std::max(owners.size(), static_cast<std::size_t>(column) + 1));
      owners[static_cast<std::size_t>(column)].push_back(static_cast<std::int64_t>(head));
    }
  }
  return owners;
}

}  // namespace

FoundParents FindParents(const LayerAttention& parents, const LayerAttention& children) {
  const std::vector<LineageColumns> above = LineageColumnsOf(parents);
  const std::vector<LineageColumns> below = LineageColumnsOf(children);
  const auto owners = OwnersOf(above);
  FoundParents found;
  const auto none = [](LineageFault fault, std::int64_t head) {
    return FoundParents{.fault = fault, .head = head};
  };
  std::vector<LineageColumns> taken(above.size());
  for (std::size_t head = 0; head < below.size(); ++head) {
    const LineageColumns& own = below[head];
    std::vector<std::int64_t> holders;
    // Weights from a file belong to no columns.
    const std::size_t first = own.empty() ? owners.size() : static_cast<std::size_t>(own.front());
    if (first < owners.size()) {
      for (const std::int64_t parent : owners[first]) {
        const LineageColumns& all = above[static_cast<std::size_t>(parent)];
        if (std::ranges::includes(all, own)) {
          holders.push_back(parent);
        }
      }
    }
    if (holders.size() != 1) {
      return none(holders.empty() ? LineageFault::kSpread : LineageFault::kSeveral,
                  static_cast<std::int64_t>(head));
    }
    found.parent.push_back(holders.front());
    LineageColumns& used = taken[static_cast<std::size_t>(holders.front())];
    used.insert(used.end(), own.begin(), own.end());
  }
  for (std::size_t parent = 0; parent < above.size(); ++parent) {
    LineageColumns& used = taken[parent];
    std::ranges::sort(used);
    if (std::ranges::adjacent_find(used) != used.end()) {
      return none(LineageFault::kShared, static_cast<std::int64_t>(parent));
    }
    if (used.size() != above[parent].size()) {
      return none(LineageFault::kLeftOut, static_cast<std::int64_t>(parent));
    }
  }
  return found;
}

std::vector<std::int64_t> SplitTree::Children(std::size_t row, std::int64_t parent) const {
  std::vector<std::int64_t> children;
  const std::vector<std::int64_t>& parents = rows[row].parent;
  for (std::size_t head = 0; head < parents.size(); ++head) {
    if (parents[head] == parent) {
      children.push_back(static_cast<std::int64_t>(head));
    }
  }
  return children;
}

std::optional<std::size_t> SplitTree::Below(std::size_t row) const {
  for (std::size_t each = row + 1; each < rows.size(); ++each) {
    if (rows[each].above == row) {
      return each;
    }
  }
  return std::nullopt;
}

bool SplitTree::AreKin(std::size_t row,
                       std::int64_t head,
                       std::size_t other_row,
                       std::int64_t other_head) const {
  if (row < other_row) {
    std::swap(row, other_row);
    std::swap(head, other_head);
  }
  while (row > other_row && rows[row].above) {
    head = rows[row].parent[static_cast<std::size_t>(head)];
    row = *rows[row].above;
  }
  return row == other_row && head == other_head;
}

SplitTree MakeSplitTree(const SplitResult& split) {
  SplitTree tree;
  for (std::size_t at = 0; at < split.counts.size(); ++at) {
    const LayerAttention& own = *split.counts[at].attention;
    SplitRow row;
    for (std::size_t above = at; above-- > 0 && !row.above;) {
      FoundParents found = FindParents(*split.counts[above].attention, own);
      if (!found.parent.empty()) {
        row.above = above;
        row.parent = std::move(found.parent);
      } else if (above + 1 == at) {
        row.fault = found.fault;
        row.faulty_head = found.head;
      }
    }
    std::vector<std::int64_t> order(static_cast<std::size_t>(own.shape().heads));
    std::iota(order.begin(), order.end(), 0);
    if (row.above) {
      const std::vector<std::int64_t>& places = tree.rows[*row.above].place;
      std::ranges::stable_sort(order, {}, [&row, &places](std::int64_t head) {
        return places[static_cast<std::size_t>(row.parent[static_cast<std::size_t>(head)])];
      });
    }
    row.place.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      row.place[static_cast<std::size_t>(order[place])] = static_cast<std::int64_t>(place);
    }
    tree.rows.push_back(std::move(row));
  }
  return tree;
}

}  // namespace headscope

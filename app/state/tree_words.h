// What the window says of the tree of head counts, in sentences that a person can check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/head_tree.h"

namespace headscope {

// "columns 96–191", "columns 1, 5, 9, … 61", "no columns".
[[nodiscard]] std::string ColumnWords(const std::vector<std::int32_t>& columns);
// How the columns are shared where not all heads have as many: "64 columns for 3 heads: 1 has 22,
// 2 have 21"; empty where they have.
[[nodiscard]] std::string ShareWords(const SplitCount& count, std::int64_t columns);
// Why a count has no parents, or none in the count before it, and what its columns are; empty where
// it stands under the count before.
[[nodiscard]] std::string RowNote(const SplitResult& split, const SplitTree& tree, std::size_t row);

// What other counts do to the layer's output, or other columns to that of the trained count; empty
// where other weights or another input stand in for the layer's.
[[nodiscard]] std::string ResultWords(const SplitResult& split);

// Where two maps differ most, and by what.
[[nodiscard]] std::string SeenWords(const ParentDistance& distance,
                                    const std::string& query,
                                    const std::string& key);

// A sum to be read down: "head 3", "1.2345"; at most so many children, the rest together; what they
// add up to; and the parent's own.
struct SumLine {
  std::string name;
  std::string number;
  friend bool operator==(const SumLine&, const SumLine&) = default;
};
[[nodiscard]] std::vector<SumLine> SumLines(const DotSum& sum,
                                            const std::vector<std::int64_t>& heads,
                                            const std::string& parent,
                                            std::size_t most);

}  // namespace headscope

// What the window says of the tree of head counts, in sentences that a person can check.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/counts/head_tree.h"

namespace headscope {

// "columns 96–191", "columns 1, 5, 9, … 61", "no columns".
[[nodiscard]] std::string ColumnWords(const std::vector<std::int32_t>& columns);
// How the columns are shared where not all heads have as many: "64 columns for 3 heads: 1 has 22,
// 2 have 21"; empty where they have.
[[nodiscard]] std::string ShareWords(const SplitCount& count, std::int64_t columns);
// Why a count has no parents, or none in the count before it, and what its columns are; empty where
// it stands under the count before.
[[nodiscard]] std::string RowNote(const SplitResult& split, const SplitTree& tree, std::size_t row);

// Which weights, columns and input it is of, where these are not the model's, and what was measured:
// what other counts do to the layer's output, or other columns and weights to the trained count.
[[nodiscard]] std::string ResultWords(const SplitResult& split);
// A count of the result; null: there is none.
[[nodiscard]] const SplitCount* CountOf(const SplitResult& split, std::int64_t heads);
// How far the heads of a count lie apart. What is not measured yet is "…", as long.
[[nodiscard]] std::string ApartWords(const SplitCount& count);
// What columns that are not contiguous do to a count.
[[nodiscard]] std::string MovedWords(const SplitResult& split, const SplitCount& count);

// Weights that are all 1 at one scale of the input: "× 0.1", "0.742 to 0.998", "0.131", at h = 64.
struct ScaleLine {
  double scale = 1.0;
  std::string name;
  std::string largest_weight;  // of a row, the mean: of the least count and the most
  std::string moved;           // the output, where it moves most
  std::int64_t heads = 1;      // there
  double difference = 0.0;
};
[[nodiscard]] ScaleLine LineOfScale(const SplitAtScale& scale);
// What h changes under weights that are all 1, at the scale that is chosen and where it changes most.
[[nodiscard]] std::string EqualWords(const SplitResult& split);

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

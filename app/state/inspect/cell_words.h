// What the window says of one cell of a map, as lines of text: the tooltip draws them, nothing
// more.
//
// Units    weight after the softmax; score before it, scaled, capped and biased; dot product q.k.
// Cost     one pass over the row, and one dot product where there are scores.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/map_view.h"
#include "core/figure/layout.h"
#include "core/text/tokenizer.h"

namespace headscope {

struct CellLine {
  enum class Kind { kTitle, kNumber, kDetail, kNote, kSmall };  // kDetail: a number that explains
  std::string text;
  Kind kind = Kind::kNote;
  friend bool operator==(const CellLine&, const CellLine&) = default;
};

inline constexpr std::string_view kPlainCell = "weight";

// The map that the cell is of.
struct CellSource {
  const Encoding& query_tokens;
  const Encoding& key_tokens;  // the same, but for cross-attention
  MapView map;
  std::span<const float> row = {};     // exact weights of row `query`; may be empty
  std::int64_t query = -1;             // a cell of another row has no numbers
  std::string_view cell = kPlainCell;  // what a number is; another has no score
};

// The cell lies within the map.
[[nodiscard]] std::vector<CellLine> LinesOfCell(const CellSource& source, CellIndex cell);

// "0.123457", "3.210e-05".
[[nodiscard]] std::string WeightText(float weight);

}  // namespace headscope

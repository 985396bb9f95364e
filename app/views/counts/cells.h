// Maps of head counts that stand side by side: the same cell in each of them.
//
// Units    window pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/views/kit/ui.h"

namespace headscope {

// The cell under the pointer, of a map of [queries, keys] drawn whole into `target`.
[[nodiscard]] std::optional<CellIndex> CellUnder(
    const Rect& target, float x, float y, std::int64_t queries, std::int64_t keys);
// A frame around the cell, with lines that lead to it where it is small; of a row a band.
void MarkCell(const Ui& ui,
              const Rect& target,
              std::int64_t queries,
              std::int64_t keys,
              const MapPoint& point);
// "“John” (9)" of the counts on screen; "row 9" where normal numbers stand for the text.
[[nodiscard]] std::string QueryName(const AppState& state, std::int64_t query);
[[nodiscard]] std::string KeyName(const AppState& state, std::int64_t key);
// "“John” (9) looks at “Mary” (1)".
[[nodiscard]] std::string CellName(const AppState& state, CellIndex cell);
// Cells of maps of long texts are the largest of their weights, everywhere on the screen: a mean over
// thousands of keys is nothing that one sees.
inline constexpr Pooling kCountPooling = Pooling::kMax;
[[nodiscard]] const std::vector<float>& CountCells(const MapView& map);
// ": 0.1234" after it, ": masked"; nothing where a cell of the thumbnail stands for several.
[[nodiscard]] std::string WeightWords(const MapView& map, CellIndex cell);

}  // namespace headscope

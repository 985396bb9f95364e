// What a head does on the open text, in one sentence: the row that is looked at, or the one that shows
// its role best.
//
//   L1H3, induction (suggested): “old” looks at “captain”, which followed “old” before (.92).
//
// Threads  UI thread.
// Cost     of a role without a chosen row: up to 512 rows of the head's weights; else one row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/app_state.h"
#include "app/state/inspect/row_words.h"

namespace headscope {

// What is said of a head before anything is measured on the text: its flag, or what a scan suggests.
struct HeadRole {
  std::string role;    // core/heads/flags/role.h, or somebody's own word; empty: none
  std::string metric;  // that a suggestion rests on; empty: it is a flag
  bool is_flag = false;
};
[[nodiscard]] HeadRole RoleInView(const AppState& state, HeadIndex head);

// “captain”, which followed “old” before: the key of a row in words, and how it stands to the query.
[[nodiscard]] std::string KeyInWords(const RowWeights& row, std::int64_t key, const HeadRole& role);
// “old” looks at “captain”, which followed “old” before (.92)
[[nodiscard]] std::string RowInWords(const RowWeights& row, const HeadRole& role);

// Cells of a map that show what a role says, those with most weight first, each row and each pair of
// words once. Where the text alone does not tell which cells a role asks for (relations, copies),
// those of other tokens than the row's own and the first. Special tokens are left out.
struct RoleCell {
  CellIndex cell;
  float weight = 0.0F;
};
[[nodiscard]] std::vector<RoleCell> CellsOfRole(const MapView& map,
                                                const Encoding& text,
                                                const HeadRole& role,
                                                std::size_t most);
// “old” → “captain” .92
[[nodiscard]] std::string RoleCellInWords(const Encoding& text, const RoleCell& cell);

// The row of a map in which the head does most of what its role says; none: no row asks for it, or
// the text alone does not tell.
[[nodiscard]] std::optional<std::int64_t> RowOfRole(const MapView& map,
                                                    const Encoding& text,
                                                    const HeadRole& role);

// "L1H3, induction (suggested)"
[[nodiscard]] std::string HeadInWords(HeadIndex head, const HeadRole& role);

}  // namespace headscope

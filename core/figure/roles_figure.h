// Heads by role as a figure: of each role its heads, and a sentence of evidence.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/figure/page_figure.h"
#include "core/figure/shown_scores.h"

namespace headscope {

struct HeadsOfOneRole {
  std::uint32_t rgb = 0;
  std::string role;      // "induction"
  std::string heads;     // "L1H3, L1H5; borderline: L0H2"
  std::string evidence;  // a sentence about the surest
};

struct RolesContent {
  std::vector<HeadsOfOneRole> roles;
};

// Those that heads have, in the order of kRoles.
[[nodiscard]] std::vector<HeadsOfOneRole> HeadsByRole(const ShownScores& shown);

using RolesFigure = PageFigure<RolesContent>;

}  // namespace headscope

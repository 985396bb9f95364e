// The singular values of heads' scores beside those of all columns of their layer: a chart, and words.
//
// Units    values over the largest of their matrix, on a logarithmic axis.
// Source   core/headcount/score_rank.h.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/attention/layer_attention.h"
#include "core/figure/chart.h"
#include "core/headcount/score_rank.h"

namespace headscope {

// Heads in the accent's colour, all columns in grey, a line where the heads' columns end.
[[nodiscard]] Chart RankChart(std::span<const ScoreRank> heads,
                              const ScoreRank& all,
                              const ThemeColors& colors);

// "n = 25 tokens"; says where not all are read.
[[nodiscard]] std::string TokensRead(const ScoreRank& rank, const AttentionShape& shape);
// Whether the head's width bounds its scores, and what that leaves out.
[[nodiscard]] std::string BottleneckWords(const ScoreRank& own, const ScoreRank& all);

inline constexpr std::string_view kRankMethod =
    "QKᵀ times the head's scale, before cap, bias and mask, in double. Rank: values above the largest × n × "
    "2⁻²³, what float32 can tell from 0. Effective: exp of the entropy of their shares. Left out: of the scores "
    "of h = 1, by the nearest matrix of that rank (Eckart and Young). Values below 10⁻⁸ of the largest are at the foot.";

}  // namespace headscope

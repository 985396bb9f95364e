// What a scan asks of the norms of what heads add (core/heads/effect/output_norms.h), and what it adds up of
// them under the ids of core/heads/measure/measures/output_norm.cpp.
//
// Threads  plain values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/effect/output_norms.h"
#include "core/heads/measure/head_means.h"
#include "core/heads/probe/probe.h"

namespace headscope {

// Of each text of a run; of controls no row counts.
[[nodiscard]] std::vector<NormText> NormTextsOf(const ProbeCorpus& corpus,
                                                std::span<const std::size_t> places,
                                                bool is_causal);

// Adds what one text gave; `heads` of each layer.
void AddNorms(const NormSums& sums, std::int64_t heads, MeanTotals* means);

}  // namespace headscope

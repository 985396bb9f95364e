// Requests the norms of the heads' outputs for a scan (core/heads/effect/output_norms.h), and adds
// them up under the ids of core/heads/measure/measures/output_norm.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/heads/effect/output_norms.h"
#include "core/heads/measure/head_means.h"
#include "core/heads/probe/probe.h"

namespace headscope {

// Returns the request for each text of a run; no row of a control counts.
[[nodiscard]] std::vector<NormText> NormTextsOf(const ProbeCorpus& corpus,
                                                std::span<const std::size_t> places,
                                                bool is_causal);

// Adds the results of one text; `heads` is the number of heads per layer.
void AddNorms(const NormSums& sums, std::int64_t heads, MeanTotals* means);

}  // namespace headscope

// What a scan tells of heads by their weights alone: means under the ids of core/heads/measure/measures, and
// whose writing keys read.
//
// Errors   what the backend returns; kCancelled. A model that has not what a number needs has none.
// Threads  the backend's.
// Cost     as core/heads/effect/eigenvalue_copying.h, key_composition.h, previous_heads.h and
//          token_maps.h.
#pragma once

#include <filesystem>
#include <stop_token>

#include "core/base/error.h"
#include "core/heads/scan/scan.h"
#include "core/model/forward.h"

namespace headscope {

struct MeasureSources {
  std::filesystem::path probes = {};      // a folder of texts (core/heads/probe/probe.h)
  std::filesystem::path token_maps = {};  // a file; one that cannot be read is no error: `why_not`
};

// Once for a whole scan.
[[nodiscard]] Status AddWeightMeans(Forward* forward,
                                    const MeasureSources& sources,
                                    const std::stop_token& stop,
                                    BatchSums* sums);

}  // namespace headscope

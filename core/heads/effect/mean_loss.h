// How well a model predicts the texts of a probe: the mean loss over a few of them.
//
// Units    nats a token; the mean over texts, so that a long one counts as a short one.
// Errors   those of core/heads/effect/token_losses.h.
// Threads  the backend's.
// Cost     a forward over each text, and the output matrix once for each token that counts.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/mean_of_runs.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

// The mean over the first `most_texts` texts with a token to predict, and its standard error; none
// where there is no such text.
[[nodiscard]] Result<std::optional<MeanOfRuns>> MeanLossOf(Forward* forward,
                                                           const ProbeCorpus& corpus,
                                                           std::int64_t most_texts,
                                                           const std::stop_token& stop);

}  // namespace headscope

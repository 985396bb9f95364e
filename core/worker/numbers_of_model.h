// Measures the numbers that models are compared by (core/heads/scan/model_numbers.h).
//
// Errors   kCancelled, the backend's.
// Threads  the backend's.
// Cost     a forward over at most kMostLossTexts texts, the output matrix for each of their tokens, and
//          the products of each output projection's rows.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/heads/probe/probe.h"
#include "core/heads/scan/model_numbers.h"
#include "core/model/forward.h"

namespace headscope {

// `corpus` null: there are no texts, and no loss.
[[nodiscard]] Result<ModelNumbers> NumbersOf(Forward* forward,
                                             const ProbeCorpus* corpus,
                                             const std::stop_token& stop);

}  // namespace headscope

// A norm with the scale that it had for one row: then it is linear, and what it makes of a sum is
// the sum of what it makes of the terms. Its bias is left to the caller.
//
// Shapes   rows as wide as the norm's weights.
// Threads  any.
#pragma once

#include <span>

#include "core/compute/backend.h"

namespace headscope {

// What the norm multiplies the row by, besides its weights.
[[nodiscard]] double NormScale(const NormWeights& norm, std::span<const double> row);

// The norm of one term of a row that had this scale, in place.
void ApplyFrozen(const NormWeights& norm, double scale, std::span<double> term);

// `direction` . norm(term) = the new direction . term, for a scale of 1, in place.
void PullBack(const NormWeights& norm, std::span<double> direction);

}  // namespace headscope

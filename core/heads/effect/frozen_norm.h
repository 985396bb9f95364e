// A norm with its scale fixed at the value for one row: it is then linear, so that the norm of a
// sum is the sum of the norms of the terms. The caller adds its bias.
//
// Shapes   rows as wide as the norm's weights.
#pragma once

#include <span>

#include "core/compute/backend.h"

namespace headscope {

// Returns the factor by which the norm scales the row, without its weights.
[[nodiscard]] double NormScale(const NormWeights& norm, std::span<const double> row);

// Applies the norm to one term of a row that had this scale, in place.
void ApplyFrozen(const NormWeights& norm, double scale, std::span<double> term);

// Sets the new direction, in place, so that `direction` . norm(term) = new direction . term, for
// scale 1.
void PullBack(const NormWeights& norm, std::span<double> direction);

}  // namespace headscope

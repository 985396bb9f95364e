// What two runs of different texts have in common along one axis: the words that both have, in
// their order, and those that stand in each other's place.
//
// Shapes   as SharedAxis: words that one text alone has are no places. A word of as many tokens in
//          both gives a place for each of these, else one place.
// Errors   kInput: no word in common, or too many that differ; kCancelled.
// Threads  any.
// Cost     after the words at both ends that are the same, the product of what is left: at most 16
//          million steps.
// Source   the longest common subsequence; of words between two that match, as many in both, each
//          is taken to stand for the other.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/compare/shared_axis.h"

namespace headscope {

[[nodiscard]] Result<SharedAxis> AlignAxis(const Encoding& a,
                                           const Encoding& b,
                                           const std::stop_token& stop);

}  // namespace headscope

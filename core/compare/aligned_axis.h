// The axis that two runs of different texts share: the words that both have, in order, and the
// words that replace one another.
//
// Shapes   as in SharedAxis: words that only one text has get no place. A word with the same number
//          of tokens in both texts gets a place for each token, any other word one place.
// Errors   kInput: no word in common, or too many that differ; kCancelled.
// Cost     the common words at both ends are skipped; then the product of what is left: at most 16
//          million steps.
// Source   the longest common subsequence; if both texts have the same number of words between two
//          matches, those words are taken to replace one another.
#pragma once

#include <stop_token>

#include "core/base/error.h"
#include "core/compare/shared_axis.h"

namespace headscope {

[[nodiscard]] Result<SharedAxis> AlignAxis(const Encoding& a,
                                           const Encoding& b,
                                           const std::stop_token& stop);

}  // namespace headscope

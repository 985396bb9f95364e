// What there is most of in the text of a part of a scan: pairs of words, and what sequences had by
// themselves, whose numbers stand as the digits of their bits: exact, and quickly written and read.
//
// Errors   false: it is no such text.
// Source   our own format: [[place, group, [metric, rows, scores, controls, rows of the control,
//          chance] ...] ...], where scores, controls and chance are eight hexadecimal digits a number.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/heads/measure/sequence_means.h"
#include "core/heads/measure/word_cases.h"
#include "core/io/json.h"

namespace headscope {

// [[sentence, relation, direction, offset, candidates, rarest, pieces or nearest, right, popular,
// targets] ...]
[[nodiscard]] std::string PairsText(std::span<const PairCase> pairs);
[[nodiscard]] std::string SequencesText(const KeptSequences& sequences);
// One of them. `groups`, `heads`: of the scan.
[[nodiscard]] bool ReadSequence(const JsonValue& value,
                                std::size_t groups,
                                std::size_t heads,
                                SequenceMeans* one);

}  // namespace headscope

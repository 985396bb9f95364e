// What the rows of maps and the panel beside them both need to say about a head count.
#pragma once

#include <cstdint>
#include <string>

#include "app/state/counts/tree_words.h"
#include "core/headcount/split.h"

namespace headscope {

// "h = 4, head 1".
[[nodiscard]] std::string CutName(const SplitCount& count, std::int64_t head);
// "h = 4, head 1: columns 96–191".
[[nodiscard]] std::string HeadOfWords(const SplitResult& split,
                                      std::size_t count,
                                      std::int64_t head);

}  // namespace headscope

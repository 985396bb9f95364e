// Token texts that somebody else kept, as tokens: no tokenizer is at hand, so the markers in the
// texts themselves say how they are meant.
//
// Units    ids as given, or the index where there are none.
// Errors   none.
// Threads  any.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/text/tokenizer.h"

namespace headscope {

// `ids` and `displays` have a value for each text, or none at all. Where no displays are given, "Ġ"
// (all texts in the alphabet of byte-level vocabularies), "▁", "##" and "</w>" are read as markers.
// Words are grouped as far as these tell; without any, each token is one.
[[nodiscard]] Encoding DescribeTexts(std::span<const std::string> texts,
                                     std::span<const std::int64_t> ids,
                                     std::span<const std::string> displays);

}  // namespace headscope

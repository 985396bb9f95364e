// Makes tokens from token texts alone, as kept in a file: there is no tokenizer, so markers in the
// texts themselves tell what they mean.
//
// Units    the given ids, or indices if there are none.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/text/tokenizer.h"

namespace headscope {

// `ids` and `displays` have one value per text, or are empty. Without displays, "Ġ" (if all texts
// use the byte-level alphabet), "▁", "##" and "</w>" are read as markers. Words are grouped as far
// as these tell; without any, each token is a word.
[[nodiscard]] Encoding DescribeTexts(std::span<const std::string> texts,
                                     std::span<const std::int64_t> ids,
                                     std::span<const std::string> displays);

}  // namespace headscope

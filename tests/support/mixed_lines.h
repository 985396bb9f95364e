// Lines of mixed text for comparing tokenizers: English, German, Chinese, Arabic, Hindi, code, emoji,
// control characters, odd blanks and long runs of them. They are made from sentences of our own and
// a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope {

// The first lines are the same however many are asked for. They are valid UTF-8 without zero bytes.
[[nodiscard]] std::vector<std::string> MixedLines(std::size_t count, std::uint64_t seed = 1);

}  // namespace headscope

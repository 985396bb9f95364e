// Cuts an unannotated text into words by Unicode's rules (UAX 29). Punctuation marks are words,
// blanks are not.
//
// Units    byte offsets.
// Errors   kInput: the text is not UTF-8, or the system's Unicode tables are missing.
// Cost     one pass per text; a thread's first text reads the tables.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/io/annotated_text.h"

namespace headscope::annotated {

// Words also end at each of `cuts`, in any order: a mention begins and ends with a word.
[[nodiscard]] Result<std::vector<AnnotatedWord>> CutWords(std::string_view text,
                                                          std::vector<std::int64_t> cuts);

// Makes the mention of the words within [begin, end), where the words must have been cut at both.
// If no word lies there, its last word comes before its first.
[[nodiscard]] Mention MentionOf(const std::vector<AnnotatedWord>& words,
                                std::int64_t begin,
                                std::int64_t end,
                                std::string entity);

}  // namespace headscope::annotated

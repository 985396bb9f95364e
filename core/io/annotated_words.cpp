#include "core/io/annotated_words.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "core/base/utf8.h"
#include "core/io/annotated_lines.h"

namespace headscope::annotated {
namespace {

struct IcuCloser {
  void operator()(UText* text) const { utext_close(text); }
  void operator()(UBreakIterator* words) const { ubrk_close(words); }
};

bool BeginsWithBlank(std::string_view text) {
  std::size_t next = 0;
  return IsWhitespace(NextCharacter(text, next));
}

}  // namespace

Result<std::vector<AnnotatedWord>> CutWords(std::string_view text, std::vector<std::int64_t> cuts) {
  thread_local std::unique_ptr<UBreakIterator, IcuCloser> breaks;
  UErrorCode status = U_ZERO_ERROR;
  if (!breaks) {
    breaks.reset(ubrk_open(UBRK_WORD, "", nullptr, 0, &status));
  }
  const std::unique_ptr<UText, IcuCloser> source(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  ubrk_setUText(breaks.get(), source.get(), &status);
  if (U_FAILURE(status)) {
    return Fail(ErrorCode::kInput, fmt::format("no words can be cut: {}", u_errorName(status)));
  }
  for (std::int32_t at = ubrk_first(breaks.get()); at != UBRK_DONE; at = ubrk_next(breaks.get())) {
    cuts.push_back(at);
  }
  std::ranges::sort(cuts);
  std::vector<AnnotatedWord> words;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    const std::string_view form = text.substr(static_cast<std::size_t>(cuts[i - 1]),
                                              static_cast<std::size_t>(cuts[i] - cuts[i - 1]));
    if (!form.empty() && !BeginsWithBlank(form)) {
      words.push_back({std::string(form), cuts[i - 1], cuts[i], "", -1, ""});
    }
  }
  return words;
}

Mention MentionOf(const std::vector<AnnotatedWord>& words,
                  std::int64_t begin,
                  std::int64_t end,
                  std::string entity) {
  const auto is_before = [](const AnnotatedWord& word, std::int64_t at) { return word.begin < at; };
  const auto first = std::lower_bound(words.begin(), words.end(), begin, is_before);
  const auto after = std::lower_bound(first, words.end(), end, is_before);
  const std::int64_t first_word = first - words.begin();
  const std::int64_t last_word = after - words.begin() - 1;
  Mention mention{first_word, last_word, first_word, std::move(entity)};
  if (first_word <= last_word) {
    mention.head = HeadOfSpan(words, first_word, last_word);
  }
  return mention;
}

}  // namespace headscope::annotated

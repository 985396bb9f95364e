#include "core/io/annotated_text.h"
#include "tests/fuzz/input.h"

namespace {

using namespace headscope;

bool IsWithin(std::int64_t index, std::int64_t size) {
  return index >= 0 && index < size;
}

void CheckSentence(const AnnotatedSentence& sentence) {
  const auto words = std::ssize(sentence.words);
  const auto bytes = std::ssize(sentence.text);
  HEADSCOPE_CHECK(words > 0 && sentence.line > 0, "a sentence has words, and stands somewhere");
  for (const AnnotatedWord& word : sentence.words) {
    HEADSCOPE_CHECK(word.begin >= 0 && word.begin <= word.end && word.end <= bytes,
                    "a word stands in its text");
    HEADSCOPE_CHECK(word.head == -1 || IsWithin(word.head, words), "a head is a word or none");
    std::int64_t steps = 0;
    for (std::int64_t at = word.head; at >= 0 && steps <= words; ++steps) {
      at = sentence.words[static_cast<std::size_t>(at)].head;
    }
    // All of a long chain would take too long.
    HEADSCOPE_CHECK(steps <= words, "heads end at the root");
    if (steps > 1000) {
      break;
    }
  }
  for (const Mention& mention : sentence.mentions) {
    HEADSCOPE_CHECK(IsWithin(mention.first, words) && IsWithin(mention.last, words) &&
                        mention.first <= mention.head && mention.head <= mention.last,
                    "a mention is of words, and its head one of them");
    HEADSCOPE_CHECK(!mention.entity.empty(), "a mention is of someone");
  }
}

void CheckText(const Result<AnnotatedText>& text) {
  if (!text) {
    fuzz::CheckMessage(text.error(), "fuzz: ");
    return;
  }
  HEADSCOPE_CHECK(!text->sentences.empty(), "what is read holds a sentence");
  HEADSCOPE_CHECK(text->warnings.size() <= kMaxAnnotationWarnings + 2, "warnings end");
  for (const AnnotatedSentence& sentence : text->sentences) {
    CheckSentence(sentence);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::Text(data, size);
  CheckText(ParseConllu(bytes, "fuzz"));
  CheckText(ParseGap(bytes, "fuzz"));
  CheckText(ParseWinoBias(bytes, "fuzz"));
  return 0;
}

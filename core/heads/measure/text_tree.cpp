#include "core/heads/measure/text_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/parse_number.h"
#include "core/heads/probe/probe.h"

namespace headscope {
namespace {

std::string_view WithoutEnd(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == text.npos ? std::string_view() : text.substr(0, last + 1);
}

}  // namespace

bool HasTree(const AnnotatedSentence& sentence) {
  return std::ranges::any_of(sentence.words, [](const AnnotatedWord& word) {
    return word.head >= 0 && !word.relation.empty();
  });
}

std::string WhyNoTree(const TextTree& tree) {
  if (tree.sentence == nullptr || !HasTree(*tree.sentence)) {
    return "The sentence is annotated, but has no governors (HEAD).";
  }
  const bool has_words =
      std::ranges::any_of(tree.word, [](std::int32_t word) { return word >= 0; });
  return has_words ? "" : "No token of the text belongs to a word of the annotation.";
}

std::optional<std::size_t> FindSentence(const AnnotatedText& file, std::string_view text) {
  const std::string_view wanted = WithoutEnd(text);
  for (std::size_t i = 0; i < file.sentences.size() && !wanted.empty(); ++i) {
    if (WithoutEnd(file.sentences[i].text) == wanted) {
      return i;
    }
  }
  return std::nullopt;
}

Result<std::size_t> ChooseSentence(const AnnotatedText& file,
                                   const std::string& chosen,
                                   const std::filesystem::path& path) {
  const std::size_t count = file.sentences.size();
  if (chosen.empty()) {
    const auto first = std::ranges::find_if(file.sentences, HasTree);
    if (first == file.sentences.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{}: no sentence of it has a tree, expected governors (HEAD)",
                              path.string()));
    }
    return static_cast<std::size_t>(first - file.sentences.begin());
  }
  const auto named = std::ranges::find(file.sentences, chosen, &AnnotatedSentence::id);
  if (named != file.sentences.end()) {
    return static_cast<std::size_t>(named - file.sentences.begin());
  }
  const auto number = ParseAs<std::size_t>(chosen);
  if (!number || *number < 1 || *number > count) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: expected a sentence from 1 to {} or its id, found \"{}\"",
                            path.string(),
                            count,
                            chosen));
  }
  return *number - 1;
}

TextTree TreeOfSentence(const AnnotatedText& file,
                        std::size_t sentence,
                        const std::filesystem::path& path,
                        const Encoding& tokens) {
  const AnnotatedSentence& found = file.sentences.at(sentence);
  return {.sentence = std::make_shared<const AnnotatedSentence>(found),
          .word = AnnotatedWords(tokens, found),
          .source = fmt::format("{}, sentence {} of {}{}",
                                path.filename().string(),
                                sentence + 1,
                                file.sentences.size(),
                                found.id.empty() ? "" : fmt::format(" ({})", found.id))};
}

}  // namespace headscope

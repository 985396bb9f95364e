// The tree of a text: its annotated sentence, found in a file, and the word of each of its tokens.
//
// Units    sentences count from 1 where people see them, from 0 in code.
// Errors   kInput: no such sentence; says how many there are.
// Threads  plain values; reading a file is core/io/annotated_text.h's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/io/annotated_text.h"
#include "core/text/tokenizer.h"

namespace headscope {

// An annotated sentence as the tokens of a text.
struct TextTree {
  std::shared_ptr<const AnnotatedSentence> sentence = {};
  std::vector<std::int32_t> word = {};  // of each token; -1: none
  std::string source = {};              // "probes.conllu, sentence 3 of 120"
};

[[nodiscard]] bool HasTree(const AnnotatedSentence& sentence);
// Why the tokens have no words of the sentence, or it has no tree, in a sentence; empty: they do.
[[nodiscard]] std::string WhyNoTree(const TextTree& tree);

// The sentence of that text, but for blanks at its end.
[[nodiscard]] std::optional<std::size_t> FindSentence(const AnnotatedText& file,
                                                      std::string_view text);
// "3", the third sentence, or an id ("probe-003"); empty: the first with a tree.
[[nodiscard]] Result<std::size_t> ChooseSentence(const AnnotatedText& file,
                                                 const std::string& chosen,
                                                 const std::filesystem::path& path);

[[nodiscard]] TextTree TreeOfSentence(const AnnotatedText& file,
                                      std::size_t sentence,
                                      const std::filesystem::path& path,
                                      const Encoding& tokens);

}  // namespace headscope

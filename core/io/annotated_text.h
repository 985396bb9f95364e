// Sentences whose words and mentions a person has annotated: CoNLL-U treebanks (with Entity= in
// MISC, as GUM and CorefUD write it), GAP's table of ambiguous pronouns, WinoBias' lines.
//
// A CoNLL-U word has the span of its form; words of a multi-word token that do not stand in it
// share its span. Empty nodes are left out. A mention's head is the word whose own head lies
// outside it, the last one where no heads are given (GAP, WinoBias; both are cut into words by
// Unicode's rules). Of GAP's three mentions those that TRUE binds are one entity; a line's brackets
// in WinoBias all are, and what only other lines bracket is others (core/io/wino_bias.cpp).
//
// Units    byte offsets; words from 0; lines and columns from 1, columns in characters.
// Errors   kIo; kFormat: nothing in the file can be used, told with the first reason's line and
//          column; kUnsupported: the file is not annotated; kCancelled. A sentence that cannot be
//          used is left out and counted, and a warning says why.
// Threads  any; ReadAnnotatedText as MappedFile::Open.
// Cost     one pass; memory for what is kept, which ends with a warning at kMaxAnnotatedBytes.
// Source   https://universaldependencies.org/format.html; CorefUD 1.0; Webster 2018 (GAP);
//          Zhao 2018 (WinoBias).
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace headscope {

inline constexpr std::int64_t kMaxAnnotatedBytes = std::int64_t{512} << 20U;
inline constexpr std::int64_t kMaxSentenceBytes = std::int64_t{1} << 20U;
inline constexpr std::size_t kMaxAnnotationWarnings = 20;

struct AnnotatedWord {
  std::string form;
  std::int64_t begin = 0;  // in the sentence's text
  std::int64_t end = 0;
  std::string upos;
  std::int64_t head = -1;  // a word; -1: the root, or unknown
  std::string relation;    // "nsubj", "nmod:poss"; "root"; empty: not annotated
};

struct Mention {
  std::int64_t first = 0;  // words, both included
  std::int64_t last = 0;
  std::int64_t head = 0;
  std::string entity;  // mentions of one entity have the same
};

struct AnnotatedSentence {
  std::string id;  // may be empty
  std::int64_t line = 0;
  std::string text;
  std::vector<AnnotatedWord> words;
  std::vector<Mention> mentions;  // by first word, then the longer one first
};

struct AnnotatedText {
  std::vector<AnnotatedSentence> sentences;
  // One sentence each, naming file, line and column; after kMaxAnnotationWarnings "and N more".
  std::vector<std::string> warnings;
  std::int64_t left_out = 0;  // sentences that could not be used
};

// The kind is told by the ending (.conllu; .tsv is GAP's), else by what stands in the file.
[[nodiscard]] Result<AnnotatedText> ReadAnnotatedText(const std::filesystem::path& path,
                                                      const std::stop_token& stop = {});

// `name` is what errors and warnings call the file.
[[nodiscard]] Result<AnnotatedText> ParseConllu(std::string_view bytes,
                                                const std::string& name,
                                                const std::stop_token& stop = {});
[[nodiscard]] Result<AnnotatedText> ParseGap(std::string_view bytes,
                                             const std::string& name,
                                             const std::stop_token& stop = {});
[[nodiscard]] Result<AnnotatedText> ParseWinoBias(std::string_view bytes,
                                                  const std::string& name,
                                                  const std::stop_token& stop = {});

// WinoBias' lines under the ending of plain texts: the first one has two mentions in brackets.
[[nodiscard]] bool HasMentionsInBrackets(std::string_view text);

}  // namespace headscope

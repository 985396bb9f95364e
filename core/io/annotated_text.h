// Sentences with human annotations of words and mentions: CoNLL-U treebanks (with Entity= in MISC,
// as in GUM and CorefUD), GAP's table of ambiguous pronouns, and WinoBias' lines.
//
// A CoNLL-U word has the span of its form; words of a multi-word token that do not appear in it
// share its span. Empty nodes are left out. A mention's head is the word whose own head lies
// outside it, or the last word where there are no heads (GAP and WinoBias, which are cut into words
// by Unicode's rules). GAP's pronoun and each name marked TRUE are one entity. In a line of
// WinoBias all brackets are one entity; phrases bracketed only in other lines are further entities
// (core/io/wino_bias.cpp).
//
// Units    byte offsets; words from 0; lines and columns from 1, columns in characters.
// Errors   kIo; kFormat: nothing in the file can be used, with line and column of the first reason;
//          kUnsupported: the file is not annotated; kCancelled. A sentence that cannot be used is
//          left out and counted, and a warning says why.
// Threads  ReadAnnotatedText: as MappedFile::Open.
// Cost     one pass; memory for what is kept. At kMaxAnnotatedBytes reading ends with a warning.
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
  std::int64_t head = -1;  // index of a word; -1: the root, or unknown
  std::string relation;    // "nsubj", "nmod:poss"; "root"; empty: not annotated
};

struct Mention {
  std::int64_t first = 0;  // words, both inclusive
  std::int64_t last = 0;
  std::int64_t head = 0;
  std::string entity;  // the same for all mentions of one entity
};

struct AnnotatedSentence {
  std::string id;  // may be empty
  std::int64_t line = 0;
  std::string text;
  std::vector<AnnotatedWord> words;
  std::vector<Mention> mentions;  // by first word, then longer ones first
};

struct AnnotatedText {
  std::vector<AnnotatedSentence> sentences;
  // One sentence each, with file, line and column; after kMaxAnnotationWarnings "and N more".
  std::vector<std::string> warnings;
  std::int64_t left_out = 0;  // sentences that could not be used
};

// The file's ending gives the format (.conllu; .tsv is GAP's), otherwise its content does.
[[nodiscard]] Result<AnnotatedText> ReadAnnotatedText(const std::filesystem::path& path,
                                                      const std::stop_token& stop = {});

// Errors and warnings call the file `name`.
[[nodiscard]] Result<AnnotatedText> ParseConllu(std::string_view bytes,
                                                const std::string& name,
                                                const std::stop_token& stop = {});
[[nodiscard]] Result<AnnotatedText> ParseGap(std::string_view bytes,
                                             const std::string& name,
                                             const std::stop_token& stop = {});
[[nodiscard]] Result<AnnotatedText> ParseWinoBias(std::string_view bytes,
                                                  const std::string& name,
                                                  const std::stop_token& stop = {});

// Whether plain text is in fact WinoBias': its first line has two mentions in brackets.
[[nodiscard]] bool HasMentionsInBrackets(std::string_view text);

}  // namespace headscope

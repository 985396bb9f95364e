#include <algorithm>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/base/utf8.h"
#include "core/io/conllu_parts.h"

namespace headscope::conllu {

using annotated::Problem;
using annotated::ProblemAt;

namespace {

// Returns the first byte from `at` on that is not part of a blank.
std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::size_t next = at;
    if (!IsWhitespace(NextCharacter(text, next))) {
      break;
    }
    at = next;
  }
  return at;
}

// Finds where each surface begins in the given text; returns a problem if one is missing.
std::optional<Problem> FindSurfaces(const GivenText& given,
                                    const std::vector<Surface>& surfaces,
                                    std::vector<std::size_t>& begins) {
  const std::string_view text = given.value;
  std::size_t at = 0;
  for (const Surface& surface : surfaces) {
    at = SkipBlanks(text, at);
    if (!text.substr(at).starts_with(surface.form)) {
      return ProblemAt(given.line,
                       text.substr(at),
                       fmt::format("the text does not go on with word {}, {}; the words are taken "
                                   "in its place",
                                   surface.first + 1,
                                   Quoted(surface.form)));
    }
    begins.push_back(at);
    at += surface.form.size();
  }
  at = SkipBlanks(text, at);
  if (at < text.size()) {
    return ProblemAt(given.line,
                     text.substr(at),
                     "the text goes on after the last word; the words are taken in its place");
  }
  return std::nullopt;
}

std::string JoinSurfaces(const std::vector<Surface>& surfaces, std::vector<std::size_t>& begins) {
  std::string text;
  bool has_blank = false;
  begins.clear();
  for (const Surface& surface : surfaces) {
    text += has_blank ? " " : "";
    begins.push_back(text.size());
    text += surface.form;
    has_blank = surface.has_blank_after;
  }
  return text;
}

// Places a token's words: "do" and "n't" follow each other in "don't"; "de" and "le" are not in
// "du".
void PlaceInSurface(const Surface& surface, std::int64_t begin, std::vector<AnnotatedWord>& words) {
  const auto first = words.begin() + surface.first;
  const auto last = words.begin() + surface.last + 1;
  std::size_t at = 0;
  const bool are_found = std::all_of(first, last, [&](AnnotatedWord& word) {
    const std::size_t found = surface.form.find(word.form, at);
    if (found == std::string::npos) {
      return false;
    }
    at = found + word.form.size();
    word.begin = begin + static_cast<std::int64_t>(found);
    word.end = begin + static_cast<std::int64_t>(at);
    return true;
  });
  if (!are_found) {
    std::for_each(first, last, [&](AnnotatedWord& word) {
      word.begin = begin;
      word.end = begin + static_cast<std::int64_t>(surface.form.size());
    });
  }
}

}  // namespace

void PlaceWords(const GivenText& given,
                const std::vector<Surface>& surfaces,
                AnnotatedSentence& sentence,
                annotated::Collector& collector) {
  std::vector<std::size_t> begins;
  sentence.text = given.value;
  std::optional<Problem> problem;
  if (!given.value.empty()) {
    problem = FindSurfaces(given, surfaces, begins);
  }
  if (problem) {
    collector.Warn(*problem);
  }
  if (problem || given.value.empty()) {
    sentence.text = JoinSurfaces(surfaces, begins);
  }
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    PlaceInSurface(surfaces[i], static_cast<std::int64_t>(begins[i]), sentence.words);
  }
}

}  // namespace headscope::conllu

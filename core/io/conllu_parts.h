// The parts of a CoNLL-U sentence: rows, the text that the words are in, heads, mentions.
//
// Errors   a Problem leaves the sentence out; a warning to the collector does not.
// Source   https://universaldependencies.org/format.html; Entity= as in CorefUD 1.0 and GUM.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/annotated_lines.h"

namespace headscope::conllu {

// The fields of a row that are read.
inline constexpr std::size_t kId = 0;
inline constexpr std::size_t kForm = 1;
inline constexpr std::size_t kUpos = 3;
inline constexpr std::size_t kHead = 6;
inline constexpr std::size_t kRelation = 7;
inline constexpr std::size_t kMisc = 9;
inline constexpr std::size_t kFields = 10;

struct Row {
  annotated::Line line;
  std::array<std::string_view, kFields> fields;
};

// Returns a named value of MISC: "Entity" in "SpaceAfter=No|Entity=(e1" is "(e1"; empty if there is
// none.
[[nodiscard]] std::optional<std::string_view> MiscValue(const Row& row, std::string_view name);

// Fills in each word's head and relation. Fails if only some words have a head, if there is not
// exactly one root, or if heads form a circle.
[[nodiscard]] annotated::OrProblem<void> LinkHeads(const std::vector<Row>& rows,
                                                   std::vector<AnnotatedWord>& words);

// A token as written in the text, and the words that it holds.
struct Surface {
  std::string form;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool has_blank_after = true;
};

// A comment "# text = ..."; `value` is empty where there is none.
struct GivenText {
  annotated::Line line;
  std::string_view value;
};

// Fills in the sentence's text and each word's span. If the given text does not contain the words,
// warns and builds the text from the words.
void PlaceWords(const GivenText& given,
                const std::vector<Surface>& surfaces,
                AnnotatedSentence& sentence,
                annotated::Collector& collector);

// An Entity= of a row: mentions that open in it begin with word `opens`, mentions that close in it
// end with `closes`. Both are the row's own word, except for an empty node, which lies between two
// words.
struct EntityNote {
  annotated::Line line;
  std::string_view value;
  std::int64_t opens = 0;
  std::int64_t closes = 0;
};

// Warns of brackets without a partner in the sentence. The parts of a discontinuous mention
// ("e1[1/2]") become one mention, whose head is looked for in the parts. `entity_field` is the
// number of the field in "person-e1-2" that names the entity.
[[nodiscard]] std::vector<Mention> ReadMentions(const std::vector<EntityNote>& notes,
                                                const std::vector<AnnotatedWord>& words,
                                                std::size_t entity_field,
                                                annotated::Collector& collector);

}  // namespace headscope::conllu

// What a CoNLL-U sentence is put together from: rows, the text that the words stand in, heads,
// mentions.
//
// Errors   a Problem leaves the sentence out; what the collector is warned of does not.
// Threads  plain values.
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

// "Entity" of "SpaceAfter=No|Entity=(e1" is "(e1"; nothing where the field does not name it.
[[nodiscard]] std::optional<std::string_view> MiscValue(const Row& row, std::string_view name);

// Fills in head and relation of each word. A problem where some words have a head and others none,
// where there is not one root, or where heads lead round in a circle.
[[nodiscard]] std::optional<annotated::Problem> LinkHeads(const std::vector<Row>& rows,
                                                          std::vector<AnnotatedWord>& words);

// A token as it stands in the text, and the words that it holds.
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

// Fills in the sentence's text and each word's span. A given text that does not hold the words is
// warned of, and made anew from them.
void PlaceWords(const GivenText& given,
                const std::vector<Surface>& surfaces,
                AnnotatedSentence& sentence,
                annotated::Collector& collector);

// An Entity= of a row: what opens in it begins with word `opens`, what closes ends with `closes`.
// They are the row's word; an empty node lies between two.
struct EntityNote {
  annotated::Line line;
  std::string_view value;
  std::int64_t opens = 0;
  std::int64_t closes = 0;
};

// Brackets that find no partner within the sentence are warned of. The parts of a discontinuous
// mention ("e1[1/2]") become one, whose head is looked for in the parts. `entity_field` is the
// number of the field of "person-e1-2" that names the entity.
[[nodiscard]] std::vector<Mention> ReadMentions(const std::vector<EntityNote>& notes,
                                                const std::vector<AnnotatedWord>& words,
                                                std::size_t entity_field,
                                                annotated::Collector& collector);

}  // namespace headscope::conllu

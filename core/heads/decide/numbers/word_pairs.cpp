// How often a head's largest weight between words is on the right one: of grammatical relations, and of mentions of the
// same.
//
// Source   core/heads/measure/word_cases.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/heads/decide/numbers.h"
#include "core/heads/decide/relations.h"
#include "core/heads/measure/relation_words.h"

namespace headscope {
namespace {

std::string ControlWords(bool of_mentions) {
  return fmt::format("the best of {} over the same cases: {}",
                     ControlNames(of_mentions).size(),
                     fmt::join(ControlNames(of_mentions), ", "));
}

HeadNumber OfWords(std::string_view id) {
  HeadNumber number;
  number.id = id;
  number.name = id;
  number.place = 1000;
  number.scale = NumberScale::kShare;
  number.form = {.digits = 0, .is_percent = true};
  number.is_of_words = true;
  return number;
}

HeadNumber RelationNumber() {
  static const std::string kControl =
      ControlWords(false) +
      " (the word that it likes anyway: of the largest mean over the other queries of the "
      "sentence, in causal models over later ones, each times the words that it sees)";
  HeadNumber number = OfWords("dep:RELATION:DIRECTION");
  number.prefix = kRelationPrefix;
  number.name_of = [](std::string_view id) {
    const RelationOfId relation = ReadRelationId(id);
    return RelationSentence(relation.relation, relation.direction);
  };
  number.label_of = [](std::string_view id) {
    const RelationOfId relation = ReadRelationId(id);
    return RelationLabel(relation.relation, relation.direction);
  };
  number.noun = "pair";
  number.hint =
      "Of all pairs of words with this relation (Universal Dependencies: a governor and its "
      "dependent), how often the head's largest weight, word by word, is on the right one. The "
      "control is the best of: the same distance, the word that the head likes whatever the query, "
      "the rarest word, the word of most pieces.";
  number.words = {
      .about = "how often the largest weight of a word's row is on the other word of a pair",
      .formula =
          "a word's row is the mean over its tokens' rows, its column the sum over their columns; "
          "special tokens, what belongs to no word and the word itself are left out; 1 where the "
          "largest weight is on the other word, mean over the pairs of the relation, a governor "
          "and its dependent; DIRECTION says which word's row is asked: the dependent's "
          "(dependent-to-head in ids), the governor's (head-to-dependent) or the later word's "
          "(later-to-earlier); a causal model is asked only where the other word comes first",
      .chance = "1 / words seen",
      .control = kControl,
      .source = "Clark 2019; Voita 2019",
      .pitfall = "a head that looks at a kind of word is right often, and so is its control",
      .needs = "annotated sentences"};
  return number;
}

HeadNumber MentionNumber() {
  static const std::string kControl = ControlWords(true);
  HeadNumber number = OfWords(kMentionsId);
  number.noun = "mention";
  number.hint =
      "Of all mentions with an earlier mention of the same, how often the head's largest weight, "
      "among the main words of the mentions before, is on such a one. The control is the best of: "
      "the same distance, the mention that the head likes whatever the query, the rarest mention, "
      "the nearest one.";
  number.words = {
      .about = "how often a mention's main word looks at an earlier mention of the same entity",
      .formula =
          "rows and columns of words as in relations; 1 where the largest weight of the row, among "
          "the main words of the mentions before it, is on one of the same entity; mean over "
          "mentions that have two such words before them, of which one may be wrong",
      .chance = "the right ones / these words",
      .control = kControl,
      .source = "Clark 2019",
      .pitfall = "the nearest mention is often the right one, and so is its control",
      .needs = "texts with annotated mentions"};
  return number;
}

}  // namespace

std::vector<HeadNumber> WordPairsNumbers() {
  return {RelationNumber(), MentionNumber()};
}

}  // namespace headscope

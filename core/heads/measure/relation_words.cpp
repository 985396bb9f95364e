#include "core/heads/measure/relation_words.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr PairWords kAnyPair = {"dependent", "governor"};

using Named = std::pair<std::string_view, PairWords>;
constexpr std::array kPairs = {
    Named{"acl", {"clause", "noun"}},
    Named{"acl:relcl", {"relative clause", "noun"}},
    Named{"advcl", {"adverbial clause", "verb"}},
    Named{"advmod", {"adverb", "word"}},
    Named{"amod", {"adjective", "noun"}},
    Named{"appos", {"apposition", "noun"}},
    Named{"aux", {"auxiliary", "verb"}},
    Named{"aux:pass", {"passive auxiliary", "verb"}},
    Named{"case", {"preposition", "noun"}},
    Named{"cc", {"conjunction", "conjunct"}},
    Named{"ccomp", {"clause", "verb"}},
    Named{"compound", {"part of a compound", "noun"}},
    Named{"compound:prt", {"particle", "verb"}},
    Named{"conj", {"later conjunct", "first one"}},
    Named{"cop", {"copula", "predicate"}},
    Named{"csubj", {"clause as subject", "verb"}},
    Named{"det", {"determiner", "noun"}},
    Named{"expl", {"expletive", "verb"}},
    Named{"fixed", {"later word of an expression", "first one"}},
    Named{"flat", {"later word of a name", "first one"}},
    Named{"iobj", {"indirect object", "verb"}},
    Named{"mark", {"subordinating word", "verb"}},
    Named{"nmod", {"modifying noun", "noun"}},
    Named{"nmod:poss", {"possessor", "noun"}},
    Named{"nsubj", {"subject", "verb"}},
    Named{"nsubj:pass", {"passive subject", "verb"}},
    Named{"nummod", {"number", "noun"}},
    Named{"obj", {"object", "verb"}},
    Named{"obl", {"adverbial noun", "verb"}},
    Named{"obl:agent", {"agent", "verb"}},
    Named{"xcomp", {"complement", "verb"}},
};

// Which of the two looks, and at which.
std::pair<std::string_view, std::string_view> LookingPair(std::string_view relation,
                                                          PairDirection direction) {
  const PairWords words = WordsOfRelation(relation);
  switch (direction) {
    case PairDirection::kDependentToHead:
      return {words.dependent, words.governor};
    case PairDirection::kHeadToDependent:
      return {words.governor, words.dependent};
    case PairDirection::kLaterToEarlier:
    case PairDirection::kToEarlierMention:
      break;
  }
  return {"later word", "earlier"};
}

}  // namespace

PairWords WordsOfRelation(std::string_view relation) {
  auto found = std::ranges::find(kPairs, relation, &Named::first);
  if (found == kPairs.end()) {
    found = std::ranges::find(kPairs, relation.substr(0, relation.find(':')), &Named::first);
  }
  return found != kPairs.end() ? found->second : kAnyPair;
}

std::string RelationSentence(std::string_view relation, PairDirection direction) {
  const auto [from, to] = LookingPair(relation, direction);
  const bool is_owned = direction != PairDirection::kLaterToEarlier;
  return fmt::format("{}: {}{} looks at {} {}",
                     relation,
                     is_owned ? "" : "the ",
                     from,
                     is_owned ? "its" : "the",
                     to);
}

std::string RelationLabel(std::string_view relation, PairDirection direction) {
  const auto [from, to] = LookingPair(relation, direction);
  const bool is_later = direction == PairDirection::kLaterToEarlier;
  return fmt::format("{}: {} → {}", relation, is_later ? "later" : from, to);
}

std::pair<std::int64_t, std::int64_t> WordsThatLook(PairDirection direction,
                                                    std::int64_t dependent,
                                                    std::int64_t governor) {
  const bool is_governor = direction == PairDirection::kHeadToDependent ||
                           (direction == PairDirection::kLaterToEarlier && dependent < governor);
  return is_governor ? std::pair(governor, dependent) : std::pair(dependent, governor);
}

RelationOfId ReadRelationId(std::string_view id) {
  id.remove_prefix(kRelationPrefix.size());
  const std::size_t colon = id.rfind(':');
  const std::string_view name = colon == id.npos ? "" : id.substr(colon + 1);
  RelationOfId read{.relation = id.substr(0, colon)};
  for (const PairDirection direction : {PairDirection::kDependentToHead,
                                        PairDirection::kHeadToDependent,
                                        PairDirection::kLaterToEarlier}) {
    read.direction = name == DirectionName(direction) ? direction : read.direction;
  }
  return read;
}

}  // namespace headscope

#include "core/heads/decide/role_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/heads/decide/copy_role.h"
#include "core/heads/decide/decision.h"
#include "core/heads/decide/relations.h"

namespace headscope {
namespace {

std::string ControlWords(bool of_mentions) {
  return fmt::format("the best of {} over the same cases: {}",
                     ControlNames(of_mentions).size(),
                     fmt::join(ControlNames(of_mentions), ", "));
}

const MetricWords& CopyWords() {
  static const std::string formula = fmt::format(
      "(sum_k A[q][k] v_k) W_O of the head, through every norm on the way to the logits with its "
      "scale as it was, times the output matrix, less the mean over the vocabulary; at the token "
      "of the largest A[q][k], special ones aside; in logits, mean over rows, of repeats those "
      "whose token occurred before, of at most {} texts",
      kCopyTexts);
  static const MetricWords words = {
      .about = "what the head adds straight to the logit of the token that its row looks at most",
      .formula = formula,
      .chance = "0",
      .control = "",
      .source = "direct logit attribution: Elhage 2021, Wang 2022",
      .pitfall = "what later layers make of what the head writes is left out",
      .needs = "a model of one stack with an output layer"};
  return words;
}

const MetricWords& RelationWords() {
  static const std::string control =
      ControlWords(false) +
      " (the word that it likes anyway: of the largest mean over the other queries of the "
      "sentence, in causal models over later ones, each times the words that it sees)";
  static const MetricWords words = {
      .about = "how often the largest weight of a word's row is on the other word of a pair",
      .formula =
          "a word's row is the mean over its tokens' rows, its column the sum over their columns; "
          "special tokens, what belongs to no word and the word itself are left out; 1 where the "
          "largest weight is on the other word, mean over the pairs of the relation, a governor "
          "and its dependent; DIRECTION says which word's row is asked: the dependent's "
          "(dependent-to-head in ids), the governor's (head-to-dependent) or the later word's "
          "(later-to-earlier); a causal model is asked only where the other word comes first",
      .chance = "1 / words seen",
      .control = control,
      .source = "Clark 2019; Voita 2019",
      .pitfall = "a head that looks at a kind of word is right often, and so is its control",
      .needs = "annotated sentences"};
  return words;
}

const MetricWords& MentionWords() {
  static const std::string control = ControlWords(true);
  static const MetricWords words = {
      .about = "how often a mention's main word looks at an earlier mention of the same entity",
      .formula =
          "rows and columns of words as in relations; 1 where the largest weight of the row, among "
          "the main words of the mentions before it, is on one of the same entity; mean over "
          "mentions that have two such words before them, of which one may be wrong",
      .chance = "the right ones / these words",
      .control = control,
      .source = "Clark 2019",
      .pitfall = "the nearest mention is often the right one, and so is its control",
      .needs = "texts with annotated mentions"};
  return words;
}

}  // namespace

const MetricWords* FindRoleWords(std::string_view id) {
  if (id == kCopyEffect) {
    return &CopyWords();
  }
  if (id == kMentionsId) {
    return &MentionWords();
  }
  return id.starts_with(kRelationPrefix) ? &RelationWords() : nullptr;
}

std::string HowSharesAreDecided() {
  return fmt::format(
      "A role that rests on a share of attention is called strong where the score reaches the "
      "metric's threshold, the lower bounds of its lift over its control and over chance are both "
      "at least {:.2f} at a level of {:.2f} for all questions together, heads times roles, and in "
      "every period of repeats; it is called borderline where the 95 % interval holds the "
      "threshold and the score lies above both. Fewer than {} rows or {} sequences decide nothing.",
      kLeastLift,
      kRoleLevel,
      kFewestCases,
      kFewestCases);
}

std::string HowCopiesAreDecided() {
  return fmt::format(
      "A head with the role induction or duplicate is said to copy where its copy_effect is {:.2f} "
      "or more, is above 0 by {:.0f} of its standard errors, and the token is among the {} that it "
      "raises most in half of the sampled rows, up to {} of a text; to suppress likewise, below 0 "
      "and lowered; in both no surer than that it has the role. Fewer than {} texts or sampled "
      "rows decide nothing.",
      kLeastEffect,
      kCopyErrors,
      CopyEffect::kTop,
      kSampledRows,
      kFewestCases);
}

std::string HowRelationsAreDecided() {
  return fmt::format(
      "Relations (syntactic) and coreference are decided by the sentence. Head and best distance "
      "are chosen on the sentences of even place and counted on those of odd place, and the other "
      "way round; d is, of a sentence, the cases in which the head is right less those in which "
      "the control is; z = sum d / sqrt(sum d^2), the least over the controls and over chance (of "
      "relations 1 / words seen, of mentions the right ones / these words). The role is strong "
      "where Holm's test at {:.2f} holds over all relations and directions of {} cases or more, "
      "the head is right in {:.2f} more of the cases than the best control and than chance, and {} "
      "sentences have a d other than 0. Where the halves choose two heads, both are named. A head "
      "of which a direction is said is said to follow later-to-earlier, too, only where {} or more "
      "of those pairs are not that direction's.",
      kRoleLevel,
      kFewestPairs,
      kLeastLift,
      kFewestSentences,
      kFewestPairs);
}

}  // namespace headscope

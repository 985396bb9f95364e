#include "core/heads/decide/role_words.h"

#include <fmt/format.h>

#include "core/heads/decide/copy_role.h"
#include "core/heads/decide/decision.h"
#include "core/heads/decide/relations.h"

namespace headscope {

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

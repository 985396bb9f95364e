// What a head adds straight to the logit of the token that its row looks at most.
//
// Source   core/heads/effect/copy_effect.h.
#include <fmt/format.h>

#include "core/heads/decide/numbers.h"
#include "core/heads/effect/copy_sums.h"

namespace headscope {

std::vector<HeadNumber> CopyEffectNumbers() {
  static const std::string kFormula = fmt::format(
      "(sum_k A[q][k] v_k) W_O of the head, through every norm on the way to the logits with its "
      "scale as it was, times the output matrix, minus the mean over the vocabulary; at the token "
      "of the largest A[q][k], special ones aside; in logits, mean over rows, of repeats those "
      "whose token occurred before, of at most {} texts",
      kCopyTexts);
  HeadNumber number;
  number.id = kCopyEffect;
  number.name = "copies or suppresses";
  number.place = 9;
  number.scale = NumberScale::kSigned;
  number.form = {.has_plus = true};
  number.is_of_repeats = true;
  number.is_awaited = true;
  number.is_chance_zero = true;
  number.brief = "effect on the token looked at";
  number.hint =
      "What the head adds straight to the logit of the token that it looks at most. Above 0: it "
      "copies; below: it suppresses.";
  number.words = {
      .about = "what the head adds straight to the logit of the token that its row looks at most",
      .formula = kFormula,
      .chance = "0",
      .source = "direct logit attribution: Elhage 2021, Wang 2022",
      .pitfall = "what later layers make of what the head writes is left out",
      .needs = "a model of one stack with an output layer"};
  return {number};
}

}  // namespace headscope

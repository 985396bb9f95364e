// Copying by the eigenvalues of a head's way from the tokens it looks at to the logits.
//
// Source   core/heads/effect/eigenvalue_copying.h.
#include "core/heads/measure/measure.h"

namespace headscope {

std::vector<HeadMeasure> CopyingMeasures() {
  HeadMeasure measure;
  measure.id = kEigenvalueCopying;
  measure.name = "copying by eigenvalues";
  measure.place = 41;
  measure.scale = NumberScale::kSigned;
  measure.has_rows = false;
  measure.words = {
      .about = "whether the weights alone raise the logit of the token that is looked at",
      .formula = "Re(sum of the eigenvalues of W_E W_V W_O W_U) / sum of their sizes; from -1 to 1",
      .chance = "0: weights without a sense turn as many eigenvalues one way as the other",
      .source = "Elhage 2021",
      .pitfall =
          "most heads of a language model are above .5, some that suppress among them; norms, "
          "biases and MLPs are left out. See the effect on logits, which decides",
      .needs = "a model that predicts tokens"};
  return {measure};
}

}  // namespace headscope

// K-composition with heads that look at the previous token: what an induction head is made of.
//
// Source   core/heads/effect/key_composition.h.
#include "core/heads/measure/measure.h"

namespace headscope {

std::vector<HeadMeasure> KeyCompositionMeasures() {
  HeadMeasure measure;
  measure.id = kKeyComposition;
  measure.name = "K-composition";
  measure.place = 45;
  measure.scale = NumberScale::kSigned;
  measure.form = {.digits = 3, .has_plus = true};  // of the size of 1 / sqrt(d)
  measure.partner_key = "partner";
  measure.has_rows = false;
  measure.words = {
      .about = "how much of what previous-token heads of earlier layers write its keys read",
      .formula =
          "the largest ||W_QK W_OV|| / (||W_QK|| ||W_OV||) with such a head, minus the mean over "
          "random matrices of the same shapes, about 1 / sqrt(d); its error is one sigma of these",
      .chance = "0: as much as of random matrices; above 3 sigma is more than chance",
      .source = "Elhage 2021",
      .pitfall =
          "weights alone do not tell what is attended to: biases and what MLPs make of it are left "
          "out, and rotary positions turn queries and keys, of which this is the number at "
          "distance 0; the largest of several heads is a little above chance anyway",
      .needs = "an earlier layer with a head that looks at the previous token on repeats"};
  return {measure};
}

}  // namespace headscope

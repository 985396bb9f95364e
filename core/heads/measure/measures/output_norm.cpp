// How much a head adds, and how much of that rests on tokens that carry little.
//
// Source   core/heads/effect/output_norms.h.
#include "core/heads/measure/measure.h"

namespace headscope {
namespace {

HeadMeasure OutputNorm() {
  HeadMeasure measure;
  measure.id = "output_norm";
  measure.name = "output norm";
  measure.place = 42;
  measure.has_rows = false;
  measure.is_over_layer_mean = true;
  measure.words = {
      .about = "how much the head adds beside its layer's others; under .25 it is inactive here",
      .formula =
          "mean over rows of the norm of (sum over k of A[q][k] v_k) W_O, over the same mean of "
          "all heads of the layer",
      .chance = "1: as much as the others",
      .source = "Kobayashi 2020, for the norm; docs/reference.md, for the ratio",
      .pitfall = "says what happens on these texts: a head that rests here may work elsewhere",
      .needs = "a model of one stack of layers, and a row of no special token"};
  return measure;
}

HeadMeasure RestingNorm(
    std::string id, std::string name, int place, std::string_view about, std::string_view needs) {
  HeadMeasure measure;
  measure.id = std::move(id);
  measure.name = std::move(name);
  measure.place = place;
  measure.words = {
      .about = about,
      .formula =
          "mean over rows of the sum of ||A[q][k] v_k W_O|| over these keys, over the same sum for "
          "all keys",
      .chance = "the same with even attention over the visible keys",
      .source = "Kobayashi 2020",
      .pitfall =
          "where the plain share is high and this one low, the head rests: it looks at what has "
          "next to nothing to say",
      .needs = needs};
  return measure;
}

}  // namespace

std::vector<HeadMeasure> OutputNormMeasures() {
  return {OutputNorm(),
          RestingNorm("separator_norm",
                      "separator, by norms",
                      43,
                      "the share of what the head adds that comes from special tokens and "
                      "punctuation",
                      "a model of one stack of layers, and a separator in a text"),
          RestingNorm("first_token_norm",
                      "first token, by norms",
                      44,
                      "the share of what the head adds that comes from the first token",
                      "a model of one stack of layers, and a row after the first token")};
}

}  // namespace headscope

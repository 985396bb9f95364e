// How much the heads of a layer differ: each from the others, from its nearest, and all of them as a
// number of heads.
//
// Source   core/heads/measure/head_pairs.h.
#include "core/heads/measure/head_pairs.h"

#include "core/heads/measure/measure.h"

namespace headscope {
namespace {

constexpr std::string_view kNeedsTwo =
    "2 to 128 heads in a layer, and a row of no special token after the first";

}  // namespace

std::vector<HeadMeasure> HeadPairsMeasures() {
  HeadMeasure others;
  others.id = "layer_divergence";
  others.is_of_maps = true;
  others.name = "how different from its layer";
  others.place = 32;
  others.words = {
      .about = "how far the head's rows lie from those of its layer's other heads",
      .formula =
          "mean over the other heads and over rows of the Jensen-Shannon divergence of the two "
          "rows; at most 8 rows a text, spread evenly; from 0 to ln 2 = .693",
      .chance = "0: heads that all spread evenly",
      .source = "Clark 2019, divided by the rows",
      .pitfall =
          "heads that rest on the same token are near one another, whatever they do when they do "
          "not rest; the mean over a layer's heads is the layer's diversity",
      .needs = kNeedsTwo};
  HeadMeasure nearest;
  nearest.id = kNearestHead;
  nearest.is_of_maps = true;
  nearest.name = "how different from its nearest head";
  nearest.place = 33;
  nearest.partner_key = "nearest";
  nearest.words = {
      .about = "how far the nearest other head of its layer lies; under .05 one of the two may do",
      .formula =
          "the least over the layer's other heads of the mean over rows of the Jensen-Shannon "
          "divergence",
      .chance = "0: heads that all spread evenly",
      .source = "Clark 2019, for the divergence",
      .pitfall =
          "equal attention is not equal work: two heads may look alike and add different things",
      .needs = kNeedsTwo};
  HeadMeasure effective;
  effective.id = "effective_heads";
  effective.is_of_maps = true;
  effective.name = "effective heads";
  effective.place = 34;
  effective.has_rows = false;
  effective.words = {
      .about = "how many different heads the layer has; the same for each of its heads",
      .formula =
          "exp of the entropy of the eigenvalues, over their sum, of the matrix of cosines between "
          "the maps of the layer's heads; at most 8 rows a text",
      .chance = "1: all heads are alike; at most their number",
      .source = "docs/reference.md, \"Numbers and what they mean\"",
      .pitfall =
          "a number of the layer, not of the head; compare layers of different head counts on the "
          "same texts only",
      .needs = kNeedsTwo};
  return {others, nearest, effective};
}

}  // namespace headscope

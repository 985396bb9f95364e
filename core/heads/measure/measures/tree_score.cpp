// How much of a sentence's tree a head's attention between words draws.
//
// Source   core/heads/measure/gold_tree.h.
#include "core/heads/measure/measure.h"

namespace headscope {

std::vector<HeadMeasure> TreeScoreMeasures() {
  HeadMeasure measure;
  measure.id = "tree_score";
  measure.is_of_maps = true;
  measure.name = "tree score";
  measure.place = 31;
  measure.noun = "dependency";
  measure.nouns = "dependencies";
  measure.why_not_cross =
      "a tree is of words of one text; rows and keys of cross-attention are of two";
  measure.words = {
      .about = "the share of a sentence's dependencies that attention alone draws",
      .formula =
          "edges of the maximum spanning tree of A + A transposed between words, from the "
          "sentence's root, that are in its annotated tree, either way round, over its edges; "
          "punctuation aside",
      .chance = "2 / words: a tree drawn at random",
      .control = "the tree that joins each word to the next, left- and right-branching alike",
      .control_name = "joining neighbours",
      .source = "Htut 2019; Limisiewicz 2020",
      .pitfall = "a head that looks at neighbours draws the control; no single head draws a tree",
      .needs = "annotated sentences of three words or more"};
  return {measure};
}

}  // namespace headscope

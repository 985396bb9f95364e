// Two of anything side by side.
#include "app/state/cause_numbers.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void DrawCompareIcon(const IconPen& pen) {
  pen.Line(-8.0F, -3.5F, 7.0F, -3.5F);
  pen.Line(3.5F, -7.0F, 7.5F, -3.5F);
  pen.Line(8.0F, 3.5F, -7.0F, 3.5F);
  pen.Line(-3.5F, 7.0F, -7.5F, 3.5F);
}

HelpChapter HelpOnCompare() {
  return {
      "Compare: two models, head counts, checkpoints or sentences",
      {
          {"A, B, side A, side B",
           "A is what is open: the model and the sentence above. B is what you set beside it. ⇄ "
           "opens B and sets A beside it."},
          {"divergence of a pair",
           "How far the maps of two heads lie apart: the Jensen-Shannon divergence between their "
           "rows, the mean over the rows that both have and that see two keys or more, in nats. 0: "
           "alike everywhere; 0.693, ln 2: they never look at the same key."},
          {"match, matching, partner",
           "Which head of B goes with which of A: in each layer so that all pairs together lie "
           "least apart, an exact assignment. Head numbers mean nothing between two models. Click "
           "a head of B in the matching to pair it by hand."},
          {"side by side, swipe, difference",
           "Two maps with one zoom and one cross-hair; one map over the other, with a line to "
           "drag; or B's weights minus A's, around 0. W shows the next."},
          {"minimal pair",
           "Two sentences that differ in one word. Words that both have are matched in order; one "
           "that stands in another's place is written “old / young”."},
          {"(A), (B)", "A word that one sentence alone has: no row of the other stands beside it."},
          {"A into B, B into A",
           "Patching, of two texts with the same number of tokens in one model: one thing after another (a head's output, its "
           "pattern, queries, keys or values; a layer's stream, MLP or attention at one token) is "
           "taken from one text's run over into the other's. A into B is denoising, B into A noising."},
          {"lead, share of the difference",
           "The lead is the logit of the right word minus that of the wrong one, after the chosen token. "
           "A share is how much of the difference between A's lead and B's comes back, or is lost, with "
           "one thing: 0 nothing, 1 all of it; below 0 and above 1 occur."},
          {"what a share does not prove",
           "A small share is no idle head: another may stand in for it. Shares overlap and do not add up "
           "to 1, and a run with a part of another text is one that the model never saw. One pair of "
           "texts says nothing of others: Pairs … takes the mean over a file of many, with errors; stopped, it "
           "goes on where it was."},
          {"direct effect, path patching, direct path",
           "A head's output is taken from one text, all other heads keep what they give, and only what "
           "reaches the logits, or the queries, keys or values of the heads that you choose, is let "
           "into the run (headscope patch --from, --to). In an encoder-decoder paths lead through either "
           "of the two, and from the encoder into keys and values of cross-attention. What goes through a "
           "head in between does not count, so that a small direct effect is no proof of an idle head; "
           "and the receiver reads a mixture of two texts, which no text gives. Composition by weights "
           "(in Heads) says which paths there are; this says what a path carries between two texts.",
           PathNumbers},
          {"all rows, row alone",
           "Of a head all its rows are taken from the other text, or one: of weights, outputs and "
           "queries that of a query, of keys and values that of a key. One row says where in the text "
           "a head does its work."},
          {"MLPs frozen",
           "Paths may lead through MLPs, which are computed anew with what was sent; frozen, MLPs keep "
           "what they gave, too."},
          {"± of a share",
           "Over pairs of texts: the standard error of the mean change over the mean difference. "
           "“Its sign comes back” counts the pairs in which the right word leads again."},
          {"weights, change",
           "What changed between the weights of two models of one shape: the norm of A minus B over the "
           "norm of A, 0 nothing, 1 as much as A itself; and the cosine of the two parts' numbers, 1 where "
           "they differ in size alone. Of a head all of its W_Q, W_K, W_V and W_O, and each. A weight that "
           "changed need not change what a head does: the maps beside it tell."},
          {"not matched",
           "What any two heads of a layer that do not go together differ by, on the mean: a match "
           "should lie well below it."},
      }};
}

}  // namespace

extern const Screen kCompareScreen;
const Screen kCompareScreen{.kind = {.id = "compare",
                                     .name = "Compare",
                                     .about = "two models, checkpoints or sentences side by side",
                                     .keys = "4",
                                     .place = 4,
                                     .subject = ScreenSubject::kHeads,
                                     .compares = true},
                            .icon = DrawCompareIcon,
                            .toolbar = DrawCompareToolbar,
                            .body = DrawCompare,
                            .detail = DrawCompareDetail,
                            .take_letter = TakeCompareLetter,
                            .words = HelpOnCompare};

}  // namespace headscope

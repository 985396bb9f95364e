// One layer cut into other numbers of heads.
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "app/views/walk/panels.h"

namespace headscope {
namespace {

void DrawCountsIcon(const IconPen& pen) {
  pen.Frame(-8.0F, -8.5F, 8.0F, -3.0F, 1.0F);
  pen.Frame(-8.0F, 0.0F, -1.5F, 6.0F, 1.0F);
  pen.Frame(1.5F, 0.0F, 8.0F, 6.0F, 1.0F);
}

HelpChapter HelpOnCounts() {
  return {
      "Counts: one layer cut into other numbers of heads",
      {
          {"head count, head counts, h",
           "Into how many heads the layer's columns are cut. The weights stay those that were "
           "trained; nothing is trained again."},
          {"trained, trained count", "The number of heads that the model was trained with."},
          {"columns",
           "Of the layer's queries, keys and values: which of them the head owns. Contiguous: "
           "neighbours. Strided: every h-th. Random: drawn for each head by itself. Overlapping: "
           "neighbours that heads share. A count that does not divide the columns gives some heads "
           "one more than others. Random heads have D/h columns, rounded down, overlapping ones "
           "2 D/(h + 1), so that half of a head's are the next one's too; or K."},
          {"parent, child, children, lineage",
           "A child's columns lie within its parent's, and the children of a parent have each of "
           "its columns once. A child stands under its parent; bars above the maps are lit for "
           "the parents and children of the selected head. Rows without parents say why."},
          {"untrained, random, all equal",
           "Weights in place of the trained ones. Untrained: the model's own first checkpoint, "
           "where it lies beside the model, reads the same text. Random: drawn with variance 1/d "
           "in this layer alone. All equal: 1 everywhere, so that all heads are the same head and "
           "h changes the scale of scores alone."},
          {"largest weight of a row",
           "A mean over rows and heads: 1 where every row takes one token and the scale of scores "
           "counts no more, one over the keys where rows are even."},
          {"random input, input scale, seed",
           "Normal numbers in place of what the layer reads; by how much the input is multiplied; "
           "which draw it is. N draws anew."},
          {"beside its parent, pin, difference",
           "Two maps, and the right one minus the left one: white where they are equal. A pinned "
           "map takes the parent's place, so that any two can be compared."},
          {"check",
           "The dot products of all children of a parent add up to the parent's, at every cell: "
           "a product over all columns is the sum over their parts. After the softmax nothing "
           "adds up. A click holds the cell whose numbers are told."},
          {"separate, separated",
           "Heads that lie far from their parent attend to something that the parent's one "
           "softmax did not show."},
          {"parameters",
           "How many numbers the layer's attention has learnt: the same for every h."},
          {"multiplies", "Multiplications of its projections and products: the same for every h."},
          {"softmax cells", "Weights of all heads together: h times queries times keys."},
          {"maps", "How much memory the weights of all heads take as 32-bit numbers."},
          {"change of output",
           "How far the layer's output moves from the trained count's: the length of the "
           "difference, divided by the length of the trained output. 0: it is the same."},
          {"divergence",
           "How much the heads differ: the Jensen-Shannon divergence between their rows, in nats. "
           "0 where all heads look alike, 0.693 at most."},
          {"effective heads", "How many heads that differ there are, from 1 to h."},
          {"singular values, rank of scores, bottleneck, effective rank",
           "The scores of a head before the mask are a product of two matrices that are d_k wide, "
           "so that their rank is d_k at most. Where a text has more tokens, no head this wide can "
           "score every pair by itself; what it leaves out of the scores of all columns is told."},
          {"keep only",
           "Heads that a click has write 0, and by how much the layer's output changes: the length "
           "of what they write over that of the output, beside other choices of as many heads."},
          {"cost", "What a head count takes: the table under the map."},
          {"line by line, step",
           "A layer from what it reads to what it adds, in six steps, every matrix the model's "
           "own: the width, the projections, the attention of one head, its blend of values, the "
           "heads side by side, and W_O. W opens it, left and right go from step to step."},
          {"X", "What the layer's attention reads: a row for each token, the whole embedding."},
          {"W_Q, W_K, W_V, projection",
           "The matrices that make queries, keys and values of X. Each head has columns of its "
           "own, and in them a row for every input: an embedding is projected, not cut in pieces."},
          {"use of an input",
           "How long the input's row is in a head's matrix. Nought would mean that the head does "
           "not see that input."},
          {"stacked, head by head",
           "All heads in one product, or one head after another with matrices of its own. Both are "
           "computed; the difference is the largest of any number, and comes of rounding."},
          {"Concat, concatenate",
           "The results of the heads side by side: a reshape, nothing is computed."},
          {"W_O, mix, output",
           "The matrix that mixes all heads' columns into the layer's output. Each head owns rows "
           "of it; what they add, head by head, sums up to the output."},
          {"length, cosine",
           "How large what a head adds is, and where it points: 1 the same way as the other "
           "vector, 0 at a right angle, -1 the opposite way."},
          {"blue, red",
           "Line by line: negative and positive numbers, each matrix from its own largest number."},
      }};
}

}  // namespace

extern const Screen kCountsScreen;
const Screen kCountsScreen{.kind = {.id = "counts",
                                    .name = "Counts",
                                    .about = "one layer cut into 1, 2, 4, ... heads",
                                    .keys = "2",
                                    .place = 2,
                                    .subject = ScreenSubject::kHeadCounts},
                           .icon = DrawCountsIcon,
                           .toolbar = DrawCountsOrWalkToolbar,
                           .body = DrawCountsOrWalk,
                           .detail = DrawCountsOrWalkDetail,
                           .words = HelpOnCounts};

}  // namespace headscope

// One layer cut into other numbers of heads.
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void Icon(const IconPen& pen) {
  pen.Frame(-8.0F, -8.5F, 8.0F, -3.0F, 1.0F);
  pen.Frame(-8.0F, 0.0F, -1.5F, 6.0F, 1.0F);
  pen.Frame(1.5F, 0.0F, 8.0F, 6.0F, 1.0F);
}

HelpChapter Words() {
  return {
      "Counts: one layer cut into other numbers of heads",
      {
          {"head count, head counts, h",
           "Into how many heads the layer's columns are cut. The weights stay those that were "
           "trained; nothing is trained again."},
          {"trained, trained count", "The number of heads that the model was trained with."},
          {"columns",
           "Of the layer's queries, keys and values: which of them the head owns. A child stands "
           "under the parent whose columns it shares."},
          {"parameters",
           "How many numbers the layer's attention has learnt: the same for every h."},
          {"multiplies", "Multiplications of its projections and products: the same for every h."},
          {"softmax cells", "Weights of all heads together: h times queries times keys."},
          {"maps", "How much memory the weights of all heads take as 32-bit numbers."},
          {"output, output difference, output change",
           "How far the layer's output moves from the trained count's: the length of the "
           "difference, divided by the length of the trained output. 0: it is the same."},
          {"divergence",
           "How much the heads differ: the Jensen-Shannon divergence between their rows, in nats. "
           "0 where all heads look alike, 0.693 at most."},
          {"effective heads", "How many heads that differ there are, from 1 to h."},
          {"cost", "What a head count takes: the table under the map."},
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
                           .icon = Icon,
                           .toolbar = DrawCountsToolbar,
                           .body = DrawCounts,
                           .detail = DrawCountsDetail,
                           .words = Words};

}  // namespace headscope

// Small models trained in the window.
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "app/views/train/panels.h"

namespace headscope {
namespace {

void DrawTrainIcon(const IconPen& pen) {
  pen.Line(-8.0F, -7.0F, -8.0F, 8.0F);
  pen.Line(-8.0F, 8.0F, 8.0F, 8.0F);
  pen.Line(-8.0F, -4.0F, -2.0F, -3.0F);
  pen.Line(-2.0F, -3.0F, 1.0F, 4.0F);
  pen.Line(1.0F, 4.0F, 8.0F, 5.0F);
}

HelpChapter HelpOnTraining() {
  return {
      "Train: small models from their first weights, while one watches",
      {
          {"copy",
           "Blocks of random symbols, repeated with a length drawn anew for each row. What learns "
           "it is an induction head: it looks at what followed the earlier copy."},
          {"mixture",
           "Four things in one row: a repeated block, x ! x, what followed the last |, and the "
           "name of the opener at the end. Heads must differ to learn all of them."},
          {"alike, noise",
           "All heads of a layer begin with the same weights. They get the same gradient at every "
           "step, so they stay alike to the last bit, however long it goes on; that is why heads "
           "are drawn at random. A little noise is enough to part them."},
          {"all ones",
           "Every weight of the blocks' matrices begins as 1: all heads, and all columns of a head, "
           "are one and the same and stay so."},
          {"MLP, tied, sinusoids, one period",
           "What keeps induction heads away, or makes them later: another way to learn, an output "
           "matrix that is the embedding, positions that are fixed waves, or a block of one length, "
           "which is solved by position alone."},
          {"best head of a training",
           "The best head of each, on repeats with lengths that are never trained on: 10 and 20, "
           "the lower score."},
          {"divergence of a training",
           "How much the heads of a layer differ on a row that is never trained on, in nats; 0: "
           "they all look at the same."},
          {"curves over seeds",
           "Loss, induction, previous token and divergence against the step, one colour for each number "
           "of heads: the mean over runs that differ in their seed, with the standard error of that "
           "mean. Of runs here, runs that made way, and runs of a folder."},
          {"kept step",
           "Weights that stay in memory: a click opens the model of that step in Inspect, Back goes "
           "on from the last one before."},
          {"kept run",
           "A run is written to disk at least every 100 steps as it trains. When the window was closed "
           "or killed, the next one offers to go on with it, with the same bits as if it had never "
           "stopped; of closed and failed ones to open them. The newest 8 are kept."},
      }};
}

}  // namespace

extern const Screen kTrainScreen;
const Screen kTrainScreen{.kind = {.id = "train",
                                   .name = "Train",
                                   .about = "small models from their first weights: heads form",
                                   .keys = "7",
                                   .place = 7,
                                   .subject = ScreenSubject::kNothing,
                                   .trains = true},
                          .icon = DrawTrainIcon,
                          .toolbar = DrawTrainToolbar,
                          .body = DrawTrain,
                          .detail = DrawHeadDetail,
                          .words = HelpOnTraining};

}  // namespace headscope

// Scores of all heads, and what one head does.
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void DrawHeadsIcon(const IconPen& pen) {
  pen.Line(-6.0F, -8.0F, -6.0F, 8.0F);
  pen.Triangle(-6.0F, -8.0F, 7.0F, -4.0F, -6.0F, 0.5F);
}

HelpChapter HelpOnHeads() {
  return {
      "Heads: which head does what, with evidence",
      {
          {"scores of heads",
           "How much a head does of something, over the rows of a corpus that ask for it."},
          {"chance level", "What attention that is spread evenly gives over the same rows."},
          {"control",
           "What a head that only looks alike would score: the same distance with the wrong token, "
           "the word that the head likes whatever the query, the best fixed distance."},
          {"±", "The standard error over sequences or sentences, never over rows."},
          {"strong",
           "Over the threshold of its role, clear of its control by .10 with all the questions "
           "that are asked at once taken into account, in every period of repeats, and above the "
           "shuffled copies where they were scanned."},
          {"borderline", "The threshold lies within what chance can move the score."},
          {"shuffled copy, twin",
           "This model with the entries of each query and key matrix shuffled: heads that have "
           "learnt nothing about where to look."},
          {"probe",
           "What a scan runs the model over: blocks of tokens that are repeated, and sentences "
           "annotated with their grammar, which come with the program; or what you choose under "
           "Probe."},
          {"a file of your own",
           "Texts a line (.txt), token ids (.ids), annotated sentences (.conllu), GAP's table "
           "(.tsv) or WinoBias' lines with [mentions] (.txt, .dev). All its texts are scanned, as "
           "headscope score --probe does; what cannot be used is told with line and column. Roles "
           "stay those of the built-in texts unless you press Roles: these texts."},
          {"hidden sentences, retrieval",
           "Two sentences such as Anna hid the letter in the garden are hidden in a long text, and "
           "its end asks for one of them. Retrieval is how often a head, where the answer comes, "
           "looks at the hidden word; its control is the same place of the sentence that is not "
           "asked for. If the model itself prefers the right word in no more than half of the "
           "texts, the scores say nothing."},
          {"failing cases",
           "Of a relation or of coreference: the cases in which a head's largest weight, among the "
           "words that are asked for, is on a wrong one. A head's page lists some."},
          {"this text",
           "The same score on the open text alone. It says what the head does here, no "
           "more; under five rows it is grey."},
          {"files",
           "Flags to and from files. An import shows what changes and asks where both sides "
           "differ; another model's flags are suggestions, marked so."},
          {"labelling blind",
           "Scores and suggestions are hidden until the flags are saved, so that nobody copies "
           "them."},
          {"kappa",
           "Beside a score: (score - control) / (1 - control), 0 where the control does as well, 1 "
           "where the head always does it. Of flags: how far two people agree about heads beyond "
           "what their shares of roles would give by chance: 1 always, 0 as by chance."},
          {"without this head",
           "The model runs over the texts of the scan with this head taken away, then with each of "
           "up to ten others of its layer. How much worse it predicts, in nats a token, says "
           "something beside those: taking any head away does harm."},
          {"gives nothing, gives its mean, patterns kept",
           "Three ways to take a head away: it gives nothing; it always gives what it gives on "
           "average, so that what depends on the text goes; it gives nothing, but later heads look "
           "where they looked before, so that only what they read there changes."},
          {"composition, reads what these write, is read by",
           "How much of what an earlier head writes the keys, queries or values of a later one "
           "read, by the weights alone: 1 is all of it. σ counts standard deviations over random "
           "weights of the same size. An induction head's keys read a head that looks at the "
           "previous token."},
          {"alike heads, variance shown",
           "All heads of the open text in one plane: the nearer two dots, the more alike their rows, by the "
           "root of their Jensen-Shannon divergence. A plane cannot keep all distances; beside it "
           "stands how much of their variance it shows."},
          {"most alike",
           "The heads whose rows on the open text lie nearest to this one's, by their "
           "Jensen-Shannon divergence."},
          {"other numbers",
           "What is measured of a head besides: by its weights, by what it adds, by how it differs "
           "from its layer's others. None of them decides a role; each is explained below."},
          {"series, checkpoints, head counts",
           "One score over models in a row: the checkpoints of one training, which lie in folders "
           "named step-100 or checkpoint-100 in the model's own, or a family that differs in the "
           "number of heads alone, in folders side by side (name-h4, name-h8, ...). Each is "
           "scanned as the open model was. A line joins the best head of each; in a training the "
           "selected head is followed through the checkpoints. Family over steps shows both: a line for "
           "each number of heads over the steps, the mean over its runs (name-h4, name-h4-seed2, ...) "
           "with the standard error of that mean; a single run has no bar."},
          {"across h, overlap of heads",
           "The models of a family side by side, a column for each number of heads; further runs of "
           "one number, in folders named name-h4-2, are averaged. Overlap: how far two heads of a layer "
           "write into the same directions, 1 where one of them writes within the other's; beside it "
           "what random directions give, which falls as heads grow narrow."},
          {"pair", "Two words that a relation joins, such as a verb and its object."},
      }};
}

}  // namespace

extern const Screen kHeadsScreen;
const Screen kHeadsScreen{.kind = {.id = "heads",
                                   .name = "Heads",
                                   .about = "scores of all heads, and which role each has",
                                   .keys = "3",
                                   .place = 3,
                                   .subject = ScreenSubject::kHeads,
                                   .wants_scores = true},
                          .icon = DrawHeadsIcon,
                          .toolbar = DrawHeadsToolbar,
                          .body = DrawHeads,
                          .detail = DrawHeadsDetail,
                          .words = HelpOnHeads};

}  // namespace headscope

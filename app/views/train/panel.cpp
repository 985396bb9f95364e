// The runs side by side.
#include <algorithm>
#include <string>

#include "app/views/kit/pen.h"
#include "app/views/train/panels.h"

namespace headscope {
namespace {

// What one may find out, before a run has begun.
void DrawTrainQuestions(Ui* ui, const Rect& area) {
  struct Question {
    const char* title;
    const char* about;
    TrainKnobs knobs;
    std::vector<std::int64_t> heads;
  };
  static const std::vector<Question> kQuestions = {
      {"Watch induction heads form",
       "Two layers learn to copy in some 500 steps. Look for the bright stripe in the second layer: "
       "it comes at once, after a head of the first layer has found the token before.",
       {},
       {4}},
      {"Heads that start alike",
       "All heads begin with the same weights, so they get the same gradient and stay one and the "
       "same head for ever: the divergence stays 0.",
       {.alike = true},
       {4}},
      {"How many heads?",
       "1, 4, 8 and 16 heads side by side, with as many weights each. On copying, more heads form "
       "induction later.",
       {},
       {1, 4, 8, 16}},
      {"A task that asks heads to differ",
       "The mixture: heads for the token before, for the opener and for copies, and a divergence "
       "that grows.",
       {.task = TrainTask::kMixture},
       {4, 8}},
  };
  Pen pen = DrawWordsInstead(
      ui,
      area,
      "Train small models here and watch their heads form. Choose above, or begin with a question:");
  pen.Skip(10.0F);
  pen.width = std::min(pen.width, ui->Px(560.0F));
  for (const Question& one : kQuestions) {
    if (DrawCard(&pen, one.title, one.about)) {
      ui->Do(SetTrainKnobs{one.knobs});
      ui->Do(BeginTraining{one.heads});
    }
    pen.Skip(10.0F);
  }
}

}  // namespace

void DrawTrain(Ui* ui, const Rect& area) {
  const TrainScreenState& train = ui->state.train;
  Rect rest = area;
  if (!train.words.empty()) {
    const float pad = ui->Px(16.0F);
    const float height = DrawParagraph(*ui,
                                       rest.x + pad,
                                       rest.y + ui->Px(8.0F),
                                       rest.width - 2.0F * pad,
                                       train.words,
                                       Type::kSmall,
                                       ui->colors().text,
                                       2) +
                         ui->Px(16.0F);
    rest.y += height;
    rest.height = std::max(0.0F, rest.height - height);
  }
  if (train.runs.empty()) {
    DrawTrainQuestions(ui, rest);
    return;
  }
  const float wide = rest.width / static_cast<float>(train.runs.size());
  for (std::size_t i = 0; i < train.runs.size(); ++i) {
    DrawTrainRun(
        ui, {rest.x + static_cast<float>(i) * wide, rest.y, wide, rest.height}, train.runs[i]);
  }
}

}  // namespace headscope

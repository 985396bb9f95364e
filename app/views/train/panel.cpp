// The runs side by side.
#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/views/kit/pen.h"
#include "app/views/train/panels.h"

namespace headscope {
namespace {

// What one may find out, before a run has begun.
void DrawTrainQuestions(Ui* ui, const Rect& area) {
  struct Question {
    const char* title;
    const char* about;
    std::vector<TrainKnobs> runs;  // side by side
  };
  static const std::vector<Question> kQuestions = {
      {"Watch induction heads form",
       "Two layers learn to copy in some 500 steps. Look for the bright stripe in the second layer: "
       "it comes at once, after a head of the first layer has found the token before.",
       {{}}},
      {"Heads that start alike",
       "All heads begin with the same weights, so they get the same gradient and stay one and the "
       "same head for ever: the divergence stays 0.",
       {{.alike = true}}},
      {"How many heads?",
       "1, 4, 8 and 16 heads side by side, with as many weights each. On copying, more heads form "
       "induction later: one head by step 450, four by 600, sixteen not yet at 900.",
       {{.heads = 1}, {.heads = 4}, {.heads = 8}, {.heads = 16}}},
      {"A task that asks heads to differ",
       "Four heads copy, and four learn the mixture. On copying the second layer's heads end as copies "
       "of one another: their divergence is 0.03 after 900 steps. In the mixture it is 0.24, and goes "
       "on growing.",
       {{}, {.task = TrainTask::kMixture}}},
      {"Push heads apart",
       "What is minimised has a second part: how alike the maps of heads are. Weighed by .03 four heads "
       "learn to copy some 100 steps later, and stay apart: a divergence of 0.20 where it was 0.03. "
       "Weighed by .1 they flee from one another before they have learnt anything.",
       {{}, {.disagreement = 0.03}, {.disagreement = 0.1}}},
  };
  BeginScroll("train questions", area);
  const float pad = ui->Px(28.0F);
  Pen kept{ui, area.x + pad, area.y - ImGui::GetScrollY(), area.width - 2.0F * pad};
  if (!ui->state.train.kept.runs.empty()) {
    kept.Skip(20.0F);
    DrawKeptRuns(&kept);
  }
  Pen pen = DrawWordsInstead(
      ui,
      {area.x, kept.y, area.width, area.height},
      "Train small models here and watch their heads form. Choose above, or begin with a question:");
  pen.Skip(10.0F);
  pen.width = std::min(pen.width, ui->Px(560.0F));
  for (const Question& one : kQuestions) {
    if (DrawCard(&pen, one.title, one.about)) {
      for (const TrainKnobs& knobs : one.runs) {
        ui->Do(SetTrainKnobs{knobs});
        ui->Do(BeginTraining{});
      }
    }
    pen.Skip(10.0F);
  }
  ImGui::SetCursorScreenPos({area.x, pen.y});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
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
  if (train.curves.is_shown) {
    DrawTrainCurves(ui, rest);
    return;
  }
  if (train.kept.is_shown) {
    DrawTrainKept(ui, rest);
    return;
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

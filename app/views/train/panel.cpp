// The runs side by side.
#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/views/kit/pen.h"
#include "app/views/train/panels.h"

namespace headscope {
namespace {

// A question, and the runs side by side that answer it.
struct TrainQuestion {
  const char* title;
  const char* about;  // what to look at, and what was measured (tests/e2e/train_test.py)
  std::vector<TrainKnobs> runs;
};
const std::vector<TrainQuestion>& TrainQuestions() {
  static const std::vector<TrainQuestion> kQuestions = {
      {"Watch induction heads form",
       "Two layers learn to copy in some 500 steps. Look for the bright stripe in the second layer: "
       "it comes at once, after a head of the first layer has found the token before.",
       {{}}},
      {"How many heads?",
       "1, 4, 8 and 16 heads side by side, with as many weights each. On copying, more heads form "
       "induction later: one head by step 450, four by 600, sixteen not yet at 900.",
       {{.heads = 1}, {.heads = 4}, {.heads = 8}, {.heads = 16}}},
      {"Heads that start alike",
       "All heads begin with the same weights, so they get the same gradient and stay one and the "
       "same head for ever: the divergence stays 0.",
       {{.alike = true}}},
      {"How much noise parts them?",
       "None, a thousandth, a hundredth, a tenth of the first weights. Look at the first layer's "
       "divergence after 900 steps: 0 without any, .00 to .05 after a thousandth; a hundredth is enough, "
       ".06 to .18, as of heads that are drawn apart (.07 to .14; 3 seeds each).",
       {{.alike = true},
        {.alike = true, .noise = 1e-4},
        {.alike = true, .noise = 1e-3},
        {.alike = true, .noise = 1e-2}}},
      {"One layer alone",
       "One layer never gets it: it would have to know the token before and what followed it in one "
       "look. After 2,000 steps no head's induction is above .06, about chance (3 seeds); two layers "
       "have .9 by step 600.",
       {{.layers = 1}, {}}},
      {"Blocks of one length",
       "Blocks of 32 symbols, beside blocks of 8 to 50. By step 1,000 the loss is 1.7, what the first "
       "block must cost, and no induction is above .06 at other lengths: position alone tells what "
       "comes (3 seeds).",
       {{.fixed_period = true}, {}}},
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
  return kQuestions;
}

// Two beside one another where there is room, as tall as the taller one.
void DrawQuestionCards(Pen* pen) {
  Ui* const ui = pen->ui;
  const float gap = ui->Px(8.0F);
  constexpr float kLeastCard = 380.0F;
  constexpr float kMostCard = 560.0F;
  const std::size_t columns = pen->width >= 2.0F * ui->Px(kLeastCard) + gap ? 2 : 1;
  const auto across = static_cast<float>(columns);
  const float width = std::min((pen->width - gap * (across - 1.0F)) / across, ui->Px(kMostCard));
  const std::vector<TrainQuestion>& all = TrainQuestions();
  for (std::size_t first = 0; first < all.size(); first += columns) {
    const std::size_t end = std::min(first + columns, all.size());
    float height = 0.0F;
    for (std::size_t i = first; i < end; ++i) {
      height = std::max(height, CardHeight(*ui, width, all[i].about));
    }
    for (std::size_t i = first; i < end; ++i) {
      Pen card = pen->Part(static_cast<float>(i - first) * (width + gap), width);
      if (DrawCard(&card, all[i].title, all[i].about, height)) {
        for (const TrainKnobs& knobs : all[i].runs) {
          ui->Do(SetTrainKnobs{knobs});
          ui->Do(BeginTraining{});
        }
      }
    }
    pen->y += height + gap;
  }
}

// What one may find out, before a run has begun.
void DrawTrainQuestions(Ui* ui, const Rect& area) {
  BeginScroll("train questions", area);
  const float pad = ui->Px(28.0F);
  Pen kept{ui, area.x + pad, area.y - ImGui::GetScrollY(), area.width - 2.0F * pad};
  if (!ui->state.train.kept.runs.empty()) {
    kept.Skip(20.0F);
    DrawKeptRuns(&kept);
  }
  Pen pen{ui, area.x + pad, kept.y + ui->Px(12.0F), area.width - 2.0F * pad};
  pen.Paragraph(
      "Train small models here and watch their heads form. Choose above, or begin with a question:",
      Type::kBody,
      ui->colors().muted);
  pen.Skip(8.0F);
  DrawQuestionCards(&pen);
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

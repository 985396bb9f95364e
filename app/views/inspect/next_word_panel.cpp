#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/inspect/shares.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/figure/figure_kind.h"

namespace headscope {
namespace {

constexpr float kNextLine = 18.0F;  // unscaled
constexpr int kNextLines = 10;
constexpr int kNextFaultLines = 3;
constexpr std::int64_t kWritesAtOnce = 10;  // tokens
constexpr float kAddWidth = 18.0F;          // unscaled, as what follows
constexpr float kNumberWidth = 54.0F;

// A cross that adds the token to the text; and the token, whose logit is split by a click.
void DrawLikely(Pen pen, const NextWord& word, const NextWords& words) {
  Ui* const ui = pen.ui;
  const ThemeColors& colors = ui->colors();
  const bool can_continue = CanContinue(ui->state);
  const float adds = can_continue ? ui->Px(kAddWidth) : 0.0F;
  const float numbers = ui->Px(kNumberWidth);
  Row heading = pen.Line(kNextLine);
  heading.Left(adds);
  heading.TextRight("logit", Type::kSmall, colors.muted);
  heading.Text("likeliest", Type::kSmall, colors.muted);
  for (std::size_t i = 0; i < words.lines.size(); ++i) {
    const LikelyLine& line = words.lines[i];
    const auto which = static_cast<int>(i);
    Row row = pen.Line(kNextLine);
    if (can_continue) {
      const Rect place = row.Left(adds);
      const Pressed add = Area(ui, "add token", which, place, "The text goes on with it");
      DrawTextIn(*ui,
                 {place.x + ui->Px(4.0F), place.y, place.width, place.height},
                 "+",
                 Type::kMonoSmall,
                 add.hovered ? colors.accent : colors.dim,
                 place.width);
      if (add.clicked) {
        ui->Do(ContinueText{i});
      }
    }
    DrawChoiceOfToken(ui, row.rest(), word, i);
    const Rgb color = line.is_actual ? colors.accent : colors.text;
    const Rect name = row.Left((pen.width - adds) * 0.4F);
    DrawBeginning(*ui,
                  {name.x + ui->Px(3.0F), name.y, name.width, name.height},
                  line.token,
                  Type::kMonoSmall,
                  color,
                  name.width - ui->Px(8.0F));
    Row(ui, row.Right(numbers)).TextRight(line.logit, Type::kMonoSmall, colors.muted);
    Row(ui, row.Right(numbers)).TextRight(line.number, Type::kMonoSmall, color);
    const Rect bars = row.rest();
    if (bars.width > ui->Px(16.0F)) {
      DrawMeter(
          *ui, bars, {.to = line.length, .color = line.is_actual ? colors.accent : colors.muted});
    }
  }
}

// Layers of the stack that says words.
std::int64_t LensLines(const AppState& state) {
  const ModelDescription& model = state.model->description;
  return model.decoder ? model.decoder->layers : model.layers;
}

// What the stream would say after each layer; the tooltip has all that are likely.
void DrawLens(Pen* pen, const NextWord& word) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  Row title = pen->Line(kNextLine);
  Area(ui,
       "lens",
       title.whole(),
       "The final norm and the output layer read the stream after each layer, as if the rest of "
       "the model did nothing (logit lens). Early layers do not write for these readers: what it "
       "shows there is no proof of what the model knows");
  if (title.ButtonRight("export lens",
                        {.text = "Export",
                         .tooltip = "The ten tokens after each layer, as a picture or as numbers",
                         .type = Type::kSmall,
                         .bare = true})) {
    ui->Do(ExportKind{FindFigureKind(FigureOf::kWord, "lens")});
  }
  title.Text("what the stream would say after each layer", Type::kSmall, colors.muted);
  const std::vector<LensLine> lines = LensOf(word);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Row row = pen->Line(kNextLine);
    Area(ui, "lens layer", static_cast<int>(i), row.whole(), lines[i].words);
    row.Cell(ui->Px(40.0F), lines[i].layer, Type::kMonoSmall, colors.dim, 6.0F);
    const float wide = row.rest().width / 3.0F;
    for (const LikelyLine& likely : lines[i].likeliest) {
      const Rect place = row.Left(wide);
      FillRect(*ui,
               {place.x,
                place.y + ui->Px(1.0F),
                (wide - ui->Px(6.0F)) * std::min(1.0F, likely.length),
                place.height - ui->Px(2.0F)},
               Blend(colors.panel, colors.accent, 0.28F),
               3.0F);
      const float number = TextWidth(*ui, likely.number, Type::kMonoSmall);
      const float name = std::max(ui->Px(10.0F), wide - number - ui->Px(18.0F));
      DrawBeginning(*ui,
                    {place.x + ui->Px(4.0F), place.y, name, place.height},
                    likely.token,
                    Type::kMonoSmall,
                    likely.is_actual ? colors.accent : colors.text,
                    name);
      DrawTextIn(*ui,
                 {place.x + wide - number - ui->Px(10.0F), place.y, number, place.height},
                 likely.number,
                 Type::kMonoSmall,
                 colors.dim,
                 number);
    }
  }
}

}  // namespace

float NextWordHeight(const Ui& ui) {
  if (!HeldRow(ui.state)) {
    return 0.0F;
  }
  const auto lines = static_cast<float>(kNextLines + 2 + LensLines(ui.state) + 1);
  return ui.Px(kNextLine) * lines + ui.Px(26.0F) + ShareListsHeight(ui);
}

void DrawNextWord(Pen* whole) {
  Ui* const ui = whole->ui;
  const ThemeColors& colors = ui->colors();
  const std::optional<WordPlace> place = HeldRow(ui->state);
  if (!place) {
    return;
  }
  Pen pen = *whole;
  whole->y += NextWordHeight(*ui);
  const std::shared_ptr<const NextWord> word = WordInView(ui->state);
  const NextWords words = word != nullptr ? WordsOfNext(*word) : NextWords{};
  pen.Skip(10.0F);
  Row title = pen.Line(kNextLine);
  const bool writes = ui->state.writing.tokens > 0;
  if (CanContinue(ui->state) || writes) {
    const ButtonLook look{
        .text = writes ? "Stop writing" : "Write 10 tokens",
        .tooltip = writes
                       ? "The text stays as it is now"
                       : "The text goes on with the likeliest token, ten times; maps follow each. "
                         "+ before a token below goes on with that one",
        .type = Type::kSmall};
    const Rect button = title.Right(ButtonWidth(*ui, look));
    if (Button(ui, "write on", Inset(button, 0.0F, -ui->Px(2.0F)), look)) {
      ui->Do(WriteOn{writes ? 0 : kWritesAtOnce});
    }
    title.SkipRight(8.0F);
  }
  Area(ui,
       "next word",
       title.rest(),
       "The likeliest tokens by the softmax over the whole vocabulary; beside and below them, what "
       "each part of the model itself writes into a logit. What later layers make of it is not "
       "counted, and another head may do its work when one is missing.");
  title.Text(word != nullptr ? words.title : "The next word", Type::kBold, colors.text);
  title.Skip(10.0F);
  if (!IsSaidOf(ui->state, *place)) {
    title.Text("asking the model…", Type::kSmall, colors.dim);
    return;
  }
  if (word == nullptr) {
    pen.Paragraph(ui->state.next_word.fault, Type::kSmall, colors.muted, kNextFaultLines);
    return;
  }
  title.Text(words.told, Type::kSmall, colors.muted);
  pen.Skip(4.0F);
  const float gap = ui->Px(22.0F);
  const float half = (pen.width - gap) / 2.0F;
  const float tall = ui->Px(kNextLine) * static_cast<float>(kNextLines + 1);
  DrawLikely(pen.Part(0.0F, half), *word, words);
  if (word->prediction.shares) {
    DrawShares(pen.Part(half + gap, half), tall, *word);
  }
  pen.Take(tall + ui->Px(8.0F));
  DrawShareLists(&pen, *word);
  DrawLens(&pen, *word);
}

}  // namespace headscope

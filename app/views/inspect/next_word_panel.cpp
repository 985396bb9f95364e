#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <imgui.h>

#include "app/state/inspect/next_words.h"
#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/widgets.h"
#include "core/figure/color_scale.h"

namespace headscope {
namespace {

constexpr float kNextLine = 18.0F;  // unscaled
constexpr int kNextLines = 10;
constexpr int kNextFaultLines = 3;
constexpr std::int64_t kWritesAtOnce = 10;  // tokens

// Layers x heads, coloured by share around 0; the pointed head is told, a click leads to it. Returns
// its height.
float DrawSharesMap(Ui* ui, const Rect& area, const NextWord& word) {
  const ThemeColors& colors = ui->colors();
  const auto layers = static_cast<float>(word.heads.layers);
  const auto heads = static_cast<float>(word.heads.heads);
  const float wide = area.width / heads;
  const float tall = std::min(area.height / layers, ui->Px(kNextLine));
  const float gap = std::min({ui->Px(2.0F), wide / 4.0F, tall / 4.0F});
  const std::vector<double> shares = SharesOfHeads(word);
  const double largest = std::max(LargestShare(word), 1e-9);
  const auto table = ColormapTable(Colormap::kDiverging, ui->state.theme);
  const ImVec2 mouse = ImGui::GetMousePos();
  const auto column = static_cast<std::int64_t>(std::floor((mouse.x - area.x) / wide));
  const auto row = static_cast<std::int64_t>(std::floor((mouse.y - area.y) / tall));
  const bool is_in =
      column >= 0 && column < word.heads.heads && row >= 0 && row < word.heads.layers;
  const HeadIndex pointed{row, column, word.heads.part};
  const Rect whole{area.x, area.y, area.width, tall * layers};
  const Pressed pressed =
      Area(ui, "shares", whole, is_in ? ShareWords(word, pointed) : std::string());
  for (std::size_t place = 0; place < word.heads.count(); ++place) {
    const HeadIndex head = word.heads.At(place);
    const Rect cell{area.x + static_cast<float>(head.head) * wide,
                    area.y + static_cast<float>(head.layer) * tall,
                    wide - gap,
                    tall - gap};
    const double at = 0.5 + 0.5 * shares[place] / largest;
    FillRect(
        *ui, cell, table[static_cast<std::size_t>(std::lround(at * (kColormapSize - 1)))], 2.0F);
    const bool is_selected =
        head.layer == ui->state.selection.head.layer && head.head == ui->state.selection.head.head;
    if (is_selected || (pressed.hovered && is_in && head == pointed)) {
      FrameRect(*ui, cell, is_selected ? colors.accent : colors.text, 2.0F, 1.5F);
    }
  }
  if (pressed.clicked && is_in && pointed != ui->state.selection.head) {
    ui->Do(ClickHead{pointed});
  }
  return whole.height;
}

void DrawLikely(Pen pen, const NextWords& words) {
  Ui* const ui = pen.ui;
  const ThemeColors& colors = ui->colors();
  const bool can_continue = CanContinue(ui->state);
  for (std::size_t i = 0; i < words.lines.size(); ++i) {
    const LikelyLine& line = words.lines[i];
    Row row = pen.Line(kNextLine);
    if (can_continue) {
      const Pressed area = Area(ui,
                                "likely token",
                                static_cast<int>(i),
                                row.whole(),
                                "A click: the text goes on with it");
      if (area.hovered) {
        FillRect(*ui, row.whole(), Blend(colors.panel, colors.text, 0.08F), 3.0F);
      }
      if (area.clicked) {
        ui->Do(ContinueText{i});
      }
    }
    const Rect name = row.Left(pen.width * 0.42F);
    const Rgb color = line.is_actual ? colors.accent : colors.text;
    DrawBeginning(*ui, name, line.token, Type::kMonoSmall, color, name.width - ui->Px(6.0F));
    const Rect rest = row.rest();
    const float bars = std::max(ui->Px(16.0F), rest.width - ui->Px(56.0F));
    DrawMeter(*ui,
              {rest.x, rest.y, bars, rest.height},
              {.to = line.length, .color = line.is_actual ? colors.accent : colors.muted});
    DrawNumber(*ui,
               rest.x + rest.width - NumberWidth(*ui, line.number),
               rest.y + (rest.height - LineHeight(*ui, Type::kMonoSmall)) / 2.0F,
               line.number,
               color);
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
  const auto lens = [&ui] {
    return ui.Px(kNextLine) * static_cast<float>(LensLines(ui.state) + 1) + ui.Px(8.0F);
  };
  return HeldRow(ui.state)
             ? ui.Px(kNextLine) * static_cast<float>(kNextLines + 2) + ui.Px(18.0F) + lens()
             : 0.0F;
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
  const SaidWord& said = ui->state.next_word;
  const bool is_answered = said.of == place && said.answer != nullptr;
  const NextWords words = is_answered ? WordsOfNext(*said.answer) : NextWords{};
  pen.Skip(10.0F);
  Row title = pen.Line(kNextLine);
  const bool writes = ui->state.writing.tokens > 0;
  if (CanContinue(ui->state) || writes) {
    const ButtonLook look{
        .text = writes ? "Stop writing" : "Write 10 tokens",
        .tooltip = writes
                       ? "The text stays as it is now"
                       : "The text goes on with the likeliest token, ten times; maps follow each. "
                         "A click on a token below goes on with that one",
        .type = Type::kSmall};
    const Rect place = title.Right(ButtonWidth(*ui, look));
    if (Button(ui, "write on", Inset(place, 0.0F, -ui->Px(2.0F)), look)) {
      ui->Do(WriteOn{writes ? 0 : kWritesAtOnce});
    }
    title.SkipRight(8.0F);
  }
  Area(
      ui,
      "next word",
      title.rest(),
      "The likeliest tokens by the softmax over the whole vocabulary; below them, what each head "
      "itself writes into the logit of the first one. What later layers make of it is not counted, "
      "and another head may do its work when one is missing.");
  title.Text(is_answered ? words.title : "The next word", Type::kBold, colors.text);
  title.Skip(10.0F);
  if (said.of != place) {
    title.Text("asking the model…", Type::kSmall, colors.dim);
    return;
  }
  if (said.answer == nullptr) {
    pen.Paragraph(said.fault, Type::kSmall, colors.muted, kNextFaultLines);
    return;
  }
  title.Text(words.told, Type::kSmall, colors.muted);
  pen.Skip(4.0F);
  const float gap = ui->Px(22.0F);
  const float half = (pen.width - gap) / 2.0F;
  Pen left = pen.Part(0.0F, half);
  left.Line(kNextLine).Text("likeliest", Type::kSmall, colors.muted);
  DrawLikely(left, words);
  if (!words.shares.empty()) {
    Pen right = pen.Part(half + gap, half);
    Row heading = right.Line(kNextLine);
    DrawBeginning(
        *ui, heading.whole(), words.shares, Type::kSmall, colors.muted, heading.whole().width);
    const float most = ui->Px(kNextLine) * static_cast<float>(kNextLines - 1);
    const float line = ui->Px(kNextLine) * static_cast<float>(said.answer->heads.layers);
    right.Take(DrawSharesMap(ui, {right.x, right.y, half, std::min(most, line)}, *said.answer));
    Row below = right.Line(kNextLine);
    const std::string words_below = MostWords(*said.answer);
    DrawBeginning(*ui, below.whole(), words_below, Type::kSmall, colors.dim, below.whole().width);
  }
  Pen lens{ui,
           pen.x,
           pen.y + ui->Px(kNextLine) * static_cast<float>(kNextLines + 1) + ui->Px(8.0F),
           pen.width};
  DrawLens(&lens, *said.answer);
}

}  // namespace headscope

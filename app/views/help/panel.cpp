// Keys and mouse, then every word on screen.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/answers.h"
#include "app/views/help/tour.h"
#include "app/views/help/words.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

struct KeyLine {
  std::string_view keys;
  std::string_view what;
};

constexpr auto kKeys = std::to_array<KeyLine>({
    {"← → ↑ ↓", "walk heads and layers; in a sorted grid, in its order"},
    {"Shift + arrows", "walk queries and keys of the large map"},
    {"click, Space", "keep the head; again, or Esc, releases it"},
    {"L5H1, Ctrl K", "go to a head: L5H1, 5.1, 5-1, layer 5 head 1"},
    {"O, Shift O", "the head as map, lines, arcs, text, query and key: the next, the one before"},
    {"Shift + click", "in the text: add a word, or take it away; their sum shades the text"},
    {"X, Del",
     "take the pointed or selected head away, or put it back: later maps and the loss follow"},
    {"K", "cut the held cell's edge of attention, or join it; Shift K: its key for all rows"},
    {"B", "heads are off: the whole model for a look; again goes back"},
    {"P", "of an encoder-decoder: encoder, decoder, cross-attention (also E0H1, D0H1, X0H1)"},
    {"N", "in Counts: draw columns, weights or input anew, with the next seed"},
    {"W",
     "line by line: from what a layer reads to what its heads add; again, or Esc, goes back; in "
     "Compare: the next way"},
    {"← → and [ ]", "line by line: the step before and after, the head before and after"},
    {"F", "flag the head: 1 to 8 or arrows for the role, letters for the note, Enter saves"},
    {"Ctrl Z, Ctrl Y", "undo and redo flags"},
    {"Ctrl Shift P", "everything that can be done, found by a part of its name"},
    {"Alt ←, Alt →", "the view before, the view after"},
    {"F5", "present to others: maps and text alone, light, a large cross; again ends it"},
    {"Ctrl E", "export what is on screen: PNG, PDF, SVG or a web page"},
    {"Ctrl Shift E", "keep what the screen shows in Figures (5)"},
    {"Ctrl S", "sessions: save what is on screen, open another as it was"},
    {"wheel, + −", "zoom the large map about the pointer"},
    {"drag", "move the zoomed map"},
    {"0, double click", "fit the whole map"},
    {"click a cell", "hold the cross-hair there; Esc lets go"},
    {"/ or Ctrl L", "go to the sentence; Esc leaves it"},
    {"in a text",
     "Ctrl Z and Ctrl Y undo and redo words; a double click takes a word, a third all"},
    {"ids: 5, 17, 3", "typed as the sentence: token ids in place of a text"},
    {"Ctrl T", "go to an encoder-decoder's target; where it is empty the model generates it"},
    {"S", "samples"},
    {"M", "models: bundled, recent, a path or a name, files"},
    {"C", "curve: linear, square root, logarithm"},
    {"R", "range: 0 to 1, per row, per head, per layer, all heads"},
    {"H", "hide the pointed token; Tokens in the toolbar shows it again"},
    {"V", "next colour map"},
    {"T", "dark or light"},
    {"Ctrl +, Ctrl -, Ctrl 0", "all text and controls larger, smaller, as at first"},
    {"Ctrl C", "copy the head's name"},
    {"Ctrl Q", "leave; flags are kept as you set them"},
    {"drop", "a model folder, attention, a text (.txt), a session or flags (.json, .csv)"},
});

void DrawTitleInHelp(Pen* pen, std::string_view words) {
  pen->Text(words, Type::kTitle, pen->ui->colors().text, 40.0F);
}

// A term, and beside it what it means.
void DrawTermInHelp(Pen* pen,
                    std::string_view term,
                    Type type,
                    std::string_view what,
                    std::string_view numbers = {}) {
  const ThemeColors& colors = pen->ui->colors();
  const float wide = std::min(pen->ui->Px(150.0F), pen->width * 0.35F);
  const float from = wide + pen->ui->Px(16.0F);
  Pen left = pen->Part(0.0F, wide);
  Pen right = pen->Part(from, pen->width - from);
  left.Paragraph(term, type, colors.text);
  right.Paragraph(what, Type::kBody, colors.muted);
  if (!numbers.empty()) {
    right.Paragraph(numbers, Type::kBody, colors.text);
  }
  pen->y = std::max(left.y, right.y);
  pen->Skip(4.0F);
}

void GoTo(const Ui* ui, const Answer& answer) {
  ui->Do(SetScreen{&ScreenNamed(answer.screen).kind});
  for (const Action& action : answer.actions) {
    ui->Do(action);
  }
}

// Each question with its answer of the open model, and a button that leads to where one sees it.
void DrawAnswersInHelp(Pen* pen) {
  const Ui* const ui = pen->ui;
  DrawTitleInHelp(pen, "Heads, asked and answered");
  for (const Answer& answer : AnswersOf(ui->state)) {
    pen->Paragraph(answer.question, Type::kBold, ui->colors().text);
    pen->Paragraph(answer.words, Type::kBody, ui->colors().muted);
    pen->Skip(6.0F);
    const std::string words(answer.button);
    if (pen->Line(28.0F).Button(words.c_str(), {.text = words, .tooltip = "Goes there"})) {
      GoTo(ui, answer);
    }
    pen->Skip(18.0F);
  }
  pen->Skip(8.0F);
}

}  // namespace

void DrawQuestionsMenu(Ui* ui) {
  if (MenuRow(ui,
              "tour",
              "Show me around",
              "The window in eight cards, in under a minute; Esc ends it")) {
    ui->Do(ClosePopup);
    GoToTourStop(ui, 0);
  }
  Heading(ui, "A question leads to where one sees the answer; Help (?) has all answers in full");
  for (const Answer& answer : AnswersOf(ui->state)) {
    const std::string question(answer.question);
    if (MenuRow(ui, question.c_str(), question, answer.words)) {
      ui->Do(ClosePopup);
      GoTo(ui, answer);
    }
  }
}

void DrawHelp(Ui* ui, const Rect& area) {
  BeginScroll("help", area);
  const float pad = ui->Px(28.0F);
  Pen pen{ui,
          area.x + pad,
          area.y + ui->Px(20.0F) - ImGui::GetScrollY(),
          std::min(area.width - 2.0F * pad, ui->Px(760.0F))};
  DrawAnswersInHelp(&pen);
  DrawTitleInHelp(&pen, "Keys and mouse");
  for (const Screen* screen : AllScreens()) {
    DrawTermInHelp(&pen,
                   KeysOf(screen->kind),
                   Type::kMono,
                   fmt::format("{}: {}", screen->kind.name, screen->kind.about));
  }
  for (const KeyLine& key : kKeys) {
    DrawTermInHelp(&pen, key.keys, Type::kMono, key.what);
  }
  for (const HelpChapter& chapter : HelpChapters()) {
    pen.Skip(20.0F);
    DrawTitleInHelp(&pen, chapter.title);
    for (const HelpWord& word : chapter.words) {
      DrawTermInHelp(&pen,
                     word.term,
                     Type::kBold,
                     word.meaning,
                     word.numbers != nullptr ? word.numbers(ui->state) : std::string());
    }
  }
  pen.Skip(20.0F);
  ImGui::SetCursorScreenPos({area.x, pen.y});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope

#include "app/views/inspect/shares.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/cause_links.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/text_box.h"
#include "app/views/kit/widgets.h"
#include "core/base/hundredths.h"
#include "core/figure/color_scale.h"
#include "core/figure/figure_kind.h"

namespace headscope {
namespace {

constexpr float kShareLine = 18.0F;  // unscaled
constexpr float kMapLine = 28.0F;
constexpr std::size_t kSomeParts = 8;
constexpr std::size_t kMostParts = 400;
constexpr int kTokenFaultLines = 4;

std::size_t PartsShown(const Ui& ui) {
  return ui.memory->all_parts ? kMostParts : kSomeParts;
}

void DrawTokenBox(Ui* ui, const Rect& rect, const NextWord& word, bool is_over) {
  const SplitTokens& tokens = ui->state.split_tokens;
  const std::string& text = is_over ? tokens.over : tokens.of;
  DrawTextBox(
      ui,
      rect,
      {.name = is_over ? "lead over" : "share in",
       .text = text,
       .hint = is_over ? "none" : word.split,
       .hint_color = is_over ? ui->colors().dim : ui->colors().text,
       .tooltip =
           is_over ? "Its lead over this token is split, not its own logit: type one token, or its "
                     "number as #5. Shift and a click on a likely one does the same"
                   : "The token whose logit is split. Empty: the likeliest. Type one token, or its "
                     "number as #5; a click on a likely one does the same",
       .note = "",
       .clear_tooltip = text.empty() ? ""
                        : is_over    ? "Its own logit"
                                     : "The likeliest",
       .least_beside_note = 40.0F,
       .edit = [tokens, is_over](const std::string& edited) -> Action {
         SplitTokens changed = tokens;
         (is_over ? changed.over : changed.of) = edited;
         return SetSplitTokens{std::move(changed)};
       }});
}

// Layers x heads; the pointed head is told, a click leads to it. Returns its height.
float DrawSharesMap(Ui* ui, const Rect& area, const NextWord& word) {
  const ThemeColors& colors = ui->colors();
  const auto layers = static_cast<float>(word.heads.layers);
  const auto heads = static_cast<float>(word.heads.heads);
  const float wide = area.width / heads;
  const float tall = std::min(area.height / layers, ui->Px(kMapLine));
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
    const bool is_selected = head == ui->state.selection.head;
    if (is_selected || (pressed.hovered && is_in && head == pointed)) {
      FrameRect(*ui, cell, is_selected ? colors.accent : colors.text, 2.0F, 1.5F);
    }
  }
  if (pressed.clicked && is_in && pointed != ui->state.selection.head) {
    ui->Do(ClickHead{pointed});
  }
  return whole.height;
}

// A bar to the right of the middle raises the logit, one to the left lowers it.
void DrawShareBar(const Ui& ui, const Rect& rect, const ShareLine& line) {
  const float middle = rect.x + rect.width / 2.0F;
  const float length = std::max(1.0F, std::abs(line.length) * rect.width / 2.0F);
  const auto table = ColormapTable(Colormap::kDiverging, ui.state.theme);
  const Rgb color = line.length < 0.0F ? table.front() : table.back();
  const float tall = ui.Px(8.0F);
  FillRect(ui,
           {line.length < 0.0F ? middle - length : middle,
            rect.y + (rect.height - tall) / 2.0F,
            length,
            tall},
           Blend(ui.colors().panel, color, 0.85F),
           1.0F);
  FillRect(ui, {middle, rect.y + 1.0F, 1.0F, rect.height - 2.0F}, ui.colors().line, 0.0F);
}

// Returns whether a line's name was clicked.
bool DrawLineName(Ui* ui, const Rect& rect, const ShareLine& line, std::string_view name) {
  const bool leads = line.head || line.key >= 0;
  const Pressed area = Area(ui,
                            "share line",
                            rect,
                            line.head       ? "Go to this head"
                            : line.key >= 0 ? "Go to this cell"
                                            : "");
  const ThemeColors& colors = ui->colors();
  DrawBeginning(*ui,
                rect,
                name,
                Type::kMonoSmall,
                leads && !area.hovered ? colors.accent : colors.text,
                rect.width - ui->Px(6.0F));
  return area.clicked;
}

// `keys`: whose tokens lines with a key are of.
void DrawLines(
    Pen* pen, const char* id, const ShareLines& lines, std::int64_t query, const Encoding* keys) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  ImGui::PushID(id);
  for (std::size_t i = 0; i < lines.lines.size(); ++i) {
    const ShareLine& line = lines.lines[i];
    Row row = pen->Line(kShareLine);
    const Rect& whole = row.whole();
    if (!ImGui::IsRectVisible({whole.x, whole.y},
                              {whole.x + whole.width, whole.y + whole.height})) {
      continue;
    }
    ImGui::PushID(static_cast<int>(i));
    const Rect name = row.Left(pen->width * 0.42F);
    if (line.mlp) {
      DrawMlpLink(ui, name, *line.mlp, line.name);
    } else if (line.key >= 0) {
      if (DrawLineName(ui, name, line, TokenLabel(*keys, line.key))) {
        ui->Do(ClickCell{MapPoint{.query = query, .key = line.key}});
      }
    } else if (DrawLineName(ui, name, line, line.name) && line.head &&
               *line.head != ui->state.selection.head) {
      ui->Do(ClickHead{*line.head});
    }
    Row(ui, row.Right(ui->Px(50.0F))).TextRight(line.number, Type::kMonoSmall, colors.text);
    row.SkipRight(4.0F);
    Area(ui, "share", row.rest(), line.about);
    DrawShareBar(*ui, row.rest(), line);
    ImGui::PopID();
  }
  if (!lines.rest.empty()) {
    pen->Line(kShareLine).Text(lines.rest, Type::kSmall, colors.dim);
  }
  ImGui::PopID();
}

}  // namespace

void DrawChoiceOfToken(Ui* ui, const Rect& line, const NextWord& word, std::size_t place) {
  if (!word.prediction.shares) {
    return;
  }
  const ThemeColors& colors = ui->colors();
  const ShareQuestion& split = word.prediction.shares->question;
  const std::int32_t id = word.prediction.rows.front().top[place].id;
  const Pressed area = Area(ui,
                            "likely token",
                            static_cast<int>(place),
                            line,
                            "A click: its logit is split at the right, and below. Shift and a "
                            "click: the lead over it");
  if (id == split.id) {
    FillRect(*ui, line, ChosenFill(*ui), 3.0F);
  } else if (area.hovered) {
    FillRect(*ui, line, Blend(colors.panel, colors.text, 0.08F), 3.0F);
  }
  if (split.against == id) {
    FrameRect(*ui, line, colors.muted, 3.0F);
  }
  if (!area.clicked) {
    return;
  }
  SplitTokens tokens = ui->state.split_tokens;
  if (ImGui::GetIO().KeyShift) {
    tokens.over = split.against == id ? "" : word.typed[place];
    tokens.of = tokens.of.empty() && !tokens.over.empty() ? word.typed.front() : tokens.of;
  } else {
    tokens.of = place == 0 && tokens.over.empty() ? "" : word.typed[place];
  }
  ui->Do(SetSplitTokens{std::move(tokens)});
}

void DrawShares(Pen pen, float height, const NextWord& word) {
  Ui* const ui = pen.ui;
  const ThemeColors& colors = ui->colors();
  const float bottom = pen.y + height;
  Row heading = pen.Line(kShareLine);
  if (heading.ButtonRight("export shares",
                          {.text = "Export",
                           .tooltip = "The map of shares, or the list of all parts: a picture, or "
                                      "numbers",
                           .type = Type::kSmall,
                           .bare = true})) {
    ui->Do(ExportKind{FindFigureKind(FigureOf::kWord)});
  }
  DrawBeginning(*ui,
                heading.rest(),
                word.over.empty() ? "each head's share in" : "each head's share in the lead of",
                Type::kSmall,
                colors.muted,
                heading.rest().width);
  Row fields = pen.Line(24.0F);
  const float over = TextWidth(*ui, "over", Type::kSmall) + ui->Px(12.0F);
  const float box = (pen.width - over) / 2.0F;
  DrawTokenBox(ui, fields.Left(box), word, false);
  Row between(ui, fields.Left(over));
  between.TextMiddle("over", Type::kSmall, colors.muted);
  DrawTokenBox(ui, fields.rest(), word, true);
  pen.Skip(4.0F);
  if (!word.token_fault.empty()) {
    pen.Paragraph(word.token_fault, Type::kSmall, colors.text, kTokenFaultLines);
    pen.Text(fmt::format("Shown: \u201c{}\u201d, the likeliest", word.split),
             Type::kSmall,
             colors.muted,
             kShareLine);
  }
  const float room = std::max(0.0F, bottom - pen.y - ui->Px(kShareLine));
  const float wanted = ui->Px(kMapLine) * static_cast<float>(word.heads.layers);
  pen.Take(DrawSharesMap(ui, {pen.x, pen.y, pen.width, std::min(room, wanted)}, word));
  const std::string most = MostWords(word);
  Row below = pen.Line(kShareLine);
  DrawBeginning(*ui, below.whole(), most, Type::kSmall, colors.dim, below.whole().width);
}

float ShareListsHeight(const Ui& ui) {
  const std::shared_ptr<const NextWord> word = WordInView(ui.state);
  if (word != nullptr && !word->prediction.shares) {
    return 0.0F;
  }
  std::size_t lines = kSomeParts + 1;
  if (word != nullptr && ui.memory->all_parts) {
    const LogitShares& shares = *word->prediction.shares;
    const auto keys = shares.keys.find(ui.state.selection.head);
    lines =
        std::max(LinesWithRest(shares.parts.size(), kMostParts),
                 keys == shares.keys.end() ? 0 : LinesWithRest(keys->second.size(), kMostParts));
  }
  return ui.Px(kShareLine) * static_cast<float>(lines + 2) + ui.Px(8.0F);
}

void DrawShareLists(Pen* pen, const NextWord& word) {
  if (!word.prediction.shares) {
    return;
  }
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const float height = ShareListsHeight(*ui);
  const float gap = ui->Px(22.0F);
  const float half = (pen->width - gap) / 2.0F;
  const LogitShares& shares = *word.prediction.shares;
  Pen parts = pen->Part(0.0F, half);
  Row heading = parts.Line(kShareLine);
  const bool is_all = ui->memory->all_parts;
  if (heading.ButtonRight("all parts",
                          {.text = is_all ? "Fewer" : "All",
                           .tooltip = is_all ? "Only those that count most"
                                             : "Every part of the logit, and every key",
                           .type = Type::kSmall,
                           .bare = true})) {
    ui->memory->all_parts = !is_all;
    ui->WakeIn(0.0);
  }
  const Rect words = heading.rest();
  Area(
      ui,
      "parts of logit",
      words,
      "What each part of the model wrote into this row, read by the final norm, held as it is, and "
      "the token's column of the output matrix. The parts add up to the logit");
  DrawBeginning(
      *ui,
      words,
      word.over.empty()
          ? fmt::format("every part of \u201c{}\u201d", word.split)
          : fmt::format("every part of \u201c{}\u201d over \u201c{}\u201d", word.split, word.over),
      Type::kSmall,
      colors.muted,
      words.width);
  DrawLines(&parts, "parts", PartLines(word, PartsShown(*ui)), shares.question.row, nullptr);
  const std::string sum = SumWords(shares);
  Row total = parts.Line(kShareLine);
  DrawBeginning(*ui, total.whole(), sum, Type::kSmall, colors.muted, total.whole().width);
  Pen keys = pen->Part(half + gap, half);
  const std::string name = HeadName(ui->state.selection.head);
  // Of a head in another stack than the words', or taken away, no keys are said.
  const std::shared_ptr<const Encoding> tokens = MapInFull(ui->state).key_tokens;
  const auto lines = tokens == nullptr
                         ? std::nullopt
                         : KeyLines(word, ui->state.selection.head, *tokens, PartsShown(*ui));
  if (lines) {
    const std::optional<double> share = ShareOf(word, ui->state.selection.head);
    Row title = keys.Line(kShareLine);
    Area(ui,
         "keys of share",
         title.whole(),
         "The head's share is a sum over the tokens that it reads: weight times what the token's "
         "value adds to the logit");
    title.Text(share ? fmt::format("{}'s {}, by key", name, SignedHundredths(*share))
                     : fmt::format("{}, by key", name),
               Type::kSmall,
               colors.muted);
    DrawLines(&keys, "keys", *lines, shares.question.row, tokens.get());
  } else {
    keys.Line(kShareLine).Text(fmt::format("{}: by key …", name), Type::kSmall, colors.dim);
  }
  pen->Take(height);
}

}  // namespace headscope

// The text itself, shaded by what a word looks at or by who looks at it: of one head, or the mean of
// several of its layer; a shading may be kept and stands above the next.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/cell_words.h"
#include "app/state/inspect/cut_edges.h"
#include "app/state/inspect/head_views.h"
#include "app/state/inspect/two_texts.h"
#include "app/views/inspect/head_views.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "core/figure/text_block.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr const char* kFindField = "find token";
constexpr float kWordPad = 4.0F;  // unscaled, at either side of a word
constexpr Rgb kFound = RgbOf(0xE69F00);

std::string Lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  });
  return text;
}

// The tokens that hold what is typed; ASCII letters of either case are the same.
std::vector<std::int64_t> FindTokens(const Encoding& encoding, const std::string& typed) {
  std::vector<std::int64_t> found;
  const std::string wanted = Lowered(typed);
  for (std::size_t i = 0; i < encoding.tokens.size() && !wanted.empty(); ++i) {
    if (Lowered(encoding.tokens[i].display).find(wanted) != std::string::npos) {
      found.push_back(static_cast<std::int64_t>(i));
    }
  }
  return found;
}

bool RunsToTheLeft(const Encoding& encoding) {
  constexpr std::size_t kTold = 64;
  std::string beginning;
  for (std::size_t i = 0; i < std::min(kTold, encoding.tokens.size()); ++i) {
    beginning += encoding.tokens[i].display + " ";
  }
  return TextBlock::DirectionOf(beginning) == TextBlock::Direction::kRightToLeft;
}

// What pointing at a word means.
MapPoint PointOfWord(const AppState& state, std::int64_t word) {
  return state.head_look.by_key ? MapPoint{.query = state.selection.row.value_or(0), .key = word}
                                : MapPoint{.query = word};
}

void ClickWord(Ui* ui, std::int64_t word) {
  HeadLook look = ui->state.head_look;
  const auto text = AskedText(ui->state);
  const ShadeQuestion now = ShadesInView(ui->state);
  if (ImGui::GetIO().KeyShift) {
    look.words = {.of = text, .tokens = now.words};
    auto& words = look.words.tokens;
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) {
      words.push_back(word);
    } else if (words.size() > 1) {
      words.erase(found);
    }
    ui->Do(SetHeadLook{std::move(look)});
    return;
  }
  if (!look.words.tokens.empty()) {
    look.words = {};
    ui->Do(SetHeadLook{std::move(look)});
  }
  ui->Do(ClickCell{PointOfWord(ui->state, word)});
}

// A text with its words shaded, asked about, or both.
struct TextBlockLook {
  const char* id = "";
  std::shared_ptr<const Encoding> text = {};
  const ShadedWords* shades = nullptr;  // null: its words are not shaded
  ColorScale scale = {};
  std::vector<std::int64_t> asked = {};  // framed
  std::vector<std::int64_t> found = {};
  bool is_asked = false;  // its words are pointed at
  bool dimmed = false;
  const ShadeDifference* difference = nullptr;  // shown in place of the shades
  const ShadedWords* kept = nullptr;            // that it is from
  std::vector<CutEdge> cuts = {};               // crossed out
  TokenChips* chips = nullptr;
};

// The edges that are cut in the heads that shade.
std::vector<CutEdge> CutsOf(const AppState& state, const ShadeQuestion& question) {
  std::vector<CutEdge> cuts;
  for (const MapView& map : question.maps) {
    const auto of_head = CutsInView(state, {map.layer->layer(), map.head, map.layer->part()});
    cuts.insert(cuts.end(), of_head.begin(), of_head.end());
  }
  return cuts;
}

// Whether one of them is between a shaded word and one that is asked about.
bool IsCutFrom(std::span<const CutEdge> cuts, const ShadeQuestion& question, std::int64_t word) {
  const auto asks = [&](std::int64_t token) {
    return question.words.empty() ||
           std::ranges::find(question.words, token) != question.words.end();
  };
  return std::ranges::any_of(cuts, [&](const CutEdge& edge) {
    return question.by_key ? asks(edge.key) && edge.row.value_or(word) == word
                           : edge.key == word && (!edge.row || asks(*edge.row));
  });
}

void DrawWord(Ui* ui, const TextBlockLook& look, std::int64_t word, const Rect& rect) {
  const ThemeColors& colors = ui->colors();
  const auto at = static_cast<std::size_t>(word);
  const bool is_shaded = look.shades != nullptr && at < look.shades->shades.values.size();
  const float value = is_shaded ? look.shades->shades.values[at] : 0.0F;
  const float strength =
      is_shaded ? Position(look.scale, value) * (look.dimmed ? 0.35F : 1.0F) : 0.0F;
  Rgb fill = Blend(colors.panel, colors.accent, strength);
  if (look.difference != nullptr && is_shaded) {
    const ColorScale around_zero{.curve = Curve::kLinear,
                                 .low = -look.difference->largest,
                                 .high = look.difference->largest,
                                 .colormap = Colormap::kDiverging};
    const float by = look.difference->values[at];
    const auto table = ColormapTable(Colormap::kDiverging, ui->state.theme);
    const float place = look.difference->largest > 0.0F ? Position(around_zero, by) : 0.5F;
    fill = table[static_cast<std::size_t>(std::lround(place * (kColormapSize - 1)))];
  }
  const Pressed area = Area(ui, look.id, static_cast<int>(word), rect, "");
  if (strength > 0.0F || (look.difference != nullptr && is_shaded)) {
    FillRect(*ui, rect, fill, 5.0F);
  }
  if (std::ranges::find(look.found, word) != look.found.end()) {
    FrameRect(*ui, rect, kFound, 5.0F, 1.5F);
  }
  if (std::ranges::find(look.asked, word) != look.asked.end()) {
    FrameRect(*ui, Inset(rect, -ui->Px(1.0F), -ui->Px(1.0F)), colors.text, 5.0F, 1.5F);
  }
  if (is_shaded && IsCutFrom(look.cuts, look.shades->question, word)) {
    DrawOffCross(*ui, rect);
  }
  Rect words = rect;
  words.x += ContinuesWord(*look.text, at) ? 0.0F : ui->Px(kWordPad);
  DrawTextIn(
      *ui, words, TokenWord(*look.text, word), Type::kBody, ReadableOn(*ui, fill), rect.width);
  if (!area.hovered) {
    return;
  }
  if (look.is_asked) {
    if (!ui->state.selection.point_locked || area.clicked) {
      ui->memory->points_at_key = ui->state.head_look.by_key;
    }
    PointAt(ui, PointOfWord(ui->state, word));
    ui->memory->text_revealed = {look.text.get(), word};
    if (area.clicked) {
      ClickWord(ui, word);
    }
  }
  if (is_shaded && look.difference != nullptr) {
    DrawCellLines(
        *ui,
        {{.text = fmt::format("“{}” {}", TokenWord(*look.text, word), word),
          .kind = CellLine::Kind::kTitle},
         {.text = fmt::format("{:+.4f}", look.difference->values[at]),
          .kind = CellLine::Kind::kNumber},
         {.text = fmt::format(
              "{} now, {} kept", WeightText(value), WeightText(look.kept->shades.values[at]))}});
  } else if (is_shaded) {
    const std::int64_t words_summed = look.shades->shades.words;
    DrawCellLines(
        *ui,
        {{.text = fmt::format("“{}” {}", TokenWord(*look.text, word), word),
          .kind = CellLine::Kind::kTitle},
         {.text = WeightText(value), .kind = CellLine::Kind::kNumber},
         {.text = words_summed > 1 ? fmt::format("sum over {} words", words_summed) : "weight"}});
  }
}

void DrawTextBlock(Pen* pen, float height, const TextBlockLook& look) {
  Ui* const ui = pen->ui;
  const float width = pen->width - ui->Px(10.0F);
  const std::vector<Rect>& chips = LayOutChips(ui, look.text, width, look.chips);
  const bool to_the_left = RunsToTheLeft(*look.text);
  const Rect place = pen->Take(height);
  BeginScroll(look.id, place);
  ImGui::Dummy({1.0F, chips.empty() ? 0.0F : chips.back().y + chips.back().height});
  const std::int64_t wanted = look.asked.empty() ? -1 : look.asked.back();
  const std::pair revealed{static_cast<const Encoding*>(look.text.get()), wanted};
  if (look.is_asked && wanted >= 0 && wanted < std::ssize(chips) &&
      ui->memory->text_revealed != revealed && ImGui::GetScrollMaxY() > 0.0F &&
      !ImGui::IsWindowHovered()) {
    ImGui::SetScrollY(
        std::max(0.0F, chips[static_cast<std::size_t>(wanted)].y - place.height / 2.0F));
    ui->memory->text_revealed = revealed;
  }
  const float scroll = ImGui::GetScrollY();
  if (look.shades == &ui->memory->shaded) {
    ui->memory->shaded_at = {place.x, place.y - scroll};
  }
  const auto first = std::partition_point(chips.begin(), chips.end(), [&](const Rect& chip) {
    return chip.y + chip.height - scroll < 0.0F;
  });
  for (auto chip = first; chip != chips.end() && chip->y - scroll <= place.height; ++chip) {
    const float x = to_the_left ? width - chip->x - chip->width : chip->x;
    DrawWord(ui,
             look,
             chip - chips.begin(),
             {place.x + x, place.y + chip->y - scroll, chip->width, chip->height});
  }
  EndScroll();
}

// A field that finds tokens, how many it found, and Enter to go from one to the next.
std::vector<std::int64_t> DrawFind(Ui* ui, Row* row, const Encoding& text) {
  std::vector<std::int64_t> found = FindTokens(text, ui->memory->find_token);
  std::string words;
  if (!ui->memory->find_token.empty()) {
    words = found.empty() ? "none" : fmt::format("{} found", found.size());
    row->TextRight(words, Type::kSmall, ui->colors().muted);
    row->SkipRight(8.0F);
  }
  const Rect place = row->Right(std::min(ui->Px(150.0F), row->rest().width));
  if (auto typed = DrawField(ui,
                             kFindField,
                             place,
                             ui->memory->find_token,
                             {.hint = "find a token",
                              .tooltip = "Frames the tokens that hold this; Enter goes from one to "
                                         "the next",
                              .type = Type::kSmall,
                              .pad = 8.0F})) {
    ui->memory->find_token = std::move(*typed);
  }
  if (ui->memory->fields.IsFocused(kFindField) && !found.empty() &&
      std::erase_if(ui->keys, [](const KeyPress& press) { return press.key == Key::kEnter; }) > 0) {
    const std::int64_t now = ShadesInView(ui->state).words.front();
    const auto next = std::ranges::upper_bound(found, now);
    const std::int64_t word = next == found.end() ? found.front() : *next;
    ui->memory->points_at_key = ui->state.head_look.by_key;
    if (ui->state.selection.point != PointOfWord(ui->state, word)) {
      ui->Do(ClickCell{PointOfWord(ui->state, word)});
    }
  }
  return found;
}

const ShadedWords& ShadeNow(Ui* ui) {
  ShadedWords& shaded = ui->memory->shaded;
  ShadeQuestion question = ShadesInView(ui->state);
  const auto text = ShadedText(ui->state);
  if (shaded.question != question || shaded.text != text) {
    shaded.words = question.maps.empty() ? "Every head of this layer is hidden."
                                         : ShadesInWords(ui->state, question);
    shaded.shades = ShadesOf(question);
    shaded.text = text;
    shaded.question = std::move(question);
  }
  return shaded;
}

std::string SumWords(const TextShades& shades, bool by_key) {
  if (by_key || shades.values.empty()) {
    return "";
  }
  std::string words = fmt::format("; sums to {:.4f}", shades.sum);
  if (shades.sink > 0.0) {
    words += fmt::format(", the sink takes {:.4f}", shades.sink);
  }
  return words;
}

// One shading: what it is, and the text.
void DrawShading(Pen* pen, float bottom, const ShadedWords& shaded, TextBlockLook look) {
  Ui* const ui = pen->ui;
  pen->Small(shaded.words + SumWords(shaded.shades, shaded.question.by_key), ui->colors().muted);
  if (const auto two = TwoTextsOf(*shaded.text); two && !shaded.shades.values.empty()) {
    pen->Small(SharesOfTexts(*two, shaded.shades, shaded.question.by_key), ui->colors().muted);
  }
  pen->Skip(4.0F);
  look.shades = &shaded;
  look.cuts = CutsOf(ui->state, shaded.question);
  look.text = shaded.text;
  look.scale = ScaleOfShades(look.scale, shaded.shades);
  DrawTextBlock(pen, std::max(ui->Px(60.0F), bottom - pen->y), look);
}

// The kept shading taken from the one that is asked for now.
void DrawDifference(Pen* pen, float bottom, const ShadedWords& shaded, TextBlockLook look) {
  Ui* const ui = pen->ui;
  const ShadedWords& kept = *ui->memory->kept_shades;
  const ShadeDifference difference =
      DifferenceOf(shaded.question, shaded.shades, kept.question, kept.shades);
  pen->Small(fmt::format("{}, minus what was kept: {}", shaded.words, kept.words),
             ui->colors().muted);
  pen->Skip(4.0F);
  if (!difference.why_not.empty()) {
    pen->Small(difference.why_not, ui->colors().text);
    return;
  }
  look.shades = &shaded;
  look.cuts = CutsOf(ui->state, shaded.question);
  look.text = shaded.text;
  look.difference = &difference;
  look.kept = &kept;
  DrawTextBlock(pen, std::max(ui->Px(60.0F), bottom - pen->y), look);
  pen->Skip(8.0F);
  Row bar = pen->Line(14.0F);
  FillGradient(bar.Left(std::min(ui->Px(220.0F), pen->width / 2.0F)),
               ColormapTable(Colormap::kDiverging, ui->state.theme),
               64);
  bar.Skip(10.0F);
  bar.Text(fmt::format("{:+.3f} to {:+.3f}, white at 0: less, more now",
                       -difference.largest,
                       difference.largest),
           Type::kSmall,
           ui->colors().muted);
}

// Where the model read two texts: all words of one of them at once, so that what they give to the other is
// told.
void DrawTextsChoice(Ui* ui,
                     Row* row,
                     const std::shared_ptr<const Encoding>& text,
                     const std::vector<std::int64_t>& words) {
  const auto two = TwoTextsOf(*text);
  if (!two) {
    return;
  }
  for (const bool is_a : {true, false}) {
    const std::vector<std::int64_t>& tokens = is_a ? two->a : two->b;
    if (row->Button(is_a ? "all of A" : "all of B",
                    {.text = is_a ? "Text A" : "Text B",
                     .tooltip = is_a ? "All words of the first text, before the separator: how "
                                       "much of their attention goes to the second"
                                     : "All words of the second text: how much of their attention "
                                       "goes to the first",
                     .active = words == tokens})) {
      HeadLook next = ui->state.head_look;
      next.words = {.of = text, .tokens = tokens};
      ui->Do(SetHeadLook{std::move(next)});
    }
    row->Skip(6.0F);
  }
}

}  // namespace

void DrawTextView(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  ViewMemory& memory = *ui->memory;
  DrawHeadTools(pen, panel);
  const ShadedWords& shaded = ShadeNow(ui);
  const auto asked_text = AskedText(state);
  const ColorScale scale = ScaleFor(state, state.selection.head);
  if (memory.kept_shades && memory.kept_shades->text != shaded.text) {
    memory.kept_shades.reset();
  }
  Row tools = pen->Line(28.0F);
  const std::vector<std::int64_t> found = DrawFind(ui, &tools, *asked_text);
  if (!memory.kept_shades) {
    if (tools.Button("keep shading",
                     {.text = "Keep",
                      .tooltip = "Keeps this shading above the next one, to compare the two"}) &&
        !shaded.shades.values.empty()) {
      memory.kept_shades = shaded;
    }
  } else {
    if (tools.Button("drop shading",
                     {.text = "Drop the kept one", .tooltip = "One shading alone again"})) {
      memory.kept_shades.reset();
    }
    tools.Skip(6.0F);
    if (tools.Button("difference of shadings",
                     {.text = "Difference",
                      .tooltip = "What each word gets more or less now than in the kept shading",
                      .active = memory.shows_shade_difference})) {
      memory.shows_shade_difference = !memory.shows_shade_difference;
    }
  }
  tools.Skip(8.0F);
  DrawTextsChoice(ui, &tools, asked_text, shaded.question.words);
  if (shaded.question.words.size() > 1) {
    if (tools.Button("one word",
                     {.text = "One word", .tooltip = "The selected word alone again"})) {
      HeadLook next = state.head_look;
      next.words = {};
      ui->Do(SetHeadLook{std::move(next)});
    }
  } else {
    tools.Text("Shift and a click add a word", Type::kSmall, ui->colors().dim);
  }
  pen->Skip(8.0F);

  const Rect& detail = ui->layout.detail;
  const float bottom =
      std::max(pen->y + ui->Px(220.0F), detail.y + detail.height - panel.below - ui->Px(50.0F));
  const bool is_one_text = asked_text == shaded.text;
  const float whole = bottom - pen->y;
  const TextBlockLook asked{.id = "asked word",
                            .text = asked_text,
                            .scale = scale,
                            .asked = shaded.question.words,
                            .found = found,
                            .is_asked = true,
                            .chips = &memory.asked_chips};
  if (!is_one_text) {
    DrawTextBlock(pen, std::min(whole / 3.0F, ui->Px(120.0F)), asked);
    pen->Skip(8.0F);
  }
  TextBlockLook below = asked;
  below.dimmed = panel.dimmed;
  if (!is_one_text) {
    below = {.id = "shaded word", .scale = scale, .dimmed = panel.dimmed};
  }
  below.chips = &memory.shaded_chips;
  if (memory.kept_shades && memory.shows_shade_difference) {
    DrawDifference(pen, bottom, shaded, std::move(below));
    return;
  }
  if (memory.kept_shades) {
    TextBlockLook kept{
        .id = "kept word",
        .scale = scale,
        .asked = is_one_text ? memory.kept_shades->question.words : std::vector<std::int64_t>{},
        .chips = &memory.shaded_chips};
    DrawShading(pen, pen->y + (bottom - pen->y) / 2.0F - ui->Px(6.0F), *memory.kept_shades, kept);
    pen->Skip(12.0F);
  }
  DrawShading(pen, bottom, shaded, std::move(below));
  pen->Skip(8.0F);
  DrawColourBar(pen, ScaleOfShades(scale, shaded.shades), false, ui->colors().accent);
}

}  // namespace headscope

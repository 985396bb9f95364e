#include "app/views/inspect/arcs_frame.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <imgui.h>

#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "core/figure/text_block.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr float kWordLine = 26.0F;  // unscaled, as in what follows
constexpr float kWordGap = 8.0F;

// Words that are measured in one frame.
constexpr std::size_t kWordsAFrame = 96;

const LineWords& MeasureWords(Ui* ui,
                              const std::shared_ptr<const Encoding>& encoding,
                              LineWords* kept) {
  if (kept->encoding != encoding || kept->scale != ui->scale) {
    constexpr std::size_t kTold = 64;  // words that tell where the text begins
    std::string beginning;
    for (std::size_t i = 0; i < std::min(kTold, encoding->tokens.size()); ++i) {
      beginning += encoding->tokens[i].display + " ";
    }
    *kept = {
        .encoding = encoding,
        .scale = ui->scale,
        .words = {},
        .right_to_left = TextBlock::DirectionOf(beginning) == TextBlock::Direction::kRightToLeft};
  }
  const std::size_t count = encoding->tokens.size();
  const std::size_t end = std::min(count, kept->words.size() + kWordsAFrame);
  for (std::size_t i = kept->words.size(); i < end; ++i) {
    kept->words.push_back(
        {.width = TextWidth(*ui, TokenWord(*encoding, static_cast<std::int64_t>(i)), Type::kBody),
         .continues = ContinuesWord(*encoding, i)});
  }
  if (end < count) {
    ui->WakeIn(0.0);
  }
  return *kept;
}

float Scrolled(const Ui& ui, const ArcsFrame& frame) {
  const float most =
      std::max(0.0F, std::max(frame.queries.width, frame.keys.width) - frame.view.width);
  return std::clamp(ui.memory->arcs_scroll, 0.0F, most);
}

}  // namespace

void PlaceArcs(Ui* ui, const Pen& pen, const HeadPanel& panel, bool both_sides, ArcsFrame* frame) {
  const FullMap& full = panel.full;
  const Rect& detail = ui->layout.detail;
  const float height = std::max(ui->Px(220.0F), detail.y + detail.height - pen.y - panel.below);
  frame->view = {pen.x, pen.y, pen.width, height};
  frame->is_one_text = full.query_tokens == full.key_tokens;
  const float room = ui->state.head_look.whole_line ? pen.width : 0.0F;
  const auto place = [&](const std::shared_ptr<const Encoding>& encoding, LineWords* kept) {
    const LineWords& words = MeasureWords(ui, encoding, kept);
    TextLine line = PlaceWords(words.words, ui->Px(kWordGap), words.right_to_left, room);
    // A short text stands in the middle.
    const float left = std::max(0.0F, (pen.width - line.width) / 2.0F);
    for (float& middle : line.middles) {
      middle += left;
    }
    line.width = std::max(line.width, line.middles.empty() ? 0.0F : pen.width);
    return line;
  };
  frame->queries = place(full.query_tokens, &ui->memory->query_words);
  if (!frame->is_one_text) {
    frame->keys = place(full.key_tokens, &ui->memory->key_words);
  }
  const float line = ui->Px(kWordLine);
  const bool looks_ahead = both_sides || !full.map.layer->rule().causal;
  float words_y = pen.y;
  if (frame->is_one_text) {
    words_y += looks_ahead ? std::round((height - line) / 2.0F) : height - line;
  }
  frame->query_row = {pen.x, words_y, pen.width, line};
  frame->key_row =
      frame->is_one_text ? frame->query_row : Rect{pen.x, pen.y + height - line, pen.width, line};
  frame->place = {.queries = &frame->queries,
                  .keys = frame->is_one_text ? &frame->queries : &frame->keys,
                  .left = pen.x - std::round(Scrolled(*ui, *frame)),
                  .top = frame->is_one_text ? words_y : words_y + line,
                  .bottom = frame->is_one_text ? words_y + line : frame->key_row.y,
                  .rise = std::max(
                      ui->Px(20.0F),
                      (frame->is_one_text && looks_ahead ? (height - line) / 2.0F : height - line) -
                          ui->Px(4.0F)),
                  .unit = ui->scale};
}

void RevealQuery(Ui* ui, const HeadPanel& panel, ArcsFrame* frame) {
  const std::int64_t query = ui->state.selection.row.value_or(0);
  const std::pair wanted{panel.full.query_tokens.get(), query};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ViewMemory& memory = *ui->memory;
  if (memory.arcs_revealed == wanted || query >= std::ssize(frame->queries.middles)) {
    return;
  }
  memory.arcs_revealed = wanted;
  if (Contains(frame->view, mouse.x, mouse.y)) {
    return;
  }
  const float middle = frame->queries.middles[static_cast<std::size_t>(query)];
  const float margin = ui->Px(40.0F);
  const float at = middle - Scrolled(*ui, *frame);
  if (at < margin || at > frame->view.width - margin) {
    memory.arcs_scroll = middle - frame->view.width / 2.0F;
    memory.arcs_scroll = Scrolled(*ui, *frame);
    frame->place.left = frame->view.x - std::round(memory.arcs_scroll);
  }
}

void DrawWordRow(const Ui& ui, const WordRow& row, float left) {
  const ThemeColors& colors = ui.colors();
  std::vector<std::int64_t> first;
  for (const auto& token : {row.query, row.key}) {
    if (token && *token < std::ssize(row.line.middles)) {
      first.push_back(*token);
    }
  }
  const std::vector<bool> shown = WordsWithRoom(row.line, ui.Px(4.0F), first);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->PushClipRect({row.place.x, row.place.y},
                     {row.place.x + row.place.width, row.place.y + row.place.height},
                     true);
  for (std::size_t word = 0; word < shown.size(); ++word) {
    const float width = row.line.widths[word];
    const Rect rect{
        left + row.line.middles[word] - width / 2.0F, row.place.y, width, row.place.height};
    if (!shown[word] || rect.x > row.place.x + row.place.width || rect.x + width < row.place.x) {
      continue;
    }
    const auto token = static_cast<std::int64_t>(word);
    if (token == row.query || token == row.key) {
      FrameRect(ui,
                Inset(rect, -ui.Px(3.0F), ui.Px(2.0F)),
                token == row.query ? colors.accent : colors.text,
                4.0F,
                token == row.query ? 1.5F : 1.0F);
    }
    DrawTextIn(ui,
               rect,
               TokenWord(row.tokens, token),
               Type::kBody,
               row.ends[word] ? colors.text : colors.dim);
  }
  list->PopClipRect();
}

ArcsPointer HandleWords(Ui* ui, const ArcsFrame& frame, const HeadPanel& panel) {
  ViewMemory& memory = *ui->memory;
  const ImGuiIO& io = ImGui::GetIO();
  const Pressed area = Area(ui, "arcs", frame.view, "");
  const bool active = ImGui::IsItemActive();
  const bool clicked = area.clicked && !memory.map_dragged;
  memory.map_rect = frame.view;
  if (active && ImGui::IsMouseDragging(0, 3.0F)) {
    memory.map_dragged = true;
    memory.arcs_scroll = Scrolled(*ui, frame) - io.MouseDelta.x;
  }
  if (!active) {
    memory.map_dragged = false;
  }
  if (!area.hovered) {
    return {};
  }
  if (const float wheel = io.MouseWheel + io.MouseWheelH; wheel != 0.0F) {
    memory.arcs_scroll = Scrolled(*ui, frame) - wheel * ui->Px(60.0F);
    ui->WakeIn(0.0);
  }
  const ImVec2 mouse = io.MousePos;
  const float along = mouse.x - frame.place.left;
  const bool on_queries = Contains(frame.query_row, mouse.x, mouse.y);
  const bool on_keys = Contains(frame.key_row, mouse.x, mouse.y);
  if (on_queries || on_keys) {
    const bool by_key = !on_queries || (frame.is_one_text && ui->state.head_look.by_key);
    const std::int64_t word = WordAt(on_queries ? frame.queries : frame.keys, along);
    if (word < 0) {
      return {};
    }
    const std::int64_t row = std::clamp<std::int64_t>(
        ui->state.selection.row.value_or(0), 0, panel.full.map.queries() - 1);
    const MapPoint at = by_key ? MapPoint{.query = row, .key = word} : MapPoint{.query = word};
    if (!ui->state.selection.point_locked || clicked) {
      memory.points_at_key = by_key;
    }
    PointAt(ui, at);
    if (clicked) {
      ui->Do(ClickCell{at});
    }
    return {};
  }
  return {.is_elsewhere = true, .clicked = clicked, .x = mouse.x, .y = mouse.y};
}

}  // namespace headscope

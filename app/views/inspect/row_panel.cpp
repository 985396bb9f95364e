#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "core/text/words.h"

namespace headscope {
namespace {

constexpr float kChipPad = 4.0F;  // unscaled, at either side of a token

// Tokens of a long text that are measured in one frame: a new word costs some tens of microseconds.
constexpr std::size_t kMeasuredAFrame = 32;

}  // namespace

const std::vector<Rect>& LayOutChips(Ui* ui,
                                     const std::shared_ptr<const Encoding>& encoding,
                                     float width,
                                     TokenChips* kept) {
  TokenChips& chips = *kept;
  if (chips.encoding != encoding || chips.width != width || chips.scale != ui->scale) {
    chips = {.encoding = encoding, .width = width, .scale = ui->scale, .rects = {}};
  }
  const float height = ui->Px(26.0F);
  const std::size_t end = std::min(encoding->tokens.size(), chips.rects.size() + kMeasuredAFrame);
  for (std::size_t i = chips.rects.size(); i < end; ++i) {
    // Pieces of a word stand close together.
    const bool continues = ContinuesWord(*encoding, i);
    const bool goes_on = i + 1 < encoding->tokens.size() && ContinuesWord(*encoding, i + 1);
    const float pads =
        (continues ? 0.0F : ui->Px(kChipPad)) + (goes_on ? ui->Px(1.0F) : ui->Px(kChipPad));
    const float chip_width =
        std::min(width, TextWidth(*ui, TokenName(*encoding, i), Type::kBody) + pads);
    Rect next{0.0F, 0.0F, chip_width, height};
    if (i > 0) {
      const Rect& before = chips.rects.back();
      next.x = before.x + before.width + (continues ? 0.0F : ui->Px(1.0F));
      next.y = before.y;
      if (next.x + chip_width > width) {
        next.x = 0.0F;
        next.y += height + ui->Px(2.0F);
      }
    }
    chips.rects.push_back(next);
  }
  if (end < encoding->tokens.size()) {
    ui->WakeIn(0.0);
  }
  return chips.rects;
}

namespace {

// One text: its tokens are queries, keys or both.
struct TokenText {
  const char* id = "";
  std::shared_ptr<const Encoding> encoding;
  TokenChips* chips = nullptr;
  bool are_queries = true;
  bool are_keys = true;
};

void DrawChip(
    Ui* ui, const Rect& rect, std::int64_t index, const TokenText& text, const RowWeights& row) {
  const ThemeColors& colors = ui->colors();
  const Selection& selection = ui->state.selection;
  const std::optional<MapPoint>& point = selection.point;
  const auto at = static_cast<std::size_t>(index);
  const float weight = text.are_keys && at < row.weights.size() ? row.weights[at] : 0.0F;
  const float shade = std::sqrt(DrawnLength(weight));
  const Rgb fill = Blend(colors.panel, colors.accent, shade);
  const Pressed area = Area(ui, "token", static_cast<int>(index), rect, "");
  if (shade > 0.04F) {
    FillRect(*ui, rect, fill, 5.0F);
  }
  if (text.are_queries && index == row.query) {
    FrameRect(*ui, rect, colors.accent, 5.0F, 1.5F);
  } else if (text.are_keys && point && point->key == index) {
    FrameRect(*ui, rect, colors.text, 5.0F, 1.0F);
  }
  const bool hidden = text.are_keys && (index < row.first_visible || index >= row.last_visible);
  Rect word = rect;
  word.x += ContinuesWord(*text.encoding, at) ? 0.0F : ui->Px(kChipPad);
  DrawTextIn(*ui,
             word,
             TokenWord(*text.encoding, index),
             Type::kBody,
             hidden ? colors.dim : ReadableOn(*ui, fill),
             rect.width);
  const MapPoint meant =
      text.are_queries ? MapPoint{.query = index} : MapPoint{.query = row.query, .key = index};
  if (area.hovered) {
    PointAt(ui, meant);
    if (text.are_queries) {
      ui->memory->revealed = {text.encoding.get(), index};
    }
  }
  if (area.clicked) {
    ui->Do(ClickCell{meant});
  }
}

void DrawTokens(Pen* pen, float max_height, const TokenText& text, const RowWeights& row) {
  Ui* const ui = pen->ui;
  const std::vector<Rect>& chips =
      LayOutChips(ui, text.encoding, pen->width - ui->Px(10.0F), text.chips);
  const float content = chips.empty() ? 0.0F : chips.back().y + chips.back().height;
  const Rect place = pen->Take(std::min(content, max_height));
  BeginScroll(text.id, place);
  ImGui::Dummy({1.0F, content});
  const std::pair wanted{text.encoding.get(), row.query};
  const bool is_chip = text.are_queries && row.query >= 0 && row.query < std::ssize(chips);
  // Scrolls to the row, but never under the pointer, nor before ImGui knows how much there is to
  // scroll.
  if (is_chip && ui->memory->revealed != wanted && ImGui::GetScrollMaxY() > 0.0F &&
      !ImGui::IsWindowHovered()) {
    const Rect& chip = chips[static_cast<std::size_t>(row.query)];
    ImGui::SetScrollY(std::max(0.0F, chip.y - place.height / 2.0F));
    ui->memory->revealed = wanted;
  }
  const float scroll = ImGui::GetScrollY();
  const auto first = std::partition_point(chips.begin(), chips.end(), [&](const Rect& chip) {
    return chip.y + chip.height - scroll < 0.0F;
  });
  for (auto chip = first; chip != chips.end() && chip->y - scroll <= place.height; ++chip) {
    const Rect rect{place.x + chip->x, place.y + chip->y - scroll, chip->width, chip->height};
    DrawChip(ui, rect, chip - chips.begin(), text, row);
  }
  EndScroll();
}

}  // namespace

void DrawShadedSentence(Pen* pen, float max_height, const RowWeights& row) {
  Ui* const ui = pen->ui;
  if (row.query_tokens == row.key_tokens) {
    DrawTokens(pen,
               max_height,
               {.id = "sentence", .encoding = row.key_tokens, .chips = &ui->memory->chips},
               row);
    return;
  }
  // A name at the left of each, so that nobody takes one text for the other.
  const ModelInfo* model = ShownModel(ui->state);
  const bool is_module = model != nullptr && model->reads_embeddings();
  const char* const query_name = is_module ? "queries" : "target";
  const float names = TextWidth(*ui, query_name, Type::kSmall) + ui->Px(10.0F);
  const auto draw = [&](const char* name, const TokenText& text) {
    pen->Part(0.0F, names).Line(26.0F).Text(name, Type::kSmall, ui->colors().muted);
    Pen tokens = pen->Part(names, pen->width - names);
    DrawTokens(&tokens, max_height, text, row);
    pen->y = tokens.y;
  };
  draw(query_name,
       {.id = "target tokens",
        .encoding = row.query_tokens,
        .chips = &ui->memory->target_chips,
        .are_keys = false});
  pen->Skip(6.0F);
  draw(is_module ? "keys" : "text",
       {.id = "sentence",
        .encoding = row.key_tokens,
        .chips = &ui->memory->chips,
        .are_queries = false});
}

namespace {

// The meter of a bar and its number, where the names end.
void DrawMeasured(Ui* ui, const Rect& rect, float names, const RowBar& bar, Rgb color) {
  const float bars = std::max(ui->Px(40.0F), rect.width - names - ui->Px(70.0F));
  const float end = rect.x + names;
  const float height = LineHeight(*ui, Type::kMono);
  DrawMeter(
      *ui, {end, rect.y, bars, rect.height}, {.to = bar.length, .color = color, .height = 9.0F});
  DrawNumber(*ui,
             end + std::max(ui->Px(1.0F), bars * bar.length) + ui->Px(8.0F),
             rect.y + (rect.height - height) / 2.0F,
             bar.number,
             ui->colors().muted);
}

// What is no key's: it is in no cell of the map.
void DrawSink(Ui* ui, const Rect& rect, float names, const RowBar& sink) {
  Area(ui,
       "sink",
       rect,
       "A score that the head has beside all keys: what it takes of the row goes to no token");
  const float width = TextWidth(*ui, sink.token, Type::kMono);
  DrawTextIn(*ui,
             {rect.x + names - width - ui->Px(7.0F), rect.y, width, rect.height},
             sink.token,
             Type::kMono,
             ui->colors().muted,
             width);
  DrawMeasured(ui, rect, names, sink, ui->colors().muted);
}

}  // namespace

void DrawRowBars(Pen* pen, float max_height, const RowWeights& row) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(20.0F);
  const float head = LineHeight(*ui, Type::kSmall) + ui->Px(6.0F);
  const RowBars told = BarsOfRow(row, static_cast<std::int64_t>((max_height - head) / line));
  Row title(ui, pen->Take(head), true);
  title.Text("Row of ", Type::kSmall, colors.muted);
  const Rect rest = title.rest();
  title.Left(DrawText(*ui, rest.x, rest.y, told.row, Type::kSmall, colors.text, pen->width / 2.0F));
  title.Text(told.sums, Type::kSmall, colors.muted);

  const Selection& selection = ui->state.selection;
  const float names = ui->Px(118.0F);
  const float bars = std::max(ui->Px(40.0F), pen->width - names - ui->Px(70.0F));
  for (const RowBar& bar : told.bars) {
    const std::int64_t key = bar.key;
    const Rect rect = pen->Take(line);
    const Pressed area = Area(ui, "bar", static_cast<int>(key), rect, "");
    const MapPoint place{.query = row.query, .key = key};
    if (area.hovered) {
      PointAt(ui, place);
    }
    if (area.clicked) {
      ui->Do(ClickCell{place});
    }
    const bool pointed = selection.point && selection.point->key == key;
    const std::string index = fmt::format("{}", key);
    const float index_width = NumberWidth(*ui, index);
    const LabelTexture label =
        LabelOf(*ui, bar.token, Type::kMono, names - index_width - ui->Px(18.0F));
    const float text_y = rect.y + (line - label.height) / 2.0F;
    const float end = rect.x + names;
    DrawText(*ui,
             end - index_width - ui->Px(14.0F) - label.width,
             text_y,
             bar.token,
             Type::kMono,
             colors.text,
             names - index_width - ui->Px(18.0F));
    DrawNumber(*ui, end - index_width - ui->Px(7.0F), text_y, index, colors.dim);
    const float length = std::max(ui->Px(1.0F), bars * bar.length);
    DrawMeter(*ui,
              {end, rect.y, bars, line},
              {.to = bar.length, .color = pointed ? colors.text : colors.accent, .height = 9.0F});
    DrawNumber(*ui, end + length + ui->Px(8.0F), text_y, bar.number, colors.muted);
  }
  if (told.sink) {
    DrawSink(ui, pen->Take(line), names, *told.sink);
  }
  if (told.others > 0) {
    const std::string more =
        told.others == 1 ? "1 more" : fmt::format("{} more, together", told.others);
    const float left = pen->x + names;
    DrawText(*ui, left, pen->y + ui->Px(2.0F), more, Type::kSmall, colors.dim);
    DrawNumber(*ui, left + ui->Px(130.0F), pen->y + ui->Px(3.0F), told.rest, colors.dim);
    pen->y += LineHeight(*ui, Type::kSmall) + ui->Px(4.0F);
  }
}

}  // namespace headscope

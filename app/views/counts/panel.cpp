// One layer cut into 1, 2, 4, ... heads: a row of maps for each count.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/counts/head_tree.h"
#include "app/state/counts/tree_words.h"
#include "app/views/counts/cells.h"
#include "app/views/counts/layout.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/reveal.h"
#include "app/views/maps/map_geometry.h"
#include "app/views/maps/map_textures.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

void DrawRowName(Pen* pen, std::int64_t heads) {
  const std::string name = fmt::format("h = {}", heads);
  pen->TopLine(20.0F).TextRight(name, Type::kBold, pen->ui->colors().text);
}

void DrawRowLabel(Pen* pen, const SplitCount& count, bool trained) {
  const Ui& ui = *pen->ui;
  DrawRowName(pen, count.heads);
  pen->TopLine(17.0F).TextRight("dₖ " + WidthText(count), Type::kMonoSmall, ui.colors().dim);
  if (trained) {
    const float width = TextWidth(ui, "trained", Type::kSmall) + ui.Px(16.0F);
    Row pill(pen->ui, pen->Line(19.0F).Right(width));
    FrameRect(ui, pill.whole(), ui.colors().accent, 10.0F);
    pill.Skip(8.0F);
    pill.Text("trained", Type::kSmall, ui.colors().accent);
  }
}

// What the rows are drawn from, for one frame.
struct TreeFrame {
  const SplitResult& result;
  const SplitTree& tree;
  CountsLayout layout;
  std::vector<std::string> notes;  // above the rows
  Rect view;
  float scroll = 0.0F;
  bool stale = false;
  std::optional<ChosenCount> chosen;

  // Where a map stands in the window.
  [[nodiscard]] Rect Cell(std::size_t row, std::int64_t head) const {
    Rect cell = layout.rows[row].Cell(head, view.x + layout.left);
    cell.y += view.y - scroll;
    return cell;
  }
};

// A thin bar above a map, lit where its head shares columns with the selected one.
void DrawLineageBar(const Ui& ui, const TreeFrame& frame, const Rect& cell, TreeHead head) {
  const auto& chosen = frame.chosen;
  const bool is_kin = chosen && frame.tree.AreKin(head.row, head.head, chosen->count, chosen->head);
  const float y = cell.y - ui.Px(kLineageBarAbove);
  FillRect(ui,
           {cell.x, y, cell.width, std::max(1.0F, ui.Px(kLineageBar))},
           is_kin ? ui.colors().accent : ui.colors().line,
           1.0F);
}

void DrawMapOfRow(Ui* ui, const TreeFrame& frame, const Rect& cell, TreeHead head) {
  const ThemeColors& colors = ui->colors();
  const AttentionShape& shape = ui->state.counts.source->shape();
  SceneRegion& region = ui->region(Panel::kMiddle);
  const MapView map{.layer = frame.result.counts[head.row].attention, .head = head.head};
  const MapHandle handle = ui->maps->Thumbnail(map, kCountPooling);
  const Rect target = ShapeOfMap(cell, shape.queries, shape.keys);
  DrawLineageBar(*ui, frame, cell, head);
  if (handle == 0) {
    region.fills.push_back({Intersection(cell, frame.view), colors.panel});
  } else {
    region.maps.push_back({.map = handle,
                           .target = target,
                           .source = {},
                           .scale = ScaleOfCount(ui->state, map),
                           .dimmed = frame.stale});
    const auto point = Within(ui->state.selection.point, shape.queries, shape.keys);
    if (point && point->key) {
      MarkCell(*ui, target, shape.queries, shape.keys, *point);
    }
  }
  const Rect around = Inset(cell, -ui->Px(2.0F), -ui->Px(2.0F));
  if (frame.chosen && frame.chosen->count == head.row && frame.chosen->head == head.head) {
    FrameRect(*ui, around, colors.text, 4.0F, 2.0F);
  } else if (ui->state.tree.pinned && FindInTree(ui->state, *ui->state.tree.pinned) == head) {
    FrameRect(*ui, around, colors.accent, 4.0F, 2.0F);
  }
}

void DrawTreeRow(Ui* ui, const TreeFrame& frame, std::size_t at) {
  const CountsRow& row = frame.layout.rows[at];
  const Rect& view = frame.view;
  const float top = view.y - frame.scroll;
  Pen note{ui, view.x + frame.layout.left, top + row.note_y, frame.layout.room};
  note.Small(frame.notes[at], ui->colors().muted);
  Pen label{ui, view.x, top + row.y, frame.layout.left - ui->Px(14.0F)};
  const bool is_there = at < frame.result.counts.size();
  if (is_there) {
    const SplitCount& count = frame.result.counts[at];
    DrawRowLabel(&label, count, frame.result.IsTrained(count));
  } else {
    DrawRowName(&label, row.heads);
  }
  for (std::int64_t head = 0; head < row.heads; ++head) {
    const Rect cell = frame.Cell(at, head);
    if (cell.y + cell.height < view.y || cell.y > view.y + view.height) {
      continue;
    }
    if (is_there) {
      DrawMapOfRow(ui, frame, cell, {at, head});
    } else {
      ui->region(Panel::kMiddle).fills.push_back({Intersection(cell, view), ui->colors().panel});
    }
  }
}

std::string TooltipWords(const Ui& ui, const TreeFrame& frame, TreeHead head, CellIndex cell) {
  std::string words = HeadOfWords(frame.result, head.row, head.head);
  words += "\n" + CellName(ui.state, cell) + WeightWords(MapOf(ui.state, head), cell);
  return words + "\nclick selects this head";
}

void HandlePointerInCounts(Ui* ui, const TreeFrame& frame) {
  const Rect& view = frame.view;
  const Pressed pressed =
      Area(ui,
           "count maps",
           {view.x, view.y - frame.scroll, view.width, frame.layout.content_height},
           "");
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto hit = pressed.hovered
                       ? frame.layout.At(mouse.x - view.x, mouse.y - view.y + frame.scroll)
                       : std::nullopt;
  if (!hit || hit->row >= frame.result.counts.size()) {
    return;
  }
  const AttentionShape& shape = ui->state.counts.source->shape();
  const Rect target = ShapeOfMap(frame.Cell(hit->row, hit->head), shape.queries, shape.keys);
  const auto cell = CellUnder(target, mouse.x, mouse.y, shape.queries, shape.keys);
  const TreeHead head{hit->row, hit->head};
  if (cell) {
    PointAt(ui, {.query = cell->query, .key = cell->key});
    ui->memory->pointing_in_tree = true;
    TooltipForItem(
        ui,
        static_cast<std::uint32_t>(2000000 + hit->row * 4096 + static_cast<std::size_t>(hit->head)),
        true,
        TooltipWords(*ui, frame, head, *cell));
  }
  if (pressed.clicked) {
    ui->Do(SelectCount{frame.layout.rows[hit->row].heads, hit->head});
  }
}

// The counts that are there or will be, with the words above their rows.
void FillRows(const Ui& ui, TreeFrame* frame, float width, std::vector<CountsRowWish>* wishes) {
  const SplitResult& result = frame->result;
  const std::vector<std::int64_t>& planned = result.planned;
  const std::size_t rows = std::max(result.counts.size(), planned.size());
  for (std::size_t at = 0; at < rows; ++at) {
    const bool is_there = at < result.counts.size();
    CountsRowWish wish{.heads = is_there ? result.counts[at].heads : planned[at]};
    std::string note;
    if (is_there) {
      wish.place = frame->tree.rows[at].place;
      note = RowNote(result, frame->tree, at);
    }
    if (!note.empty()) {
      wish.note = ParagraphHeight(ui, note, width, Type::kSmall) + ui.Px(4.0F);
    }
    frame->notes.push_back(std::move(note));
    wishes->push_back(std::move(wish));
  }
}

}  // namespace

void DrawCounts(Ui* ui, const Rect& area) {
  ui->memory->pointing_in_tree = false;
  const Counts& counts = ui->state.counts;
  const ModelInfo* model = ShownModel(ui->state);
  if (model != nullptr && model->file != nullptr) {
    DrawWordsInstead(
        ui,
        area,
        "This attention comes from a file that holds its weights only. Cutting a layer "
        "into other head counts needs its queries, keys and values: open the model.");
    return;
  }
  const LayerView now = SelectedLayer(ui->state);
  if (IsOutdated(ui->state) && now.from != nullptr && now.from->model != ui->state.model &&
      now.layer != counts.source) {
    DrawWordsInstead(ui,
                     area,
                     fmt::format("Only layers of the model that is open can be cut into other head "
                                 "counts. These maps are of {}; {} is open.",
                                 now.from->model->name,
                                 ui->state.model->name));
    return;
  }
  if (counts.result == nullptr || counts.source == nullptr || ui->state.tree.tree == nullptr) {
    if (counts.wanted != nullptr && NoticeAt(ui->state, ErrorPlace::kCounts) == nullptr) {
      Row(ui, Inset(area, ui->Px(28.0F), ui->Px(28.0F)), true)
          .Text("Cutting this layer into other head counts …", Type::kBody, ui->colors().muted);
    }
    return;
  }
  TreeFrame frame{.result = *counts.result,
                  .tree = *ui->state.tree.tree,
                  .layout = {},
                  .notes = {},
                  .view = area,
                  .stale = AreCountsStale(ui->state),
                  .chosen = ChosenOf(ui->state)};
  frame.view.width = std::min(area.width, ui->layout.middle_visible.width);
  const Rect& view = frame.view;
  const AttentionShape& shape = counts.source->shape();
  const float room = LayOutCounts({}, view.width, ui->scale).room;
  std::vector<CountsRowWish> wishes;
  FillRows(*ui, &frame, room, &wishes);
  // How large maps are does not depend on the words above them.
  std::string words = CountsWords(LayOutCounts(wishes, view.width, ui->scale, 0.0F, view.height),
                                  shape.queries,
                                  shape.keys,
                                  kThumbnailSize);
  if (const std::string result = ResultWords(frame.result); !result.empty()) {
    words += " " + result;
  }
  const float pad = ui->Px(16.0F);
  const float words_width = std::max(ui->Px(60.0F), view.width - 2.0F * pad);
  const float words_height = ParagraphHeight(*ui, words, words_width, Type::kSmall) + ui->Px(10.0F);
  frame.layout = LayOutCounts(wishes, view.width, ui->scale, words_height, view.height);
  BeginScroll("counts", view);
  ImGui::Dummy({1.0F, frame.layout.content_height});
  frame.scroll = ImGui::GetScrollY();
  Pen pen{ui, view.x + pad, view.y + ui->Px(10.0F) - frame.scroll, words_width};
  pen.Small(words, ui->colors().muted);
  ui->region(Panel::kMiddle).maps_clip = view;  // a note above and the sheet's tab have their place
  if (frame.chosen && frame.chosen->count < frame.layout.rows.size()) {
    RevealHead(ui,
               {.view = "cuts",
                .count = frame.layout.rows[frame.chosen->count].heads,
                .head = {.layer = counts.source->layer(), .head = frame.chosen->head},
                .cell = frame.Cell(frame.chosen->count, frame.chosen->head),
                .seen = view});
  }
  for (std::size_t at = 0; at < frame.layout.rows.size(); ++at) {
    DrawTreeRow(ui, frame, at);
  }
  HandlePointerInCounts(ui, frame);
  EndScroll();
  // Where the panel at the right is closed nobody else says that the pointer has left.
  if (ui->layout.detail.width <= 0.0F && !ui->memory->pointing_in_tree) {
    if (ui->state.selection.point && !ui->state.selection.point_locked) {
      ui->Do(PointNowhere);
    }
    ui->memory->pointed.reset();
  }
}

}  // namespace headscope

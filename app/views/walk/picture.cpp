#include "app/views/walk/picture.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/walk/words.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_textures.h"

namespace headscope {
namespace {

struct Caption {
  std::string name;
  std::string low;
  std::string note;
};

Caption CaptionOf(const LayerWalk& walk, WalkPiece piece) {
  const std::string head = fmt::format("{}", walk.head);
  const std::string kv_head = fmt::format("{}", walk.key.own_head);
  const auto framed = [](const WalkProjection& all) {
    return all.heads == 1 ? std::string("one head") : fmt::format("head {} framed", all.own_head);
  };
  const std::string turned = walk.query.turned > 0        ? "after rotary"
                             : !walk.query.normed.empty() ? "normed"
                                                          : "";
  // In the order of the pieces.
  const std::array<Caption, kWalkPieces> captions = {{
      {"X", "", "the whole embedding"},
      {"W", "Q", framed(walk.query)},
      {"W", "K", framed(walk.key)},
      {"W", "V", framed(walk.value)},
      {"Q", head, turned},
      {"K", kv_head, turned},
      {"V", kv_head, ""},
      {"scores", "", "query × key"},
      {"weights A",
       head,
       walk.rule.sinks == nullptr ? "rows add up to 1" : "rows lack what the sink takes"},
      {"head", head, "weights × values"},
      {"Concat", "", "a reshape, nothing is computed"},
      {"W", "O", fmt::format("head {} framed", walk.head)},
      {"output", "", "as wide as X"},
  }};
  return captions[static_cast<std::size_t>(piece)];
}

// How many cells the picture has along a side of that many pixels.
std::int64_t Drawn(std::int64_t kept, float pixels) {
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(pixels), 1, std::max<std::int64_t>(1, kept));
}

bool IsFarther(float value, float than) {
  return std::isfinite(value) && (!std::isfinite(than) || std::abs(value) > std::abs(than));
}

struct Block {
  std::int64_t first = 0;
  std::int64_t last = 0;  // past the end
};
Block BlockOf(std::int64_t index, std::int64_t drawn, std::int64_t kept) {
  return {index * kept / drawn, std::max(index * kept / drawn + 1, (index + 1) * kept / drawn)};
}

// The farthest from 0 of the kept cells.
WalkCell Farthest(const WalkMatrix& matrix, const Block& rows, const Block& cols) {
  WalkCell found{rows.first, cols.first};
  const std::int64_t stride = matrix.kept_cols();
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    for (std::int64_t col = cols.first; col < cols.last; ++col) {
      if (IsFarther(matrix.values[static_cast<std::size_t>(row * stride + col)],
                    matrix.values[static_cast<std::size_t>(found.row * stride + found.col)])) {
        found.row = row;
        found.col = col;
      }
    }
  }
  found.count = (rows.last - rows.first) * (cols.last - cols.first);
  return found;
}

// Positions along the diverging colours, 0 in their middle; weights as they are. Masked cells hold
// kMasked. Most numbers of a matrix are far smaller than its largest: the curve of the maps shows
// them.
std::vector<float> PositionsOf(
    const LayerWalk& walk, WalkPiece piece, std::int64_t rows, std::int64_t cols, Curve curve) {
  const WalkMatrix& matrix = MatrixOf(walk, piece);
  std::vector<float> positions;
  positions.reserve(static_cast<std::size_t>(rows * cols));
  const std::int64_t stride = matrix.kept_cols();
  const bool is_weights = piece == WalkPiece::kWeights;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      const Block down = BlockOf(row, rows, matrix.kept_rows());
      const Block across = BlockOf(col, cols, stride);
      const WalkCell cell = Farthest(matrix, down, across);
      const auto place = static_cast<std::size_t>(cell.row * stride + cell.col);
      const float value = matrix.values[place];
      if (is_weights) {
        const WalkCell seen = Farthest(walk.scores, down, across);
        const bool is_masked = !std::isfinite(
            walk.scores.values[static_cast<std::size_t>(seen.row * stride + seen.col)]);
        positions.push_back(is_masked ? kMasked : value);
      } else if (!std::isfinite(value)) {
        positions.push_back(kMasked);
      } else {
        const float part =
            matrix.largest > 0.0F ? std::min(1.0F, std::abs(value) / matrix.largest) : 0.0F;
        const float along = Position({.curve = curve}, part);
        positions.push_back(0.5F + std::copysign(0.5F * along, value));
      }
    }
  }
  return positions;
}

// Columns of the head in view, and rows where they are that.
struct Band {
  bool is_across = false;  // rows
  std::int64_t width = 0;  // of one head
  std::int64_t own = 0;
  std::int64_t heads_each = 1;  // query heads that it is of
};
std::optional<Band> BandOf(const LayerWalk& walk, WalkPiece piece) {
  const std::int64_t group = walk.shape.heads / walk.shape.kv_heads;
  switch (piece) {
    case WalkPiece::kQueryWeight:
      return Band{false, walk.shape.head_dim, walk.head};
    case WalkPiece::kKeyWeight:
      return Band{false, walk.shape.head_dim, walk.key.own_head, group};
    case WalkPiece::kValueWeight:
      return Band{false, walk.shape.value_dim, walk.value.own_head, group};
    case WalkPiece::kConcatenated:
      return Band{false, walk.shape.value_dim, walk.head};
    case WalkPiece::kOutputWeight:
      return Band{true, walk.shape.value_dim, walk.head};
    default:
      return std::nullopt;
  }
}

bool HasQueryRows(WalkPiece piece) {
  return piece == WalkPiece::kInput || piece == WalkPiece::kQueries ||
         piece == WalkPiece::kScores || piece == WalkPiece::kWeights ||
         piece == WalkPiece::kBlended || piece == WalkPiece::kConcatenated ||
         piece == WalkPiece::kOutput;
}
bool HasKeyRows(WalkPiece piece) {
  return piece == WalkPiece::kKeys || piece == WalkPiece::kValues;
}
bool HasCells(WalkPiece piece) {
  return piece == WalkPiece::kScores || piece == WalkPiece::kWeights;
}

void DrawCaption(const Ui& ui, const WalkFrame& frame, WalkPiece piece, const Rect& place) {
  const ThemeColors& colors = ui.colors();
  const Caption caption = CaptionOf(*frame.walk, piece);
  const WalkMatrix& matrix = MatrixOf(*frame.walk, piece);
  const bool is_bright = IsOfStage(piece, frame.stage);
  const std::string shape = HasQueryRows(piece)
                                ? fmt::format("[{}, {}]", frame.walk->shape.queries, matrix.cols)
                                : fmt::format("[{}, {}]", matrix.rows, matrix.cols);
  const float line = ui.Px(19.0F);
  const float name = DrawLowered(
      ui, place.x, place.y, caption.name, caption.low, is_bright ? colors.text : colors.muted);
  const float beside = place.x + name + ui.Px(6.0F);
  const bool fits = beside + TextWidth(ui, shape, Type::kMonoSmall) <= place.x + place.width;
  const Rgb faint = is_bright ? colors.muted : colors.dim;
  DrawText(ui,
           fits ? beside : place.x,
           place.y + (fits ? ui.Px(2.0F) : line),
           shape,
           Type::kMonoSmall,
           faint);
  // A note is there or not; half of one says nothing.
  if (fits && TextWidth(ui, caption.note, Type::kSmall) <= place.width + ui.Px(4.0F)) {
    DrawText(ui, place.x, place.y + line, caption.note, Type::kSmall, faint);
  }
}

// Where those rows and columns stand in the picture.
Rect PlaceIn(const Rect& picture, const WalkMatrix& matrix, const Block& rows, const Block& cols) {
  const float high = picture.height / static_cast<float>(matrix.rows);
  const float wide = picture.width / static_cast<float>(matrix.cols);
  return {picture.x + wide * static_cast<float>(cols.first),
          picture.y + high * static_cast<float>(rows.first),
          wide * static_cast<float>(cols.last - cols.first),
          high * static_cast<float>(rows.last - rows.first)};
}

// Marks at both sides of a row.
void DrawRowMark(const Ui& ui, const Rect& row) {
  const float width = ui.Px(3.0F);
  const float height = std::max(row.height, ui.Px(3.0F));
  const float top = row.y + (row.height - height) / 2.0F;
  const Rgb color = ui.colors().accent;
  FillRect(ui, {row.x - width - ui.Px(1.0F), top, width, height}, color, 0.0F);
  FillRect(ui, {row.x + row.width + ui.Px(1.0F), top, width, height}, color, 0.0F);
}

void DrawMarks(const Ui& ui, const WalkFrame& frame, WalkPiece piece, const Rect& picture) {
  const LayerWalk& walk = *frame.walk;
  const WalkMatrix& matrix = MatrixOf(walk, piece);
  const Block all_rows{0, matrix.rows};
  const Block all_cols{0, matrix.cols};
  const auto draw_frame = [&](const Block& rows, const Block& cols, float radius, float thick) {
    const Rect place = PlaceIn(picture, matrix, rows, cols);
    FrameRect(ui, Inset(place, -ui.Px(1.0F), -ui.Px(1.0F)), ui.colors().text, radius, thick);
  };
  if (const auto band = BandOf(walk, piece)) {
    const Block own{band->own * band->width, (band->own + 1) * band->width};
    draw_frame(band->is_across ? own : all_rows, band->is_across ? all_cols : own, 2.0F, 2.0F);
  }
  const std::int64_t query = frame.row - walk.first_row;
  const bool has_query = HasQueryRows(piece) && walk.HasRow(frame.row);
  if (has_query || HasKeyRows(piece)) {
    const std::int64_t row = has_query ? query : frame.key;
    DrawRowMark(ui, PlaceIn(picture, matrix, {row, row + 1}, all_cols));
  }
  if (HasCells(piece) && has_query) {
    draw_frame({query, query + 1}, {frame.key, frame.key + 1}, 1.0F, 1.5F);
  }
}

// Tells the cell, points at its row or key, and takes a click: on a row, or on a head's columns.
void Point(Ui* ui, const WalkFrame& frame, WalkPiece piece, const WalkCell& cell, bool clicked) {
  const LayerWalk& walk = *frame.walk;
  TellNow(ui, CellWords(frame, piece, cell));
  if (frame.stale) {
    return;
  }
  std::optional<MapPoint> point;
  if (HasCells(piece)) {
    point = MapPoint{.query = walk.first_row + cell.row, .key = cell.col};
  } else if (HasKeyRows(piece)) {
    point = MapPoint{.query = frame.row, .key = cell.row};
  } else if (HasQueryRows(piece)) {
    point = MapPoint{.query = walk.first_row + cell.row};
  }
  const auto band = BandOf(walk, piece);
  const std::int64_t head =
      band ? (band->is_across ? cell.row : cell.col) / band->width * band->heads_each : walk.head;
  if (point) {
    PointAt(ui, *point);
  }
  if (!clicked) {
    return;
  }
  if (band && head / band->heads_each != walk.head / band->heads_each) {
    ui->Do(ClickHead{{walk.layer.layer, head, walk.layer.part}});
  } else if (point && !band) {
    ui->Do(ClickCell{*point});
  }
}

}  // namespace

WalkFrame WalkFrameOf(const AppState& state, const LayerWalk& walk) {
  WalkFrame frame{.walk = state.walk.answer,
                  .stage = state.walk.stage,
                  .stale = IsWalkStale(state),
                  .row = WalkRowInView(state, walk),
                  .key = WalkKeyInView(state, walk)};
  const LayerView view = SelectedLayer(state);
  if (state.walk.of && state.walk.of->layer == view.layer) {
    frame.query_tokens = QueryTokens(view);
    frame.key_tokens = KeyTokens(view);
  }
  return frame;
}

std::string NumberedToken(const std::shared_ptr<const Encoding>& tokens, std::int64_t index) {
  const std::string word = tokens != nullptr ? TokenWord(*tokens, index) : "";
  return word.empty() ? fmt::format("{}", index) : fmt::format("{} “{}”", index, word);
}

WalkCell CellAt(const WalkMatrix& matrix, float width, float height, float x, float y) {
  const std::int64_t rows = Drawn(matrix.kept_rows(), height);
  const std::int64_t cols = Drawn(matrix.kept_cols(), width);
  const auto index = [](float at, float all, std::int64_t count) {
    const auto place = static_cast<std::int64_t>(at / all * static_cast<float>(count));
    return std::clamp<std::int64_t>(place, 0, count - 1);
  };
  WalkCell cell = Farthest(matrix,
                           BlockOf(index(y, height, rows), rows, matrix.kept_rows()),
                           BlockOf(index(x, width, cols), cols, matrix.kept_cols()));
  cell.row *= matrix.step;
  cell.col *= matrix.step;
  cell.count *= matrix.step * matrix.step;
  return cell;
}

std::string CellWords(const WalkFrame& frame, WalkPiece piece, const WalkCell& cell) {
  const LayerWalk& walk = *frame.walk;
  const WalkMatrix& matrix = MatrixOf(walk, piece);
  const auto band = BandOf(walk, piece);
  const std::int64_t query = walk.first_row + cell.row;
  std::string row = "query " + NumberedToken(frame.query_tokens, query);
  std::string col = fmt::format("column {} of {}", cell.col, matrix.cols);
  if (band) {
    if (band->is_across) {
      row = fmt::format("row {}, of head {}", cell.row, cell.row / band->width);
      col = fmt::format("output {}", cell.col);
    } else {
      col = fmt::format("column {}, of {} {}",
                        cell.col,
                        band->heads_each > 1 ? "key head" : "head",
                        cell.col / band->width);
      row = piece == WalkPiece::kConcatenated ? row : fmt::format("input {}", cell.row);
    }
  } else if (piece == WalkPiece::kInput) {
    row = "token " + NumberedToken(frame.query_tokens, query);
    col = fmt::format("input {}", cell.col);
  } else if (HasKeyRows(piece)) {
    row = "key " + NumberedToken(frame.key_tokens, cell.row);
  } else if (HasCells(piece)) {
    col = "key " + NumberedToken(frame.key_tokens, cell.col);
  } else if (piece == WalkPiece::kOutput) {
    col = fmt::format("output {}", cell.col);
  }
  const double value = static_cast<double>(matrix.At(cell.row, cell.col));
  const bool is_masked = HasCells(piece) && !std::isfinite(walk.scores.At(cell.row, cell.col));
  std::string words = fmt::format("{}, {}\n{}", row, col, is_masked ? "masked" : NumberText(value));
  if (cell.count > 1) {
    words += fmt::format("\nfarthest from 0 of the {} cells here", cell.count);
  }
  if (band && (band->is_across ? cell.row : cell.col) / band->width != band->own) {
    words += "\nclick goes to that head";
  }
  return words;
}

void TellNow(Ui* ui, const std::string& words) {
  ImGui::BeginTooltip();
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find('\n', begin), words.size());
    TooltipText(ui, std::string_view(words).substr(begin, end - begin));
    begin = end + 1;
  }
  ImGui::EndTooltip();
}

float DrawLowered(
    const Ui& ui, float x, float y, const std::string& name, const std::string& low, Rgb color) {
  const float width = DrawText(ui, x, y, name, Type::kBold, color);
  if (low.empty()) {
    return width;
  }
  return width + ui.Px(1.0F) +
         DrawText(ui, x + width + ui.Px(1.0F), y + ui.Px(5.0F), low, Type::kMonoSmall, color);
}

void DrawWalkPicture(Ui* ui, const WalkFrame& frame, WalkPiece piece, const WalkPlace& place) {
  const WalkMatrix& matrix = MatrixOf(*frame.walk, piece);
  if (matrix.empty()) {
    return;
  }
  const Rect seen = Intersection(place.picture, frame.view);
  DrawCaption(*ui, frame, piece, place.caption);
  if (seen.width <= 0.0F || seen.height <= 0.0F) {
    return;
  }
  const std::int64_t rows = Drawn(matrix.kept_rows(), place.picture.height);
  const std::int64_t cols = Drawn(matrix.kept_cols(), place.picture.width);
  const Curve curve = ui->state.settings.curve;
  const auto made_for = static_cast<std::int64_t>(curve) << 60 | rows << 30 | cols;
  const MapHandle handle =
      ui->maps->Made(frame.walk, static_cast<std::int64_t>(piece), made_for, rows, cols, [&] {
        return PositionsOf(*frame.walk, piece, rows, cols, curve);
      });
  SceneRegion& region = ui->region(Panel::kMiddle);
  if (handle == 0) {
    region.fills.push_back({seen, ui->colors().panel});
  } else {
    ColorScale scale{.curve = Curve::kLinear,
                     .range = RangeMode::kFixed,
                     .low = 0.0F,
                     .high = 1.0F,
                     .colormap = Colormap::kDiverging};
    if (piece == WalkPiece::kWeights) {
      scale =
          ScaleFor(ui->state, {frame.walk->layer.layer, frame.walk->head, frame.walk->layer.part});
    }
    region.maps.push_back({.map = handle,
                           .target = place.picture,
                           .source = {},
                           .scale = scale,
                           .dimmed = frame.stale || !IsOfStage(piece, frame.stage)});
  }
  DrawMarks(*ui, frame, piece, place.picture);
  const Pressed pressed = Area(ui, "matrix", static_cast<int>(piece), place.picture, "");
  if (pressed.hovered) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    Point(ui,
          frame,
          piece,
          CellAt(matrix,
                 place.picture.width,
                 place.picture.height,
                 mouse.x - place.picture.x,
                 mouse.y - place.picture.y),
          pressed.clicked);
  }
}

}  // namespace headscope

// One weight of the selected head, dimension by dimension: query, key, their products, and the steps
// from their sum to the weight.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/pair_words.h"
#include "app/views/inspect/head_views.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_panel.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 2> kDimensionOrders = {{
    {"as they lie", "The dimensions in the order of the head's columns"},
    {"sorted", "The dimensions from the largest product to the smallest"},
}};

// The selected cell, or the largest weight of the selected row.
struct Pair {
  CellIndex cell;
  bool is_chosen = false;
};
Pair PairInView(const AppState& state, const RowWeights& row) {
  const auto& point = state.selection.point;
  if (point && point->key && point->query == row.query && *point->key < std::ssize(row.weights)) {
    return {.cell = {.query = row.query, .key = *point->key}, .is_chosen = true};
  }
  const auto most = std::ranges::max_element(row.weights, {}, OrderOf);
  return {.cell = {.query = row.query, .key = most - row.weights.begin()}};
}

struct Bars {
  const char* id = "";
  std::string name;
  const std::vector<double>& values;
};

// One number for each dimension; returns the dimension under the pointer, or -1.
std::int32_t DrawBars(Ui* ui,
                      const Rect& area,
                      const Bars& bars,
                      const std::vector<std::int32_t>& order) {
  const ThemeColors& colors = ui->colors();
  double most = 0.0;
  for (const double value : bars.values) {
    most = std::max(most, std::abs(value));
  }
  most = most > 0.0 ? most : 1.0;
  Chart chart{.across = {.high = static_cast<double>(order.size())},
              .up = {.low = -most,
                     .high = most,
                     .low_words = fmt::format("{:.3g}", -most),
                     .high_words = fmt::format("{:.3g}", most)},
              .right = 0.0F,
              .is_small = true};
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double value = bars.values[static_cast<std::size_t>(order[place])];
    // Up or down tells the sign without the colour.
    chart.marks.emplace_back(ChartBar{.left = static_cast<double>(place) + 0.1,
                                      .right = static_cast<double>(place) + 0.9,
                                      .value = value,
                                      .ink = {value < 0.0 ? colors.muted : colors.accent}});
  }
  chart.LineAcross(0.0, {colors.line});
  DrawText(*ui, area.x, area.y, bars.name, Type::kSmall, colors.muted);
  const float heading = LineHeight(*ui, Type::kSmall) + ui->Px(2.0F);
  const ChartPointed pointed =
      DrawChart(ui, bars.id, {area.x, area.y + heading, area.width, area.height - heading}, chart);
  if (!pointed.hovered || order.empty()) {
    return -1;
  }
  const auto place = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::floor(pointed.across)), 0, std::ssize(order) - 1);
  return order[static_cast<std::size_t>(place)];
}

void DrawSteps(Pen* pen, const ScoreParts& parts, const std::string& row_name) {
  Ui* const ui = pen->ui;
  for (const PairStep& step : StepsOfPair(parts, row_name)) {
    Row row = pen->Line(20.0F);
    row.TextRight(step.number, Type::kMono, ui->colors().text);
    row.SkipRight(10.0F);
    row.Text(step.what, Type::kSmall, ui->colors().muted);
  }
}

}  // namespace

void DrawPairView(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const MapView& map = panel.full.map;
  const RowWeights row = RowInFull(ui, panel.full);
  if (!map.layer->has_scores()) {
    pen->Paragraph(
        map.layer->is_seen_apart()
            ? "Merged tokens have no query and no key of their own: show all tokens (Tokens, above "
              "the maps) to see these products."
            : "This attention comes from a file that holds its weights only: there are no queries "
              "and keys to multiply. Open the model to see them.",
        Type::kBody,
        ui->colors().muted);
    return;
  }
  const Pair pair = PairInView(ui->state, row);
  const ScoreParts parts = PartsOfScore(map, pair.cell.query, pair.cell.key);
  const HeadLook& look = ui->state.head_look;
  Row tools = pen->Line(28.0F);
  const int pressed = Segments(ui,
                               "order of dimensions",
                               tools.Left(SegmentsWidth(*ui, kDimensionOrders)),
                               kDimensionOrders,
                               look.is_sorted ? 1 : 0);
  if (pressed >= 0) {
    HeadLook next = look;
    next.is_sorted = pressed == 1;
    ui->Do(SetHeadLook{std::move(next)});
  }
  tools.Skip(12.0F);
  const std::string query_name = TokenLabel(*panel.full.query_tokens, pair.cell.query);
  const std::string key_name = TokenLabel(*panel.full.key_tokens, pair.cell.key);
  tools.Text(fmt::format("“{}” looks at “{}”{}",
                         query_name,
                         key_name,
                         pair.is_chosen ? "" : ", the most of its row"),
             Type::kSmall,
             ui->colors().text);
  pen->Skip(8.0F);

  std::vector<std::int32_t> order(parts.products.size());
  std::iota(order.begin(), order.end(), 0);
  if (look.is_sorted) {
    order = SortedDimensions(parts);
  }
  const Rect& detail = ui->layout.detail;
  const float room =
      std::clamp(detail.y + detail.height - pen->y - panel.below, ui->Px(230.0F), ui->Px(460.0F));
  const float gap = ui->Px(8.0F);
  const float small = std::floor((room - 2.0F * gap) * 0.28F);
  std::int32_t dimension = -1;
  const auto draw = [&](const Bars& bars, float height) {
    const std::int32_t at = DrawBars(ui, pen->Take(height), bars, order);
    dimension = at >= 0 ? at : dimension;
  };
  draw({"query numbers", fmt::format("query of “{}”", query_name), parts.query}, small);
  pen->Take(gap);
  draw({"key numbers", fmt::format("key of “{}”", key_name), parts.key}, small);
  pen->Take(gap);
  ui->memory->products_at = {pen->x, pen->y, pen->width, room - 2.0F * (small + gap)};
  draw({"products", "products", parts.products}, room - 2.0F * (small + gap));
  if (dimension >= 0) {
    const auto at = static_cast<std::size_t>(dimension);
    TooltipForItem(ui,
                   static_cast<std::uint32_t>(9000000 + dimension),
                   true,
                   fmt::format("dimension {}: {:.4f} × {:.4f} = {:.4f}",
                               dimension,
                               parts.query[at],
                               parts.key[at],
                               parts.products[at]));
  }
  pen->Skip(8.0F);
  DrawSteps(pen, parts, query_name);
}

}  // namespace headscope

// On the open text: how far a head looks, and how evenly each of its rows is spread.
#include <algorithm>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/pen.h"
#include "core/attention/relative_position.h"
#include "core/base/counted.h"
#include "core/figure/score_charts.h"

namespace headscope {
namespace {

constexpr float kChartHeight = 94.0F;  // unscaled, with the places below

// A chart of one value for each place, 0 at its bottom; a place is told under the pointer.
template <typename TextOf>
void DrawPlaces(
    Pen* pen, const char* id, Chart* chart, std::size_t count, double most, TextOf text) {
  chart->is_small = true;
  chart->across.high = static_cast<double>(count);
  chart->up = {.high = most, .low_words = "0", .high_words = fmt::format("{:.2f}", most)};
  const ChartPointed pointed = DrawChart(pen->ui, id, pen->Take(pen->ui->Px(kChartHeight)), *chart);
  if (pointed.hovered) {
    const std::size_t place =
        std::min(count - 1, static_cast<std::size_t>(std::max(0.0, pointed.across)));
    const auto item = static_cast<std::uint32_t>(ImGui::GetID(id) + place);
    TooltipForItem(pen->ui, item, true, text(place));
  }
}

ChartBar BarOf(const Ui& ui, std::size_t place, double value) {
  const auto left = static_cast<double>(place);
  return {left + 0.12, left + 0.88, value, {ui.colors().accent}};
}

void DrawDistances(Pen* pen, const RelativeAttention& shares) {
  Chart chart = DistanceChart(shares, pen->ui->colors());
  DrawPlaces(pen, "distance", &chart, PlacesOfDistances(shares), chart.up.high, [&](std::size_t i) {
    const auto distance = static_cast<std::int64_t>(i) - RelativeAttention::kFurthest;
    return shares.rows[i] > 0 ? fmt::format("{:+} tokens: {:.3f} over {}",
                                            distance,
                                            shares.mean[i],
                                            Counted(shares.rows[i], "row"))
                              : fmt::format("{:+} tokens: no row sees it", distance);
  });
}

// Bar: the row; tick above: the most that its keys allow.
void DrawEntropies(Pen* pen, const RowEntropies& rows, const LayerView& view) {
  const double most = std::max(*std::max_element(rows.most.begin(), rows.most.end()), 0.01);
  const std::size_t count = rows.nats.size();
  const auto every = static_cast<std::size_t>(count <= 12 ? 1 : count <= 60 ? 5 : 20);
  Chart chart;
  for (std::size_t row = 0; row < count; ++row) {
    const auto left = static_cast<double>(row);
    chart.marks.emplace_back(BarOf(*pen->ui, row, rows.nats[row]));
    chart.marks.emplace_back(ChartLine{.x0 = left,
                                       .y0 = rows.most[row],
                                       .x1 = left + 1.0,
                                       .y1 = rows.most[row],
                                       .ink = {pen->ui->colors().muted},
                                       .is_short = true});
    if (row % every == 0) {
      chart.ticks.push_back({left + 0.5, fmt::format("{}", row)});
    }
  }
  const std::shared_ptr<const Encoding> tokens = QueryTokens(view);
  DrawPlaces(pen, "entropy of row", &chart, count, most, [&](std::size_t row) {
    return fmt::format("row {}{}: {:.2f} nats; even attention {:.2f}",
                       row,
                       tokens != nullptr && row < tokens->tokens.size()
                           ? ", " + TokenWord(*tokens, static_cast<std::int64_t>(row))
                           : "",
                       rows.nats[row],
                       rows.most[row]);
  });
}

}  // namespace

void DrawRelative(Pen* pen, HeadIndex head) {
  const LayerView view = LayerAt(pen->ui->state, head.layer);
  const bool is_cross = head.part == ModelPart::kCross;
  const bool is_told = view.layer != nullptr && !view.layer->thumbnail(head.head).pooled;
  pen->Heading("Attention by relative position",
               !is_told   ? "for texts of up to 128 tokens"
               : is_cross ? "this text; 0: the same place in the source"
                          : "this text; mean over rows that see it");
  if (!is_told) {
    return;
  }
  const Thumbnail& map = view.layer->thumbnail(head.head);
  pen->Skip(12.0F);
  DrawDistances(pen, AttentionByDistance(map, is_cross ? 1 : 0));
  const RowEntropies rows = EntropyByRow(map);
  if (rows.nats.empty()) {
    return;
  }
  pen->Skip(8.0F);
  pen->Heading("Entropy by position",
               "this text, in nats; line: even attention, the most there can be");
  pen->Skip(12.0F);
  DrawEntropies(pen, rows, view);
}

}  // namespace headscope

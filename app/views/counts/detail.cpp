// The right part of Counts: the chosen map in full, and what each head count costs.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_panel.h"
#include "app/views/panels.h"
#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/base/grouped.h"

namespace headscope {
namespace {

// Short enough for its column.
std::string Short(std::int64_t value) {
  const auto number = static_cast<double>(value);
  return value < 1'000'000       ? Grouped(value)
         : value < 1'000'000'000 ? fmt::format("{:.1f} M", number / 1e6)
                                 : fmt::format("{:.1f} G", number / 1e9);
}

std::string Bytes(std::int64_t value) {
  const auto bytes = static_cast<double>(value);
  return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3)
                     : fmt::format("{:.1f} MB", bytes / 1e6);
}

struct Column {
  const char* name;
  const char* tooltip;
  float width;  // unscaled, right-aligned
};

constexpr std::array<Column, 8> kColumns = {{
    {"h", "How many heads the layer is cut into", 28.0F},
    {"dₖ", "Columns of queries and keys that a head has", 50.0F},
    {"multiplies", "Of the projections and products: the same for every h", 76.0F},
    {"softmax", "Cells: h n² (queries × keys in cross-attention), one exponential each", 66.0F},
    {"maps", "Bytes of all maps in float32", 68.0F},
    {"ms",
     "Of the layer's attention on this machine, in milliseconds: the median of five runs or more, "
     "and how near half of them lie; \"unsteady\" where they lie further apart than they are long",
     88.0F},
    {"change of\noutput",
     "How far the layer's output is from the trained count's: norm of the difference "
     "over the norm",
     58.0F},
    {"divergence",
     "Jensen-Shannon divergence between the heads' rows, in nats: 0 where all heads "
     "look alike, 0.693 at most",
     78.0F},
}};

// "0.84 ±0.03": half of the runs lie as near. Runs that lie further apart than they are long say no
// number.
std::string TimeText(const SplitCount& count) {
  if (!count.IsTimeKnown()) {
    return "unsteady";
  }
  const int places = count.milliseconds < 0.1 ? 3 : count.milliseconds < 100.0 ? 2 : 0;
  std::string text = fmt::format("{:.{}f}", count.milliseconds, places);
  const double near = count.milliseconds_apart / 2.0;
  if (near >= 0.5 * std::pow(10.0, -places)) {
    text += fmt::format(" ±{:.{}f}", near, places);
  }
  return text;
}

std::array<std::string, 8> Cells(const SplitCount& count) {
  return {fmt::format("{}", count.heads),
          WidthText(count),
          Short(count.multiplies),
          Short(count.softmax_cells),
          Bytes(count.map_bytes),
          count.is_measured ? TimeText(count) : "…",
          count.is_measured ? PercentOf(count.output_difference) : "…",
          !count.is_measured      ? "…"
          : count.mean_divergence ? WithDigits(*count.mean_divergence)
                                  : "–"};
}

void DrawCostCells(Row row,
                   const std::array<float, 8>& widths,
                   const std::array<std::string, 8>& cells,
                   Rgb color) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.CellRight(widths[i], cells[i], Type::kMonoSmall, color);
  }
}

void DrawCostTable(Pen* pen, const SplitResult& result) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  float total = 0.0F;
  for (const Column& column : kColumns) {
    total += ui->Px(column.width);
  }
  std::array<float, 8> widths = {};
  // A name of two words stands on two lines.
  std::array<std::string, 8> above;
  std::array<std::string, 8> names;
  const Row upper = pen->TopLine(14.0F);
  const Row heading = pen->TopLine(18.0F);
  Row places = heading;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const std::string_view name = kColumns[i].name;
    const std::size_t line = std::min(name.find('\n'), name.size());
    above[i] = line < name.size() ? name.substr(0, line) : "";
    names[i] = line < name.size() ? name.substr(line + 1) : name;
    widths[i] = ui->Px(kColumns[i].width) * std::min(1.25F, pen->width / total);
    Area(ui, kColumns[i].name, places.Left(widths[i]), kColumns[i].tooltip);
  }
  DrawCostCells(upper, widths, above, colors.dim);
  DrawCostCells(heading, widths, names, colors.dim);
  pen->Skip(2.0F);
  for (const SplitCount& count : result.counts) {
    const bool trained = result.IsTrained(count);
    const Row row = pen->TopLine(18.0F);
    DrawCostCells(row, widths, Cells(count), trained ? colors.accent : colors.text);
    const char* const tooltip = trained ? "the trained count" : "";
    if (Area(ui, "cost row", static_cast<int>(count.heads), row.whole(), tooltip).clicked) {
      ui->Do(SelectCount{count.heads, 0});
    }
  }
}

// Whether every count has as many columns in all.
bool HasOneCost(const SplitResult& result) {
  return std::ranges::all_of(result.counts, [&](const SplitCount& count) {
    return count.multiplies == result.counts.front().multiplies;
  });
}

// Which weights, columns and input the maps are made with.
std::string CutWords(const SplitResult& result, bool trained) {
  const std::vector<std::string> changes = ChangesOf(result.request);
  if (result.request.weights != SplitWeights::kTrained) {
    return fmt::format("{}", fmt::join(changes, "; "));
  }
  const std::string words =
      trained ? "the trained count" : "the trained weights cut anew, not retrained";
  return changes.empty() ? words : fmt::format("{}; {}", words, fmt::join(changes, "; "));
}

}  // namespace

std::string CutName(const SplitCount& count, std::int64_t head) {
  return fmt::format("h = {}, head {}", count.heads, head);
}

std::string HeadOfWords(const SplitResult& split, std::size_t count, std::int64_t head) {
  const SplitCount& chosen = split.counts[count];
  return fmt::format("{}: {}", CutName(chosen, head), ColumnWords(chosen.attention->columns(head)));
}

void DrawCountsDetail(Ui* ui) {
  const Counts& counts = ui->state.counts;
  const std::optional<ChosenCount> chosen = ChosenOf(ui->state);
  const FullMap full = MapInFull(ui->state);
  if (ui->layout.detail.width <= 0.0F || !chosen || full.query_tokens == nullptr ||
      std::ssize(full.query_tokens->tokens) != full.map.queries() || full.key_tokens == nullptr ||
      std::ssize(full.key_tokens->tokens) != full.map.keys()) {
    return;
  }
  const SplitResult& result = *counts.result;
  const SplitCount& count = result.counts[chosen->count];
  const ThemeColors& colors = ui->colors();
  ui->memory->pointing = ui->memory->pointing_in_tree;
  const std::string title = CutName(count, chosen->head);
  Pen pen = BeginDetail(ui, title);
  const bool trained = result.IsTrained(count);
  const bool is_stale = AreCountsStale(ui->state);
  const bool is_current = SelectedLayer(ui->state).layer == counts.source;
  DrawDetailHeader(&pen, title, trained && is_current);
  pen.Skip(4.0F);
  std::string words = fmt::format("{}, {}, dₖ {}",
                                  LayerWords({counts.source->part(), result.layer}),
                                  ColumnWords(count.attention->columns(chosen->head)),
                                  WidthText(count));
  words += "; " + CutWords(result, trained);
  words += result.leaves_bias_out
               ? ". Without the bias or sink that each trained head adds to its scores: it belongs "
                 "to no other head count"
               : "";
  const std::optional<TreeHead> beside = HeadBeside(ui->state);
  const std::optional<HeadFamily> family = FamilyOf(ui->state);
  const bool is_beside = beside && !ui->state.tree.is_in_full;
  const float fit = is_beside ? 0.0F : DrawFit(ui, pen.x + pen.width, pen.y);
  Pen about = pen.Part(0.0F, fit > 0.0F ? pen.width - fit - ui->Px(8.0F) : pen.width);
  about.Small(words, colors.muted);
  pen.y = about.y;
  pen.Skip(6.0F);
  DrawBesideSwitch(&pen);
  pen.Skip(10.0F);
  if (is_beside) {
    DrawBeside(&pen, *beside, is_stale);
    pen.Skip(14.0F);
  } else {
    const float table = ui->Px(18.0F) * static_cast<float>(result.counts.size() + 1);
    DrawMapPanel(&pen,
                 {.full = full,
                  .scale = ScaleOfCount(ui->state, full.map),
                  .dimmed = is_stale || full.outdated,
                  .below = table + ui->Px(190.0F),
                  .text_height = ui->Px(56.0F)});
    pen.Skip(14.0F);
    if (family) {
      DrawSum(&pen, *family, nullptr);
      pen.Skip(14.0F);
    }
  }
  if (family) {
    DrawSeparated(&pen, *family);
    pen.Skip(14.0F);
  }

  DrawScales(&pen, result);
  DrawEqualCurve(&pen, result);
  const std::string tokens = Counted(full.map.queries(), "token");
  pen.Text(full.query_tokens == full.key_tokens ? "Cost of this layer for " + tokens
                                                : fmt::format("Cost of this layer for {} × {}",
                                                              full.map.queries(),
                                                              Counted(full.map.keys(), "token")),
           Type::kBold,
           colors.text,
           24.0F);
  DrawCostTable(&pen, result);
  pen.Skip(6.0F);
  pen.Small(
      fmt::format("Parameters ({}) {}. Softmax work and map memory grow with it. Change of "
                  "output: the norm of its difference from the trained count's, over the norm.",
                  Grouped(count.parameters),
                  HasOneCost(result) ? "and multiplies do not depend on h"
                                     : "do not depend on h; multiplies go with the columns of all "
                                       "heads together"),
      colors.muted);
  pen.Skip(14.0F);
  DrawRank(&pen, result, *chosen);
  DrawKept(&pen, result, *chosen);
  DrawOtherWidths(&pen);
  EndDetail(ui, pen.y);
}

}  // namespace headscope

// Models that differ in their number of heads, side by side: a column for each number of heads, a line
// for each quantity with its error and its control, and small charts of the same.
#include "app/state/heads/across.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/series_words.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/chart.h"
#include "app/views/kit/pen.h"
#include "core/figure/chart_grid.h"

namespace headscope {
namespace {

constexpr float kAcrossName = 128.0F;   // unscaled, as in what follows
constexpr float kAcrossLeast = 104.0F;  // of a column
constexpr float kAcrossMost = 190.0F;
constexpr float kAcrossLine = 20.0F;
constexpr float kAcrossControl = 17.0F;
constexpr float kAcrossChartWidth = 230.0F;
constexpr float kAcrossChartHeight = 176.0F;

// "0.312 ± 0.021" without what is in brackets, which stands below.
std::string AcrossCell(const AcrossColumn& column, std::optional<AcrossNumber> number) {
  if (number) {
    number->control.reset();
  }
  return AcrossText(column, number);
}

std::string ControlCell(const AcrossColumn& column, const std::optional<AcrossNumber>& number) {
  if (!number || !number->control ||
      (column.of != AcrossQuantity::kOverlap && *number->control <= number->mean)) {
    return "";
  }
  const std::string value = AcrossCell(column, AcrossNumber{.mean = *number->control, .runs = 1});
  return (column.of == AcrossQuantity::kOverlap ? "chance " : "borderline too ") + value;
}

struct AcrossShown {
  const std::vector<AcrossRow>& rows;
  std::optional<std::size_t> open;  // the row of the open model
  float name = 0.0F;
  float column = 0.0F;
};

Rgb AcrossColor(const Ui& ui, const AcrossShown& table, std::size_t row, Rgb color) {
  return table.open == row ? ui.colors().accent : color;
}

// The numbers of heads: a click opens the first run.
void DrawAcrossHeads(Pen* pen, const AcrossShown& table) {
  Ui* const ui = pen->ui;
  const std::vector<SeriesModel>& models =
      ModelsOf(ui->state.series.there, SeriesKind::kHeadCounts);
  Row line = pen->Line(26.0F);
  line.Cell(table.name, "heads in a layer", Type::kSmall, ui->colors().muted);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const AcrossRow& row = table.rows[i];
    const Rect place = line.Left(table.column);
    const std::string runs = row.names.size() > 1 || row.scanned < row.names.size()
                                 ? fmt::format("  {} of {} runs", row.scanned, row.names.size())
                                 : "";
    const auto model = std::ranges::find(
        models, row.label, [](const SeriesModel& one) { return std::to_string(one.value); });
    const bool is_open = table.open == i;
    const Pressed pressed =
        Area(ui,
             "across heads",
             static_cast<int>(i),
             place,
             is_open ? fmt::format("{} is open", fmt::join(row.names, ", "))
                     : fmt::format("{}; a click opens the first", fmt::join(row.names, ", ")));
    if (pressed.hovered) {
      FillRect(*ui, place, ui->colors().raised, 4.0F);
    }
    if (pressed.clicked && !is_open && model != models.end()) {
      ui->Do(OpenFolder{.folder = model->folder});
    }
    DrawTextIn(*ui,
               place,
               "h " + row.label + runs,
               Type::kBody,
               AcrossColor(*ui, table, i, ui->colors().text),
               table.column);
  }
}

void DrawAcrossLine(Pen* pen, const AcrossShown& table, const AcrossColumn& column) {
  Ui* const ui = pen->ui;
  const bool has_controls = std::ranges::any_of(table.rows, [&](const AcrossRow& row) {
    return !ControlCell(column, row.Of(column.of)).empty();
  });
  Row line = pen->Line(kAcrossLine);
  const Rect name{line.whole().x, line.whole().y, table.name, line.whole().height};
  line.Cell(table.name, column.name, Type::kSmall, ui->colors().muted);
  Area(ui,
       "across name",
       static_cast<int>(column.of),
       name,
       fmt::format("{}: {}", column.name, column.about));
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    line.Cell(table.column,
              AcrossCell(column, table.rows[i].Of(column.of)),
              Type::kMonoSmall,
              AcrossColor(*ui, table, i, ui->colors().text));
  }
  if (has_controls) {
    Row below = pen->Line(kAcrossControl);
    static_cast<void>(below.Left(table.name));
    for (const AcrossRow& row : table.rows) {
      below.Cell(
          table.column, ControlCell(column, row.Of(column.of)), Type::kMonoSmall, ui->colors().dim);
    }
  }
  pen->Skip(3.0F);
}

void DrawAcrossCharts(Pen* pen, const AcrossShown& table) {
  Ui* const ui = pen->ui;
  std::vector<Chart> charts;
  const std::string open = table.open ? table.rows[*table.open].label : "";
  for (const AcrossColumn& column : AllAcrossColumns()) {
    auto chart =
        AcrossChart(table.rows, column, AcrossWords(SeriesKind::kHeadCounts), open, ui->colors());
    if (chart) {
      charts.push_back(std::move(*chart));
    }
  }
  const float gap = ui->Px(14.0F);
  const float least = ui->Px(kAcrossChartWidth);
  const auto rows_of = [&](float height) {
    return GridPlaces({pen->x, pen->y, pen->width, height}, charts.size(), least, gap);
  };
  const auto first = rows_of(1.0F);
  const auto rows = static_cast<float>(
      std::ranges::count_if(first, [&](const Rect& one) { return one.x == pen->x; }));
  const float height = rows * ui->Px(kAcrossChartHeight) + std::max(0.0F, rows - 1.0F) * gap;
  const auto places = rows_of(height);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    DrawChart(ui, fmt::format("across chart {}", i).c_str(), places[i], charts[i]);
  }
  pen->y += height;
}

}  // namespace

void DrawHeadsAcross(Ui* ui, const Rect& area) {
  if (DrawWhyNoSeries(ui, area)) {
    return;
  }
  Rect rest = area;
  const float bar = DrawSeriesProgress(ui, rest);
  rest.y += bar;
  rest.height -= bar;
  if (rest.height < ui->Px(40.0F)) {
    return;
  }
  const std::vector<AcrossModel> models = AcrossModelsInView(ui->state);
  const std::vector<AcrossRow> rows = AcrossRows(models);
  BeginScroll("across", rest);
  const float pad = ui->Px(14.0F);
  const float top = rest.y - ImGui::GetScrollY();
  Pen pen{ui, rest.x + pad, top, std::max(ui->Px(60.0F), rest.width - 2.0F * pad)};
  AcrossShown table{.rows = rows, .open = std::nullopt, .name = ui->Px(kAcrossName)};
  table.column = std::clamp((pen.width - table.name) / static_cast<float>(rows.size()),
                            ui->Px(kAcrossLeast),
                            ui->Px(kAcrossMost));
  const auto& there = ModelsOf(ui->state.series.there, SeriesKind::kHeadCounts);
  for (const SeriesModel& model : there) {
    if (ui->state.model != nullptr && model.folder == ui->state.model->folder) {
      const auto row = std::ranges::find(rows, std::to_string(model.value), &AcrossRow::label);
      table.open = static_cast<std::size_t>(row - rows.begin());
    }
  }
  DrawAcrossHeads(&pen, table);
  for (const AcrossColumn& column : AllAcrossColumns()) {
    DrawAcrossLine(&pen, table, column);
  }
  pen.Skip(4.0F);
  pen.Small(AcrossNotes(models, rows), ui->colors().muted);
  const std::string faults = FaultWords(ScoresInSeries(ui->state, "previous_token"));
  if (!faults.empty()) {
    pen.Small(faults, ui->colors().muted);
  }
  pen.Skip(10.0F);
  DrawAcrossCharts(&pen, table);
  ImGui::SetCursorScreenPos({rest.x, pen.y + ui->Px(12.0F)});
  ImGui::Dummy({1.0F, 1.0F});
  EndScroll();
}

}  // namespace headscope

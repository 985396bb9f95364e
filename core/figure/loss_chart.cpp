#include "core/figure/loss_chart.h"

#include <algorithm>

#include <fmt/format.h>

namespace headscope {
namespace {

Status CheckLosses(const ShownLosses& losses) {
  return losses.whole != nullptr ? Status()
                                 : Fail(ErrorCode::kInput, "there is no loss of a token to draw");
}

TableCell LossCell(double value) {
  return {fmt::format("{:.4f}", value), value};
}

}  // namespace

Result<Chart> LossChart(const ShownLosses& losses, const ThemeColors& colors) {
  HEADSCOPE_TRY(CheckLosses(losses));
  double most = 0.01;
  for (std::size_t token = 1; token < losses.tokens.size(); ++token) {
    for (const NamedLosses* const each : {losses.whole.get(), losses.without.get()}) {
      const RowSaid* const said = SaidOfToken(each, token);
      most = std::max(most, said != nullptr ? said->next->loss : 0.0);
    }
  }
  Chart chart{.across = {.high = static_cast<double>(losses.tokens.size()), .name = "token"},
              .up = {.high = most,
                     .name = "loss of the token, nats",
                     .low_words = "0",
                     .high_words = fmt::format("{:.1f}", most)}};
  if (losses.without != nullptr) {
    chart.signs = fmt::format("bar: the whole model · line: without {}", losses.off);
  }
  for (std::size_t token = 0; token < losses.tokens.size(); ++token) {
    const auto left = static_cast<double>(token);
    chart.ticks.push_back({left + 0.5, losses.tokens[token]});
    if (const RowSaid* const said = SaidOfToken(losses.whole.get(), token)) {
      chart.marks.emplace_back(ChartBar{left + 0.1, left + 0.9, said->next->loss, {colors.accent}});
    }
    if (const RowSaid* const said = SaidOfToken(losses.without.get(), token)) {
      const double loss = said->next->loss;
      chart.marks.emplace_back(ChartLine{.x0 = left + 0.1,
                                         .y0 = loss,
                                         .x1 = left + 0.9,
                                         .y1 = loss,
                                         .ink = {kOffInk},
                                         .thickness = 2.0F});
    }
  }
  return chart;
}

Result<Table> LossTable(const ShownLosses& losses) {
  HEADSCOPE_TRY(CheckLosses(losses));
  Table table{.title = "Loss of each token",
              .caption = "Loss: -log of the probability that the model gave the token, in nats.",
              .columns = {{"place", "place", true},
                          {"token", "token"},
                          {"loss", "loss", true},
                          {"rank", "rank", true},
                          {"likeliest", "likeliest"},
                          {"its probability", "probability", true}},
              .rows = {}};
  if (losses.without != nullptr) {
    table.columns.push_back({"loss without " + losses.off, "loss_without", true});
  }
  for (std::size_t token = 1; token < losses.tokens.size(); ++token) {
    const RowSaid* const said = SaidOfToken(losses.whole.get(), token);
    if (said == nullptr) {
      continue;
    }
    std::vector<TableCell>& row = table.rows.emplace_back();
    row = {{fmt::format("{}", token), static_cast<double>(token)},
           {losses.tokens[token]},
           LossCell(said->next->loss),
           {fmt::format("{}", said->next->rank), static_cast<double>(said->next->rank)},
           {losses.whole->likeliest[token - 1]},
           LossCell(said->likeliest.probability)};
    if (losses.without != nullptr) {
      const RowSaid* const other = SaidOfToken(losses.without.get(), token);
      row.push_back(other != nullptr ? LossCell(other->next->loss) : TableCell());
    }
  }
  return table;
}

}  // namespace headscope

// What d_k and d_v cost where they are not d / h: counted from shapes, beside the layer as it is.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "app/views/counts/panels.h"
#include "app/views/kit/widgets.h"
#include "core/base/byte_text.h"
#include "core/base/grouped.h"

namespace headscope {
namespace {

void DrawWidthField(Row* row, Ui* ui, const char* label, std::int64_t own, CutNumberField field) {
  const std::string hint = fmt::format("{}", own);
  field.hint = hint;
  field.most_bytes = 12;
  row->Text(label, Type::kBody, ui->colors().muted);
  row->Skip(8.0F);
  DrawCutNumberField(ui, row->Left(ui->Px(84.0F)), field);
  row->Skip(16.0F);
}

struct WidthLine {
  std::string name;
  std::string own;
  std::string other;
  std::string change;  // "× 2.00"
};

std::string Sides(std::int64_t rows, std::int64_t cols) {
  return fmt::format("[{}, {}]", rows, cols);
}

WidthLine MatrixLine(const char* name,
                     std::pair<std::int64_t, std::int64_t> own,
                     std::pair<std::int64_t, std::int64_t> other) {
  return {name, Sides(own.first, own.second), Sides(other.first, other.second), ""};
}

template <typename Text>
WidthLine CostLine(const char* name, std::int64_t own, std::int64_t other, const Text& text) {
  return {name,
          text(own),
          text(other),
          own == other
              ? std::string("the same")
              : fmt::format("× {:.3g}", static_cast<double>(other) / static_cast<double>(own))};
}

std::array<WidthLine, 8> WidthLinesOf(const OtherWidths& widths) {
  const AttentionWidths& own = widths.own;
  const AttentionWidths& other = widths.other;
  const auto bytes = [](std::int64_t value) { return ByteText(static_cast<std::uint64_t>(value)); };
  const auto query = [](const AttentionWidths& of) {
    return std::pair(of.query_width, of.heads * of.head_dim);
  };
  const auto key = [](const AttentionWidths& of) {
    return std::pair(of.key_width, of.kv_heads * of.head_dim);
  };
  const auto value = [](const AttentionWidths& of) {
    return std::pair(of.value_width, of.kv_heads * of.value_dim);
  };
  const auto output = [](const AttentionWidths& of) {
    return std::pair(of.heads * of.value_dim, of.output_width);
  };
  return {
      MatrixLine("W_Q", query(own), query(other)),
      MatrixLine("W_K", key(own), key(other)),
      MatrixLine("W_V", value(own), value(other)),
      MatrixLine("W_O", output(own), output(other)),
      CostLine("parameters", widths.own_costs.parameters, widths.other_costs.parameters, Grouped),
      CostLine("multiplies", widths.own_costs.multiplies, widths.other_costs.multiplies, Grouped),
      CostLine(
          "q, k, v, heads", widths.own_costs.vector_bytes, widths.other_costs.vector_bytes, bytes),
      CostLine("maps", widths.own_costs.map_bytes, widths.other_costs.map_bytes, bytes)};
}

std::string SquareWords(const AttentionWidths& widths) {
  const std::int64_t rows = widths.heads * widths.value_dim;
  return widths.is_square()
             ? fmt::format(
                   "W_O is square here: h dᵥ = {} is as wide as the output. Nothing asks for that.",
                   rows)
             : fmt::format(
                   "W_O is not square: it takes the h dᵥ = {} columns of all heads to the "
                   "output's {}. dₖ is a choice of its own: it must be one for queries and "
                   "keys, and need not be d/h.",
                   rows,
                   widths.output_width);
}

}  // namespace

void DrawOtherWidths(Pen* pen) {
  Ui* const ui = pen->ui;
  const std::optional<OtherWidths> widths = OtherWidthsOf(ui->state);
  if (!widths) {
    return;
  }
  const ThemeColors& colors = ui->colors();
  pen->Text(
      fmt::format("Other widths, with h = {}", widths->own.heads), Type::kBold, colors.text, 24.0F);
  const CutTexts& texts = ui->state.tree.texts;
  Row fields = pen->Line(28.0F);
  DrawWidthField(&fields,
                 ui,
                 "dₖ",
                 widths->own.head_dim,
                 {.field = CutField::kOtherHeadDim,
                  .name = "other head dim",
                  .text = texts.other_head_dim,
                  .tooltip = "Columns of queries and keys of one head; nothing: as they are"});
  DrawWidthField(&fields,
                 ui,
                 "dᵥ",
                 widths->own.value_dim,
                 {.field = CutField::kOtherValueDim,
                  .name = "other value dim",
                  .text = texts.other_value_dim,
                  .tooltip = "Columns of the values of one head; nothing: as they are"});
  pen->Skip(8.0F);
  const auto draw = [&](const WidthLine& told, Rgb color) {
    Row row = pen->TopLine(18.0F);
    const float name = row.Text(told.name, Type::kMonoSmall, colors.muted);
    row.CellRight(pen->width * 0.52F - name, told.own, Type::kMonoSmall, color);
    row.CellRight(pen->width * 0.30F, told.other, Type::kMonoSmall, color);
    row.TextRight(told.change, Type::kMonoSmall, color);
  };
  draw({"", "this layer", "with these", ""}, colors.dim);
  for (const WidthLine& told : WidthLinesOf(*widths)) {
    draw(told, told.own == told.other ? colors.text : colors.accent);
  }
  pen->Skip(6.0F);
  const bool is_faulty = !widths->fault.empty();
  pen->Small(is_faulty ? widths->fault : SquareWords(widths->other),
             is_faulty ? colors.text : colors.muted);
}

}  // namespace headscope

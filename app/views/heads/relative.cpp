// On the open text: how far a head looks, and how evenly each of its rows is spread.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/relative_position.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/widgets.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

constexpr float kChartLine = 20.0F;     // unscaled, as in what follows
constexpr float kChartHeight = 74.0F;   // of the field
constexpr float kChartNumbers = 40.0F;  // at its left
constexpr float kBelowChart = 20.0F;    // for the places

// The field of a chart, with 0 at its bottom and `most` at its top.
Rect DrawChartField(const Ui& ui, float x, float y, float width, double most) {
  const ThemeColors& colors = ui.colors();
  const float numbers = ui.Px(kChartNumbers);
  const Rect field{x + numbers, y, width - numbers, ui.Px(kChartHeight)};
  const float line = LineHeight(ui, Type::kMonoSmall);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  for (const auto& [words, at] : {std::pair(fmt::format("{:.2f}", most), field.y),
                                  std::pair(std::string("0"), field.y + field.height)}) {
    list->AddLine({field.x, at}, {field.x + field.width, at}, ToImGui(colors.line), 1.0F);
    DrawText(ui,
             field.x - TextWidth(ui, words, Type::kMonoSmall) - ui.Px(6.0F),
             at - line / 2.0F,
             words,
             Type::kMonoSmall,
             colors.dim);
  }
  return field;
}

// In the middle of its place below the field.
void DrawChartPlace(
    const Ui& ui, const Rect& field, float left, float step, std::string_view name) {
  DrawText(ui,
           left + (step - TextWidth(ui, name, Type::kMonoSmall)) / 2.0F,
           field.y + field.height + ui.Px(3.0F),
           name,
           Type::kMonoSmall,
           ui.colors().dim);
}

void DrawChartBar(const Ui& ui, const Rect& place, double part) {
  const float tall = std::max(1.0F, place.height * static_cast<float>(part));
  FillRect(ui,
           {place.x + place.width * 0.12F,
            place.y + place.height - tall,
            std::max(1.0F, place.width * 0.76F),
            tall},
           ui.colors().accent,
           1.0F);
}

float DrawChartHeading(Ui* ui, float x, float y, float width, const char* name, const char* about) {
  const float line = ui->Px(kChartLine);
  const float title = DrawTextIn(*ui, {x, y, width, line}, name, Type::kBold, ui->colors().text);
  const float left = title + ui->Px(10.0F);
  DrawBeginning(*ui,
                {x + left, y, 0.0F, line},
                about,
                Type::kSmall,
                ui->colors().dim,
                std::max(ui->Px(20.0F), width - left));
  return line + ui->Px(12.0F);
}

// Keys after the row have no place where no row sees one.
float DrawDistances(Ui* ui, float x, float y, float width, const RelativeAttention& shares) {
  const std::size_t count =
      shares.sees_ahead() ? RelativeAttention::kCount : RelativeAttention::kFurthest + 1;
  const double most = std::max(*std::max_element(shares.mean.begin(), shares.mean.end()), 0.01);
  const Rect field = DrawChartField(*ui, x, y, width, most);
  const float step = field.width / static_cast<float>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t distance = static_cast<std::int64_t>(i) - RelativeAttention::kFurthest;
    const Rect place{field.x + step * static_cast<float>(i), field.y, step, field.height};
    if (shares.rows[i] > 0) {
      DrawChartBar(*ui, place, shares.mean[i] / most);
    }
    ImGui::PushID(static_cast<int>(i));
    Area(ui,
         "distance",
         place,
         shares.rows[i] > 0 ? fmt::format("{:+} tokens: {:.3f} over {}",
                                          distance,
                                          shares.mean[i],
                                          Counted(shares.rows[i], "row"))
                            : fmt::format("{:+} tokens: no row sees it", distance));
    ImGui::PopID();
    if (distance % 5 == 0 || distance == -1) {
      const std::string name = distance == 0 ? "0" : fmt::format("{:+}", distance);
      DrawChartPlace(*ui, field, place.x, step, name);
    }
  }
  return field.height + ui->Px(kBelowChart);
}

// Bar: the row; tick above: the most that its keys allow.
float DrawEntropies(
    Ui* ui, float x, float y, float width, const RowEntropies& rows, const LayerView& view) {
  const double most = std::max(*std::max_element(rows.most.begin(), rows.most.end()), 0.01);
  const Rect field = DrawChartField(*ui, x, y, width, most);
  const std::size_t count = rows.nats.size();
  const float step = field.width / static_cast<float>(count);
  const std::shared_ptr<const Encoding> tokens = QueryTokens(view);
  const auto every = static_cast<std::size_t>(count <= 12 ? 1 : count <= 60 ? 5 : 20);
  for (std::size_t row = 0; row < count; ++row) {
    const Rect place{field.x + step * static_cast<float>(row), field.y, step, field.height};
    DrawChartBar(*ui, place, rows.nats[row] / most);
    const float even = field.y + field.height * static_cast<float>(1.0 - rows.most[row] / most);
    ImGui::GetWindowDrawList()->AddLine({place.x, even},
                                        {place.x + std::max(1.0F, step - 1.0F), even},
                                        ToImGui(ui->colors().muted),
                                        1.0F);
    ImGui::PushID(static_cast<int>(row));
    Area(ui,
         "entropy of row",
         place,
         fmt::format("row {}{}: {:.2f} nats; even attention {:.2f}",
                     row,
                     tokens != nullptr && row < tokens->tokens.size()
                         ? ", " + TokenWord(*tokens, static_cast<std::int64_t>(row))
                         : "",
                     rows.nats[row],
                     rows.most[row]));
    ImGui::PopID();
    if (row % every == 0) {
      DrawChartPlace(*ui, field, place.x, step, fmt::format("{}", row));
    }
  }
  return field.height + ui->Px(kBelowChart);
}

}  // namespace

float DrawRelative(Ui* ui, float x, float y, float width, HeadIndex head) {
  const LayerView view = LayerAt(ui->state, head.layer);
  const bool is_cross = head.part == ModelPart::kCross;
  float top = y;
  if (view.layer == nullptr || view.layer->thumbnail(head.head).pooled) {
    DrawChartHeading(
        ui, x, top, width, "Attention by relative position", "for texts of up to 128 tokens");
    return ui->Px(kChartLine);
  }
  const Thumbnail& map = view.layer->thumbnail(head.head);
  top += DrawChartHeading(ui,
                          x,
                          top,
                          width,
                          "Attention by relative position",
                          is_cross ? "this text; 0: the same place in the source"
                                   : "this text; mean over rows that see it");
  top += DrawDistances(ui, x, top, width, AttentionByDistance(map, is_cross ? 1 : 0));
  const RowEntropies rows = EntropyByRow(map);
  if (rows.nats.empty()) {
    return top - y;
  }
  top += ui->Px(8.0F);
  top += DrawChartHeading(ui,
                          x,
                          top,
                          width,
                          "Entropy by position",
                          "this text, in nats; line: even attention, the most there can be");
  top += DrawEntropies(ui, x, top, width, rows, view);
  return top - y;
}

}  // namespace headscope

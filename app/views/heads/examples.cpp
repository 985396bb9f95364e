// Three texts in the panel of a head: where it does most, as much as usual, and least of the chosen
// metric.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_geometry.h"
#include "app/views/maps/map_textures.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

constexpr std::size_t kExamples = 3;
constexpr float kLeastExampleSide = 12.0F;  // unscaled

void DrawExample(Ui* ui,
                 const Rect& place,
                 const ScoredMetric& metric,
                 const HeadExample& example,
                 std::int64_t head) {
  const ThemeColors& colors = ui->colors();
  const AttentionShape& shape = example.layer->shape();
  const MapView map{.layer = example.layer, .head = head};
  const MapHandle handle = ui->maps->Thumbnail(map, Pooling::kMax);
  const Rect square{place.x, place.y, place.width, place.width};
  SceneRegion& region = ui->region(Panel::kDetail);
  if (handle == 0) {
    region.fills.push_back({square, colors.raised});
  } else {
    ColorScale scale;
    scale.curve = ui->state.settings.curve;
    scale.colormap = ui->state.settings.colormap;
    region.maps.push_back({.map = handle,
                           .target = ShapeOfMap(square, shape.queries, shape.keys),
                           .source = {},
                           .scale = scale,
                           .dimmed = false});
  }
  const float line = ui->Px(18.0F);
  const float below = place.y + place.width + ui->Px(4.0F);
  DrawTextIn(*ui,
             {place.x, below, place.width, line},
             fmt::format("{} n {}", ScoreText(metric, example.score), example.rows),
             Type::kMonoSmall,
             colors.muted,
             place.width);
  const bool has_text = !example.text.empty();
  DrawTextIn(*ui,
             {place.x, below + line, place.width, line},
             has_text ? example.text : Counted(shape.queries, "token"),
             Type::kSmall,
             colors.dim,
             place.width);
  const std::string told =
      has_text ? example.text + "\nclick puts it into the sentence box" : "a sequence of repeats";
  const Rect all{place.x, place.y, place.width, below + 2.0F * line - place.y};
  if (Area(ui, "example", all, told).clicked && has_text) {
    ui->Do(EditText{example.text});
  }
}

// "the → girl 0.42 ×12": where most of the head's attention goes, over the same texts.
float DrawPairs(Ui* ui, float x, float y, float width, const std::vector<TokenPair>& pairs) {
  if (pairs.empty()) {
    return 0.0F;
  }
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(18.0F);
  const float title = DrawTextIn(*ui, {x, y, width, line}, "Token pairs", Type::kBold, colors.text);
  DrawTextIn(*ui,
             {x + title + ui->Px(10.0F), y, 0.0F, line},
             "query → key with most weight in all, mean × times",
             Type::kSmall,
             colors.dim,
             std::max(ui->Px(20.0F), width - title - ui->Px(10.0F)));
  const float column = width / 2.0F;
  float top = y + line + ui->Px(4.0F);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const TokenPair& pair = pairs[i];
    const float left = x + (i % 2 == 0 ? 0.0F : column);
    const std::string number = fmt::format("{:.2f} × {}", pair.weight, pair.count);
    const float numbers = TextWidth(*ui, number, Type::kMonoSmall);
    const float room = column - ui->Px(14.0F);
    DrawTextIn(*ui,
               {left, top, room, line},
               fmt::format("{} → {}", pair.query, pair.key),
               Type::kMonoSmall,
               colors.text,
               std::max(ui->Px(20.0F), room - numbers - ui->Px(8.0F)));
    DrawTextIn(
        *ui, {left + room - numbers, top, numbers, line}, number, Type::kMonoSmall, colors.muted);
    top += i % 2 == 1 || i + 1 == pairs.size() ? line : 0.0F;
  }
  return top + ui->Px(10.0F) - y;
}

// Cases that the head gets wrong, over the texts that were looked at.
float DrawFailing(Ui* ui, float x, float y, float width, const FailingCases& failing) {
  if (failing.cases() == 0) {
    return 0.0F;
  }
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(18.0F);
  const float title =
      DrawTextIn(*ui, {x, y, width, line}, "Failing cases", Type::kBold, colors.text);
  DrawTextIn(*ui,
             {x + title + ui->Px(10.0F), y, 0.0F, line},
             fmt::format("{} of {} in the texts looked at; word → looks at, not",
                         failing.wrong(),
                         failing.cases()),
             Type::kSmall,
             colors.dim,
             std::max(ui->Px(20.0F), width - title - ui->Px(10.0F)));
  float top = y + line + ui->Px(4.0F);
  for (const FailingCase& one : failing.shown()) {
    const Rect row{x, top, width, line};
    ImGui::PushID(static_cast<int>(top));
    const std::string told = one.text + "\nclick puts it into the sentence box";
    if (Area(ui, "failing", row, told).clicked && !one.text.empty()) {
      ui->Do(EditText{one.text});
    }
    ImGui::PopID();
    const float words =
        DrawTextIn(*ui,
                   row,
                   fmt::format("{} → {}, not {}", one.query, one.looked_at, one.expected),
                   Type::kMonoSmall,
                   colors.text,
                   width * 0.55F);
    const float left = x + words + ui->Px(12.0F);
    DrawTextIn(*ui,
               {left, top, 0.0F, line},
               one.text,
               Type::kSmall,
               colors.dim,
               std::max(ui->Px(20.0F), x + width - left));
    top += line;
  }
  return top + ui->Px(10.0F) - y;
}

}  // namespace

float DrawExamples(Ui* ui, float x, float y, float width, const ScoredMetric& metric) {
  const ThemeColors& colors = ui->colors();
  const float line = ui->Px(20.0F);
  const float title = DrawTextIn(*ui, {x, y, width, line}, "Examples", Type::kBold, colors.text);
  const ExamplesState* const found = ExamplesInView(ui->state);
  const float room = width - title - ui->Px(10.0F);
  const auto say = [&](const std::string& words) {
    const Rect beside{x + title + ui->Px(10.0F), y, room, line};
    DrawTextIn(*ui, beside, words, Type::kSmall, colors.dim, room);
  };
  const float gap = ui->Px(10.0F);
  const auto gaps = static_cast<float>(kExamples - 1);
  const float side = (width - gap * gaps) / static_cast<float>(kExamples);
  if (side < ui->Px(kLeastExampleSide)) {
    return 0.0F;
  }
  const float height = line + ui->Px(6.0F) + side + ui->Px(42.0F);
  if (found == nullptr) {
    say(ui->state.examples.request != 0 ? "looking for them…" : "once the scan is done");
    return height;
  }
  if (found->examples.texts.empty()) {
    say(found->fault);
    return line;
  }
  say(fmt::format("of {}: strongest, typical, weakest", metric.name));
  for (std::size_t i = 0; i < std::min(kExamples, found->examples.texts.size()); ++i) {
    ImGui::PushID(static_cast<int>(i));
    const float left = x + (side + gap) * static_cast<float>(i);
    const Rect place{left, y + line + ui->Px(6.0F), side, side};
    DrawExample(ui, place, metric, found->examples.texts[i], ui->state.selection.head.head);
    ImGui::PopID();
  }
  const float failing = y + height + ui->Px(8.0F);
  const float pairs = failing + DrawFailing(ui, x, failing, width, found->examples.failing);
  return pairs + DrawPairs(ui, x, pairs, width, found->examples.pairs) - y;
}

}  // namespace headscope

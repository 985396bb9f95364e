// Three texts in the panel of a head: where it does most, as much as usual, and least of the chosen
// metric.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_geometry.h"
#include "app/views/maps/map_textures.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

constexpr std::size_t kExamples = 3;
constexpr float kLeastExampleSide = 12.0F;  // unscaled
constexpr float kSmallLine = 18.0F;

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
  Pen below{ui, place.x, place.y + place.width + ui->Px(4.0F), place.width};
  below.Line(kSmallLine)
      .Text(fmt::format("{} n {}", ScoreText(metric, example.score), example.rows),
            Type::kMonoSmall,
            colors.muted);
  const bool has_text = !example.text.empty();
  below.Line(kSmallLine)
      .Text(has_text ? example.text : Counted(shape.queries, "token"), Type::kSmall, colors.dim);
  const std::string told =
      has_text ? example.text + "\nclick puts it into the sentence box" : "a sequence of repeats";
  const Rect all{place.x, place.y, place.width, below.y - place.y};
  if (Area(ui, "example", static_cast<int>(all.x), all, told).clicked && has_text) {
    ui->Do(EditText{example.text});
  }
}

// "the → girl 0.42 ×12": where most of the head's attention goes, over the same texts.
void DrawPairs(Pen* pen, const std::vector<TokenPair>& pairs) {
  if (pairs.empty()) {
    return;
  }
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  pen->Heading("Token pairs", "query → key with most weight in all, mean × times", kSmallLine);
  pen->Skip(4.0F);
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    Row row = pen->Line(kSmallLine);
    for (std::size_t k = i; k < std::min(i + 2, pairs.size()); ++k) {
      Row half(ui, row.Left(pen->width / 2.0F));
      half.SkipRight(14.0F);
      half.TextRight(fmt::format("{:.2f} × {}", pairs[k].weight, pairs[k].count),
                     Type::kMonoSmall,
                     colors.muted);
      half.SkipRight(8.0F);
      half.Text(
          fmt::format("{} → {}", pairs[k].query, pairs[k].key), Type::kMonoSmall, colors.text);
    }
  }
  pen->Skip(10.0F);
}

// Cases that the head gets wrong, over the texts that were looked at.
void DrawFailing(Pen* pen, const FailingCases& failing) {
  if (failing.cases() == 0) {
    return;
  }
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  pen->Heading("Failing cases",
               fmt::format("{} of {} in the texts looked at; word → looks at, not",
                           failing.wrong(),
                           failing.cases()),
               kSmallLine);
  pen->Skip(4.0F);
  for (const FailingCase& one : failing.shown()) {
    Row row = pen->Line(kSmallLine);
    const std::string told = one.text + "\nclick puts it into the sentence box";
    const auto line = static_cast<int>(row.whole().y);
    if (Area(ui, "failing", line, row.whole(), told).clicked && !one.text.empty()) {
      ui->Do(EditText{one.text});
    }
    row.Left(DrawTextIn(*ui,
                        row.whole(),
                        fmt::format("{} → {}, not {}", one.query, one.looked_at, one.expected),
                        Type::kMonoSmall,
                        colors.text,
                        pen->width * 0.55F));
    row.Skip(12.0F);
    row.Text(one.text, Type::kSmall, colors.dim);
  }
  pen->Skip(10.0F);
}

}  // namespace

void DrawExamples(Pen* pen, const ScoredMetric& metric) {
  Ui* const ui = pen->ui;
  const float gap = ui->Px(10.0F);
  const auto gaps = static_cast<float>(kExamples - 1);
  const float side = (pen->width - gap * gaps) / static_cast<float>(kExamples);
  const ExamplesState* const found = ExamplesInView(ui->state);
  const bool is_known = found != nullptr;
  const bool has_texts = is_known && !found->answer.texts.empty();
  pen->Heading("Examples",
               side < ui->Px(kLeastExampleSide) ? ""
               : has_texts ? fmt::format("of {}: strongest, typical, weakest", metric.name)
               : is_known  ? found->fault
               : ui->state.examples.request != 0 ? "looking for them…"
                                                 : "once the scan is done");
  if (side < ui->Px(kLeastExampleSide) || (is_known && !has_texts)) {
    return;
  }
  pen->Skip(6.0F);
  const Rect places = pen->Take(side + ui->Px(42.0F));
  if (!is_known) {
    return;
  }
  for (std::size_t i = 0; i < std::min(kExamples, found->answer.texts.size()); ++i) {
    const Rect place{places.x + (side + gap) * static_cast<float>(i), places.y, side, side};
    DrawExample(ui, place, metric, found->answer.texts[i], ui->state.selection.head.head);
  }
  pen->Skip(8.0F);
  DrawFailing(pen, found->answer.failing);
  DrawPairs(pen, found->answer.pairs);
}

}  // namespace headscope

// The thumbnails of all heads: one row per layer.
#include <array>

#include <fmt/format.h>

#include "core/figure/figure_kind.h"
#include "core/figure/map_rows.h"
#include "core/figure/web_page.h"

namespace headscope {
namespace {

std::string TitleOf(ModelPart part) {
  return part == ModelPart::kWhole   ? "Every head"
         : part == ModelPart::kCross ? "Every head of the cross-attention"
                                     : fmt::format("Every head of the {}", PartName(part));
}

Result<std::unique_ptr<Figure>> MakeAllHeads(const FigureSubject& subject) {
  if (subject.layers.empty()) {
    return Fail(ErrorCode::kInput, "there is no layer to draw");
  }
  const LayerAttention& first = *subject.layers.front();
  MapRowsContent content;
  content.pool = subject.context.pool;
  for (const auto& layer : subject.layers) {
    FigureRow row;
    row.label = LayerName({layer->part(), layer->layer()});
    for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
      row.maps.push_back(
          ThumbnailOf({.layer = layer, .head = head}, subject.layers, subject.context));
    }
    content.rows.push_back(std::move(row));
  }
  for (std::int64_t head = 0; head < first.shape().heads; ++head) {
    content.column_labels.push_back(fmt::format("H{}", head));
  }
  FigurePage page = PageOf(subject.context, first.part(), TitleOf(first.part()));
  return std::make_unique<MapRows>(std::move(page), std::move(content));
}

constexpr std::array<NumbersFormat, 1> kAllHeadsPage = {PageFormat<WriteAllHeadsPage>()};

}  // namespace

extern const FigureKind kAllHeadsFigure;
const FigureKind kAllHeadsFigure{
    .of = FigureOf::kAll, .view = kPlainView, .make = MakeAllHeads, .numbers = kAllHeadsPage};

}  // namespace headscope

// All heads of one layer, large.
#include <array>
#include <cmath>
#include <limits>

#include "core/figure/figure_kind.h"
#include "core/figure/map_rows.h"
#include "core/figure/web_page.h"

namespace headscope {
namespace {

// Prefers one and a half times as many columns as rows, and few empty places.
std::int64_t ColumnsFor(std::int64_t heads) {
  std::int64_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::int64_t columns = 1; columns <= heads; ++columns) {
    const std::int64_t rows = (heads + columns - 1) / columns;
    const double shape =
        std::fabs(std::log(static_cast<double>(columns) / (1.5 * static_cast<double>(rows))));
    const double empty = static_cast<double>(rows * columns - heads) / static_cast<double>(heads);
    if (shape + empty < least) {
      least = shape + empty;
      best = columns;
    }
  }
  return best;
}

Result<std::unique_ptr<Figure>> MakeLayer(const FigureSubject& subject) {
  HEADSCOPE_TRY(const auto layer, LayerOf(subject));
  const std::int64_t heads = layer->shape().heads;
  const std::int64_t columns = ColumnsFor(heads);
  MapRowsContent content;
  for (std::int64_t head = 0; head < heads; ++head) {
    if (head % columns == 0) {
      content.rows.emplace_back();
      content.rows.back().slots = columns;
    }
    content.rows.back().maps.push_back(
        NamedMapOf({.layer = layer, .head = head}, subject.layers, subject.context));
  }
  const LayerId id{layer->part(), layer->layer()};
  FigurePage page = PageOf(subject.context, id.part, LayerWords(id));
  return std::make_unique<MapRows>(std::move(page), std::move(content));
}

constexpr std::array<NumbersFormat, 1> kLayerPage = {PageFormat<WriteLayerPage>()};

}  // namespace

extern const FigureKind kLayerFigure;
const FigureKind kLayerFigure{
    .of = FigureOf::kLayer, .view = kPlainView, .make = MakeLayer, .numbers = kLayerPage};

}  // namespace headscope

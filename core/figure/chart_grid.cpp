#include "core/figure/chart_grid.h"

#include <algorithm>
#include <cmath>

#include "core/figure/chart_figure.h"
#include "core/figure/page_layout.h"

namespace headscope {
namespace {

constexpr double kGridGap = 24.0;       // unscaled
constexpr double kLeastColumn = 300.0;  // of a chart
constexpr double kChartTall = 0.66;     // of its width

class ChartGridLayout final : public PageLayout {
 public:
  ChartGridLayout(const FigurePage& page, const ChartGrid& grid, TextSetter* setter)
      : PageLayout(page, {.maps = {}, .inks = grid.legend}, setter), grid_(grid) {}

  Status Place() override {
    const double size = page_.size_px;
    wide_ = size - 2.0 * style_.margin;
    const double around = HeadingHeight(wide_) + Gap() + footer_.Layout(wide_, "");
    const std::size_t rows = RowsIn(static_cast<float>(wide_));
    const auto columns =
        static_cast<double>((grid_.charts.size() + rows - 1) / std::max<std::size_t>(rows, 1));
    const double all = kChartTall * wide_ / columns * static_cast<double>(rows);
    tall_ = std::floor(std::min(all, wide_ - around));
    return SetSize(wide_, size, std::ceil(tall_ + around + 2.0 * style_.margin));
  }

 private:
  [[nodiscard]] double Gap() const { return kGridGap * style_.unit; }
  [[nodiscard]] std::vector<Rect> PlacesIn(const Rect& area) const {
    return GridPlaces(area,
                      grid_.charts.size(),
                      static_cast<float>(kLeastColumn * style_.unit),
                      static_cast<float>(Gap()));
  }
  [[nodiscard]] std::size_t RowsIn(float wide) const {
    const auto places = PlacesIn({0.0F, 0.0F, wide, wide});
    return static_cast<std::size_t>(
        std::ranges::count_if(places, [](const Rect& one) { return one.x == 0.0F; }));
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    const auto painter = PainterOn(canvas, page_);
    const auto places = PlacesIn({static_cast<float>(std::round(x)),
                                  static_cast<float>(std::round(y)),
                                  static_cast<float>(wide_),
                                  static_cast<float>(tall_)});
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto place = PlaceChart(*painter, places[i], grid_.charts[i]);
      if (!place) {
        return TooSmall(page_);
      }
      PaintChart(painter.get(), *place);
    }
    return y + tall_ + Gap();
  }

  const ChartGrid& grid_;
  double wide_ = 0.0;
  double tall_ = 0.0;
};

}  // namespace

std::vector<Rect> GridPlaces(const Rect& area, std::size_t charts, float least_width, float gap) {
  std::vector<Rect> places;
  if (charts == 0) {
    return places;
  }
  const auto fits = static_cast<std::size_t>(
      std::max(1.0F, std::floor((area.width + gap) / (least_width + gap))));
  // As few rows as that makes, filled as evenly as they can be.
  const std::size_t rows = (charts + fits - 1) / fits;
  const std::size_t columns = (charts + rows - 1) / rows;
  const float wide =
      (area.width - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const float tall = (area.height - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
  for (std::size_t i = 0; i < charts; ++i) {
    places.push_back({area.x + static_cast<float>(i % columns) * (wide + gap),
                      area.y + static_cast<float>(i / columns) * (tall + gap),
                      wide,
                      tall});
  }
  return places;
}

template <>
std::unique_ptr<PageLayout> ChartGridFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<ChartGridLayout>(page(), content(), setter);
}
template class PageFigure<ChartGrid>;

}  // namespace headscope

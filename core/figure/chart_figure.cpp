#include "core/figure/chart_figure.h"

#include <algorithm>
#include <cmath>

#include "core/figure/page_layout.h"

namespace headscope {
namespace {

double Wide(float value) {
  return static_cast<double>(value);
}

class CanvasChartPainter final : public ChartPainter {
 public:
  CanvasChartPainter(Canvas* canvas, const FigureStyle& style, Theme theme)
      : ChartPainter(static_cast<float>(style.unit), ColorsOf(theme)),
        canvas_(*canvas),
        style_(style) {}

  [[nodiscard]] float LineHeight(ChartType type) const override {
    return static_cast<float>(std::ceil(1.45 * StyleOf(type).size_px));
  }
  [[nodiscard]] float TextWidth(std::string_view text, ChartType type) const override {
    return static_cast<float>(canvas_.setter()->Measure(text, StyleOf(type)).width);
  }
  void Text(float x, float y, std::string_view text, ChartType type, Rgb color, float most_width)
      override {
    canvas_.Text(Wide(x), Wide(y), text, StyleOf(type, most_width), color);
  }
  void Beginning(const Rect& rect, std::string_view words, Rgb color) override {
    const double height = canvas_.setter()->Measure(words, style_.caption).height;
    const double y = Wide(rect.y) + (Wide(rect.height) - height) / 2.0;
    Text(rect.x, static_cast<float>(y), words, ChartType::kWords, color, std::ceil(rect.width));
  }
  [[nodiscard]] float ParagraphHeight(float width, std::string_view words) const override {
    const auto lines = canvas_.setter()->Wrap(words, style_.caption, Wide(width));
    return LineHeight(ChartType::kWords) * static_cast<float>(lines.size());
  }
  void Paragraph(float x, float y, float width, std::string_view words, Rgb color) override {
    for (const std::string& line : canvas_.setter()->Wrap(words, style_.caption, Wide(width))) {
      Text(x, y, line, ChartType::kWords, color, 0.0F);
      y += LineHeight(ChartType::kWords);
    }
  }

  void Line(float x0, float y0, float x1, float y1, ChartInk ink, float thickness) override {
    canvas_.Line(
        Wide(x0), Wide(y0), Wide(x1), Wide(y1), Wide(thickness), ink.color, Wide(ink.alpha));
  }
  void Dot(float x, float y, float radius, float ring, ChartInk ink) override {
    canvas_.Circle(Wide(x), Wide(y), Wide(radius), Wide(ring), ink.color, Wide(ink.alpha));
  }
  void Box(const Rect& rect, Rgb color, float radius) override {
    canvas_.FillRounded(Wide(rect.x),
                        Wide(rect.y),
                        Wide(rect.width),
                        Wide(rect.height),
                        Wide(radius) * style_.unit,
                        color);
  }

 private:
  [[nodiscard]] TextStyle StyleOf(ChartType type, float most_width = 0.0F) const {
    TextStyle style = type == ChartType::kWords ? style_.caption : style_.small;
    style.max_width_px = Wide(most_width);
    return style;
  }

  Canvas& canvas_;
  FigureStyle style_;
};

class ChartLayout final : public PageLayout {
 public:
  ChartLayout(const FigurePage& page, const Chart& chart, TextSetter* setter)
      : PageLayout(page, {.maps = {}}, setter), chart_(chart) {}

  Status Place() override {
    constexpr double kTallest = 0.6;  // of the width
    const double size = page_.size_px;
    wide_ = size - 2.0 * style_.margin;
    const double around = HeadingHeight(wide_) + Gap() + footer_.Layout(wide_, "");
    tall_ = std::floor(std::min(kTallest * wide_, wide_ - around));
    return SetSize(wide_, size, std::ceil(tall_ + around + 2.0 * style_.margin));
  }

 private:
  [[nodiscard]] double Gap() const { return 20.0 * style_.unit; }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    const auto painter = PainterOn(canvas, page_);
    const Rect area{static_cast<float>(std::round(x)),
                    static_cast<float>(std::round(y)),
                    static_cast<float>(wide_),
                    static_cast<float>(tall_)};
    const auto place = PlaceChart(*painter, area, chart_);
    if (!place) {
      return TooSmall(page_);
    }
    PaintChart(painter.get(), *place);
    return y + tall_ + Gap();
  }

  const Chart& chart_;
  double wide_ = 0.0;
  double tall_ = 0.0;
};

}  // namespace

std::unique_ptr<ChartPainter> PainterOn(Canvas* canvas, const FigurePage& page) {
  return std::make_unique<CanvasChartPainter>(canvas, StyleFor(page), page.theme);
}

template <>
std::unique_ptr<PageLayout> ChartFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<ChartLayout>(page(), content(), setter);
}
template class PageFigure<Chart>;

}  // namespace headscope

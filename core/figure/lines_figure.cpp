#include "core/figure/lines_figure.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/figure/page_layout.h"
#include "core/figure/token_axes.h"
#include "core/figure/token_lines.h"

namespace headscope {
namespace {

constexpr double kLine = 1.6;        // from token to token, of the letters' size
constexpr double kLeastTall = 40.0;  // pixels
constexpr double kTallPage = 0.62;   // of its height

class LinesLayout final : public PageLayout {
 public:
  LinesLayout(const FigurePage& page, const LinesContent& content, TextSetter* setter)
      : PageLayout(page,
                   {.maps = {&content.map},
                    .flags_in_heading = true,
                    .ink = content.legend.empty() ? ColorsOf(page.theme).accent
                                                  : ColorsOf(page.theme).text,
                    .inks = content.legend},
                   setter),
        content_(content) {}

  Status Place() override {
    const double size = page_.size_px;
    const double longest = 0.2 * size;
    const double gap = Gap();
    const auto tokens = static_cast<double>(std::max(content_.map.queries, content_.map.keys));
    const double wanted = std::max(kLeastTall, kLine * style_.largest_token * tokens);
    double around = 0.0;
    const auto room_in = [&](double wide) {
      wide_ = wide;
      around =
          HeadingHeight(wide) + 20.0 * style_.unit + footer_.Layout(wide, "") + 2.0 * style_.margin;
      return std::floor(size - std::ceil(around));
    };
    // A page as wide as may be; of a long text a tall one.
    double room = room_in(size - 2.0 * style_.margin);
    if (room < wanted && !page_.look.is_width) {
      room = room_in(kTallPage * size);
    }
    if (room < kLeastTall) {
      return TooSmall(page_);
    }
    tall_ = std::floor(std::min(room, wanted));
    const auto axis = [&](std::span<const std::string> names, std::int64_t count) {
      return MakeAxis(names, tall_ / static_cast<double>(count), longest, 1.15, style_, &setter_);
    };
    queries_ = axis(content_.query_tokens, content_.map.queries);
    keys_ = axis(content_.key_tokens, content_.map.keys);
    // Not wider than a person follows a line with the eye.
    const double most = wide_ - queries_.longest - keys_.longest - 2.0 * gap;
    field_ = std::floor(std::min(most, std::max(0.3 * size, 0.8 * tall_)));
    return SetSize(
        wide_, std::min(size, std::ceil(wide_ + 2.0 * style_.margin)), std::ceil(tall_ + around));
  }

 private:
  [[nodiscard]] double Gap() const { return std::round(8.0 * style_.unit); }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    const double block = queries_.longest + keys_.longest + 2.0 * Gap() + field_;
    const double left = std::round(x + (wide_ - block) / 2.0 + queries_.longest + Gap());
    const LinesPlace place{.field = {static_cast<float>(left),
                                     static_cast<float>(std::round(y)),
                                     static_cast<float>(field_),
                                     static_cast<float>(tall_)},
                           .shown_queries = static_cast<double>(content_.map.queries),
                           .shown_keys = static_cast<double>(content_.map.keys),
                           .unit = static_cast<float>(style_.unit)};
    canvas->Strokes(LinesBetween(content_.kept.weights, content_.inks, place), place.field);
    DrawNames(canvas, queries_, place, true);
    DrawNames(canvas, keys_, place, false);
    return std::round(y) + tall_ + 20.0 * style_.unit;
  }

  void DrawNames(Canvas* canvas, const Axis& axis, const LinesPlace& place, bool are_queries) {
    const Rgb color = ColorsOf(page_.theme).text;
    for (const AxisLabel& label : axis.labels) {
      const auto middle =
          static_cast<double>(are_queries ? place.QueryY(label.token) : place.KeyY(label.token));
      const double top = middle - setter_.Measure(label.text, axis.style).height / 2.0;
      const auto left = static_cast<double>(place.field.x);
      if (are_queries) {
        canvas->TextRight(left - Gap(), top, label.text, axis.style, color);
      } else {
        canvas->Text(left + field_ + Gap(), top, label.text, axis.style, color);
      }
    }
  }

  const LinesContent& content_;
  Axis queries_;
  Axis keys_;
  double wide_ = 0.0;
  double tall_ = 0.0;
  double field_ = 0.0;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> LinesFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<LinesLayout>(page(), content(), setter);
}
template class PageFigure<LinesContent>;

}  // namespace headscope

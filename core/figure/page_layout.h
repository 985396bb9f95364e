// The places of everything on a page: the heading, the content, which a derived class places and
// draws, and the footer. For core/figure only.
//
// Units    pixels.
// Threads  one thread at a time (TextSetter).
#pragma once

#include <algorithm>
#include <memory>
#include <stop_token>
#include <utility>

#include "core/figure/canvas.h"
#include "core/figure/figure_style.h"
#include "core/figure/footer.h"
#include "core/figure/page_figure.h"

namespace headscope {

class PageLayout {
 public:
  // Everything given must outlive this. Flags that are not in the footer are drawn in the heading.
  PageLayout(const FigurePage& page, const FooterContent& footer, TextSetter* setter);
  virtual ~PageLayout() = default;
  PageLayout(const PageLayout&) = delete;
  PageLayout& operator=(const PageLayout&) = delete;

  // Places everything and sets the size. kInput: there is not enough room.
  [[nodiscard]] virtual Status Place() = 0;
  [[nodiscard]] FigureSize size() const { return size_; }
  [[nodiscard]] Status Draw(Canvas* canvas, const std::stop_token& stop);

 protected:
  // Draws the content with its top left at (x, y); returns where the footer begins.
  [[nodiscard]] virtual Result<double> DrawContent(Canvas* canvas,
                                                   double x,
                                                   double y,
                                                   const std::stop_token& stop) = 0;

  // Returns the height of the title, which is shortened if it is wider than `width`.
  [[nodiscard]] double HeadingHeight(double width);
  // `content`: the width of heading and footer. The longer side becomes page().size_px, or the width if
  // the page says so; the rest of the room goes to both sides.
  [[nodiscard]] Status SetSize(double content, double width, double height);
  // What surrounds maps depends on their size, and the room for them on what surrounds them: a few
  // rounds settle it. `place` places a page for maps of at most a width and a height, `across` of
  // them side by side.
  template <typename Place>
  [[nodiscard]] auto FitMaps(double room_x, double room_y, double across, const Place& place)
      -> Result<decltype(place(room_x, room_y))> {
    constexpr int kRounds = 12;
    constexpr double kSmallestMap = 8.0;
    const double size = page_.size_px;
    for (int round = 0; round < kRounds && room_x >= kSmallestMap && room_y >= kSmallestMap;
         ++round) {
      auto places = place(room_x, room_y);
      if (places.width <= size && places.height <= size) {
        return places;
      }
      const double beyond_x = std::max(0.0, places.width - size) / across;
      const double beyond_y = std::max(0.0, places.height - size);
      room_x = std::min(room_x, places.picture.width() - beyond_x);
      room_y = std::min(room_y, places.picture.height() - beyond_y);
    }
    return TooSmall(page_);
  }

  const FigurePage& page_;
  const FigureStyle style_;
  TextSetter& setter_;
  Footer footer_;

 private:
  [[nodiscard]] TextStyle TitleStyle(double width) const;
  void DrawHeading(Canvas* canvas, double x, double y) const;

  const FigureMap* flagged_;
  double content_ = 0.0;
  double width_ = 0.0;
  double height_ = 0.0;
  FigureSize size_;
};

template <typename Content>
PageFigure<Content>::PageFigure(FigurePage page, Content content)
    : Figure(std::move(page)), content_(std::move(content)) {}

template <typename Content>
PageFigure<Content>::~PageFigure() = default;

template <typename Content>
Result<FigureSize> PageFigure<Content>::Measure(TextSetter* setter) {
  layout_ = LayOut(setter);
  HEADSCOPE_TRY(layout_->Place());
  return layout_->size();
}

template <typename Content>
Status PageFigure<Content>::Draw(Canvas* canvas, const std::stop_token& stop) {
  return layout_->Draw(canvas, stop);
}

}  // namespace headscope

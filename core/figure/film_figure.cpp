#include "core/figure/film_figure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include <fmt/format.h>

#include "core/figure/map_picture.h"
#include "core/figure/page_layout.h"

namespace headscope {
namespace {

std::vector<const FigureMap*> MapsOf(const FilmContent& content) {
  std::vector<const FigureMap*> maps;
  for (const FilmContent::Frame& frame : content.frames) {
    maps.push_back(&frame.map);
  }
  return maps;
}

class FilmLayout final : public PageLayout {
 public:
  FilmLayout(const FigurePage& page, const FilmContent& content, TextSetter* setter)
      : PageLayout(page, {.maps = MapsOf(content)}, setter), content_(content) {
    std::ranges::for_each(MapsOf(content), [](const FigureMap* map) { CheckMap(*map); });
    line_ = std::ceil(1.45 * style_.small.size_px);
    gap_ = std::max(4.0, std::round(10.0 * style_.unit));
  }

  // The columns with which frames are largest.
  Status Place() override {
    const double size = page_.size_px;
    const double wide = size - 2.0 * style_.margin;
    const auto count = static_cast<double>(content_.frames.size());
    const double around = HeadingHeight(wide) + 20.0 * style_.unit + 2.0 * style_.margin;
    std::int64_t pooled_by = 1;
    for (int round = 0; round < 3; ++round) {
      const double tall =
          size - around - footer_.Layout(wide, PoolingNote(pooled_by, content_.pool));
      const FilmFit fit = FitFilm(content_.frames.size(), {wide, tall}, gap_, 3.0 * line_);
      if (fit.side < 12.0) {
        return TooSmall(page_);
      }
      columns_ = static_cast<std::size_t>(fit.columns);
      pictures_.clear();
      for (const FilmContent::Frame& frame : content_.frames) {
        pictures_.push_back(FitPicture(frame.map, fit.side, fit.side, fit.side));
        pooled_by = std::max(pooled_by, pictures_.back().pooled_by);
      }
    }
    slot_ = std::floor((wide + gap_) / static_cast<double>(columns_));
    side_ = 0.0;
    for (const MapPicture& picture : pictures_) {
      side_ = std::max<double>(side_, picture.height());
    }
    const double rows = std::ceil(count / static_cast<double>(columns_));
    tall_ = rows * (side_ + 3.0 * line_ + gap_) - gap_;
    const double footer = footer_.Layout(wide, PoolingNote(pooled_by, content_.pool));
    return SetSize(wide, size, std::ceil(around + tall_ + footer));
  }

 private:
  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& stop) override {
    const ThemeColors& colors = ColorsOf(page_.theme);
    for (std::size_t i = 0; i < content_.frames.size(); ++i) {
      const FilmContent::Frame& frame = content_.frames[i];
      const MapPicture& picture = pictures_[i];
      const int left = static_cast<int>(std::round(x + slot_ * static_cast<double>(i % columns_)));
      const double top =
          std::round(y + static_cast<double>(i / columns_) * (side_ + 3.0 * line_ + gap_));
      TextStyle words = style_.small;
      words.max_width_px = slot_ - gap_ / 2.0;
      canvas->Text(left, top, frame.map.title, words, colors.text);
      const int map_top = static_cast<int>(std::round(top + line_));
      canvas->Frame(left, map_top, picture.width(), picture.height(), 1.0, colors.line);
      HEADSCOPE_TRY(
          DrawPicture(canvas, left, map_top, picture, frame.map, content_.pool, page_.theme, stop));
      const double below = map_top + picture.height() + 0.25 * line_;
      canvas->Text(left, below, frame.score, words, colors.text);
      canvas->Text(left, below + 0.95 * line_, frame.role, words, colors.muted);
    }
    return y + tall_ + 20.0 * style_.unit;
  }

  const FilmContent& content_;
  std::vector<MapPicture> pictures_;
  std::size_t columns_ = 1;
  double line_ = 0.0;
  double gap_ = 0.0;
  double slot_ = 0.0;  // of a frame, with the gap
  double side_ = 0.0;  // height of the tallest map
  double tall_ = 0.0;
};

}  // namespace

ColorScale ScaleOfFilm(const ColorScale& scale, const FilmStrip& film) {
  if (scale.range == RangeMode::kFixed || scale.range == RangeMode::kRow) {
    return scale;
  }
  ColorScale one = scale;
  one.range = RangeMode::kFixed;
  one.low = 0.0F;
  one.high = 0.0F;
  for (const FilmFrame& frame : film.frames) {
    if (frame.map.layer != nullptr) {
      one.high = std::max(one.high, frame.map.largest());
    }
  }
  return one;
}

std::string FilmRangeWords(const ColorScale& scale) {
  return scale.range == RangeMode::kRow
             ? "Each row has its own range of colours, up to its largest weight, in every frame."
             : fmt::format("One range of colours for all frames: {:g} to {:.2g}.",
                           static_cast<double>(scale.low),
                           static_cast<double>(scale.high));
}

template <>
std::unique_ptr<PageLayout> FilmFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<FilmLayout>(page(), content(), setter);
}
template class PageFigure<FilmContent>;

}  // namespace headscope

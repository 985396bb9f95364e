#include "core/figure/token_map.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/figure/footer.h"
#include "core/figure/heading.h"
#include "core/figure/map_picture.h"
#include "core/figure/token_axes.h"

namespace headscope {
namespace {

constexpr double kSmallestMap = 8.0;

struct MapPlaces {
  MapPicture picture;
  TokenAxes axes;
  double heading = 0.0;
  double footer = 0.0;
  double content = 0.0;  // width of heading and footer
  double width = 0.0;
  double height = 0.0;
};

}  // namespace

class TokenMap::Layout {
 public:
  Layout(const FigurePage& page, const TokenMapContent& content, TextSetter* setter)
      : page_(page),
        content_(content),
        map_(content.map),
        style_(StyleFor(page.size_px)),
        setter_(*setter),
        footer_(page, style_, {.maps = {&content.map}, .flags_in_heading = true}, setter) {}

  Result<FigureSize> Measure() {
    const double size = page_.size_px;
    double least = 0.62 * size;
    places_ = Place(size, size, least);
    // The room for the map depends on what surrounds it, which depends on the map: a few rounds
    // settle it.
    double room_x = size - (places_.width - places_.picture.width());
    double room_y = size - (places_.height - places_.picture.height());
    for (int round = 0; round < 8; ++round) {
      if (room_x < kSmallestMap || room_y < kSmallestMap) {
        return TooSmall(page_);
      }
      places_ = Place(room_x, room_y, least);
      if (places_.width <= size && places_.height <= size) {
        break;
      }
      room_x = std::min(room_x, places_.picture.width() - std::max(0.0, places_.width - size));
      room_y = std::min(room_y, places_.picture.height() - std::max(0.0, places_.height - size));
    }
    if (places_.width > size || places_.height > size) {
      return TooSmall(page_);
    }
    if (std::max(places_.width, places_.height) < 0.94 * size) {
      // If whole cells leave much room, the figure becomes wider, where it matters least.
      least = size - 2.0 * style_.margin;
      places_ = Place(places_.picture.width(), places_.picture.height(), least);
    }
    const bool wide = places_.width >= places_.height;
    size_.width = static_cast<int>(wide ? size : places_.width);
    size_.height = static_cast<int>(wide ? places_.height : size);
    return size_;
  }

  Status Draw(Canvas* canvas, const std::stop_token& stop) {
    const double unit = style_.unit;
    const ThemeColors& colors = ColorsOf(page_.theme);
    // The remaining room goes to both sides.
    const double left = style_.margin + std::floor((size_.width - places_.width) / 2.0);
    double top = style_.margin + std::floor((size_.height - places_.height) / 2.0);
    DrawHeading(canvas, page_, &map_, style_, left, top, places_.content);
    top += places_.heading + places_.axes.top;
    const int map_x = static_cast<int>(std::round(left + places_.axes.left));
    const int map_y = static_cast<int>(std::round(top));
    canvas->Frame(map_x,
                  map_y,
                  places_.picture.width(),
                  places_.picture.height(),
                  std::max(1.0, std::round(unit)),
                  colors.line);
    HEADSCOPE_TRY(DrawPicture(
        canvas, map_x, map_y, places_.picture, map_, Pool::kLargest, page_.theme, stop));
    DrawQueryLabels(canvas, places_.axes, style_, page_.theme, map_x, map_y);
    DrawKeyLabels(canvas, places_.axes, style_, page_.theme, map_x, map_y);
    footer_.Draw(canvas, left, map_y + places_.picture.height() + 20.0 * unit);
    return {};
  }

 private:
  MapPlaces Place(double room_x, double room_y, double least_content) {
    MapPlaces places;
    const double unit = style_.unit;
    const double size = page_.size_px;
    places.picture = FitPicture(map_, room_x, room_y, size / 3.0);
    const MapPicture& picture = places.picture;
    places.axes = PlaceTokenAxes(
        {.query_tokens = content_.query_tokens,
         .key_tokens = content_.key_tokens,
         .query_pitch = static_cast<double>(picture.height()) / static_cast<double>(map_.queries),
         .key_pitch = static_cast<double>(picture.width()) / static_cast<double>(map_.keys),
         .width = static_cast<double>(picture.width())},
        0.2 * size,
        style_,
        &setter_);
    const double block = places.axes.left + picture.width() + places.axes.overhang;
    places.content = std::max(block, least_content);
    places.content = std::min(places.content, size - 2.0 * style_.margin);
    places.heading = HeadingHeight(&setter_, page_, style_, places.content);
    places.footer = footer_.Layout(places.content, PoolingNote(picture.pooled_by, Pool::kLargest));
    places.width = std::ceil(std::max(block, places.content) + 2.0 * style_.margin);
    places.height = std::ceil(places.heading + places.axes.top + picture.height() + 20.0 * unit +
                              places.footer + 2.0 * style_.margin);
    return places;
  }

  const FigurePage& page_;
  const TokenMapContent& content_;
  const FigureMap& map_;
  FigureStyle style_;
  TextSetter& setter_;
  Footer footer_;
  MapPlaces places_;
  FigureSize size_;
};

TokenMap::TokenMap(FigurePage page, TokenMapContent content)
    : Figure(std::move(page)), content_(std::move(content)) {
  CheckMap(content_.map);
}

TokenMap::~TokenMap() = default;

Result<FigureSize> TokenMap::Measure(TextSetter* setter) {
  layout_ = std::make_unique<Layout>(page(), content_, setter);
  return layout_->Measure();
}

Status TokenMap::Draw(Canvas* canvas, const std::stop_token& stop) {
  return layout_->Draw(canvas, stop);
}

}  // namespace headscope

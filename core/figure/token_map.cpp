#include "core/figure/token_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/figure/axis.h"
#include "core/figure/footer.h"
#include "core/figure/heading.h"
#include "core/figure/map_picture.h"

namespace headscope {
namespace {

constexpr double kSlant = 55.0 * std::numbers::pi / 180.0;
constexpr double kLineOfSize = 1.15;
constexpr double kSlantedLineOfSize = 1.4;
constexpr double kSmallestMap = 8.0;

struct MapPlaces {
  MapPicture picture;
  Axis queries;
  Axis keys;
  bool slanted = true;
  double label_width = 0.0;   // left of the map
  double label_height = 0.0;  // above it
  double overhang = 0.0;      // of the slanted labels, right of it
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
    // The room for the map follows from what stands around it, which follows from the map: a few
    // rounds settle it.
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
      // Whole cells leave much over: the figure takes it in width, where it hurts least.
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
    // What whole cells leave over goes to both sides.
    const double left = style_.margin + std::floor((size_.width - places_.width) / 2.0);
    double top = style_.margin + std::floor((size_.height - places_.height) / 2.0);
    DrawHeading(canvas, page_, &map_, style_, left, top, places_.content);
    top += places_.heading + places_.label_height;
    const int map_x = static_cast<int>(std::round(left + places_.label_width));
    const int map_y = static_cast<int>(std::round(top));
    canvas->Frame(map_x,
                  map_y,
                  places_.picture.width(),
                  places_.picture.height(),
                  std::max(1.0, std::round(unit)),
                  colors.line);
    HEADSCOPE_TRY(DrawPicture(
        canvas, map_x, map_y, places_.picture, map_, Pool::kLargest, page_.theme, stop));
    DrawQueries(canvas, map_x, map_y);
    DrawKeys(canvas, map_x, map_y);
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
    const double longest = 0.2 * size;
    places.queries =
        MakeAxis(content_.query_tokens,
                 static_cast<double>(picture.height()) / static_cast<double>(map_.queries),
                 longest,
                 kLineOfSize,
                 style_,
                 &setter_);
    places.keys = MakeAxis(content_.key_tokens,
                           static_cast<double>(picture.width()) / static_cast<double>(map_.keys),
                           longest,
                           kSlantedLineOfSize,
                           style_,
                           &setter_);
    const double gap = std::round(8.0 * unit);
    places.label_width = content_.query_tokens.empty() ? 0.0 : places.queries.longest + gap;
    const Axis& keys = places.keys;
    places.slanted = keys.longest > keys.pitch - 8.0 * unit;
    if (!keys.labels.empty()) {
      places.label_height = gap + 1.3 * keys.style.size_px;
      if (places.slanted) {
        places.label_height = gap + keys.longest * std::sin(kSlant) + 0.6 * keys.style.size_px;
        for (const AxisLabel& label : keys.labels) {
          const double wide = setter_.Measure(label.text, keys.style).width;
          const double end = (static_cast<double>(label.token) + 0.5) * keys.pitch +
                             wide * std::cos(kSlant) + 0.6 * keys.style.size_px;
          places.overhang = std::max(places.overhang, end - picture.width());
        }
      }
    }
    const double block = places.label_width + picture.width() + places.overhang;
    places.content = std::max(block, least_content);
    places.content = std::min(places.content, size - 2.0 * style_.margin);
    places.heading = HeadingHeight(&setter_, page_, style_, places.content);
    places.footer = footer_.Layout(places.content, PoolingNote(picture.pooled_by, Pool::kLargest));
    places.width = std::ceil(std::max(block, places.content) + 2.0 * style_.margin);
    places.height = std::ceil(places.heading + places.label_height + picture.height() +
                              20.0 * unit + places.footer + 2.0 * style_.margin);
    return places;
  }

  void DrawQueries(Canvas* canvas, int map_x, int map_y) {
    const double gap = std::round(8.0 * style_.unit);
    const Axis& axis = places_.queries;
    const ThemeColors& colors = ColorsOf(page_.theme);
    for (const AxisLabel& label : axis.labels) {
      const double middle = map_y + (static_cast<double>(label.token) + 0.5) * axis.pitch;
      const double tall = setter_.Measure(label.text, axis.style).height;
      canvas->TextRight(map_x - gap, middle - tall / 2.0, label.text, axis.style, colors.text);
      if (axis.stride > 1) {
        canvas->Fill(map_x - gap * 0.6, std::floor(middle), gap * 0.4, 1.0, colors.dim);
      }
    }
  }

  void DrawKeys(Canvas* canvas, int map_x, int map_y) {
    const double gap = std::round(8.0 * style_.unit);
    const Axis& axis = places_.keys;
    const ThemeColors& colors = ColorsOf(page_.theme);
    for (const AxisLabel& label : axis.labels) {
      const double middle = map_x + (static_cast<double>(label.token) + 0.5) * axis.pitch;
      if (places_.slanted) {
        canvas->TextTurned(middle, map_y - gap, -kSlant, label.text, axis.style, colors.text);
      } else {
        const double tall = setter_.Measure(label.text, axis.style).height;
        canvas->TextCentered(
            middle, map_y - gap * 0.75 - tall, label.text, axis.style, colors.text);
      }
      if (axis.stride > 1) {
        canvas->Fill(std::floor(middle), map_y - gap * 0.6, 1.0, gap * 0.4, colors.dim);
      }
    }
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

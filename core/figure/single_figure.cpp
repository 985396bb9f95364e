// One map with its tokens: queries at the left, keys slanted on top, as on screen.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/figure/axis.h"
#include "core/figure/figure_parts.h"
#include "core/figure/footer.h"
#include "core/figure/map_picture.h"

namespace headscope {
namespace {

constexpr double kSlant = 55.0 * std::numbers::pi / 180.0;
constexpr double kLineOfSize = 1.15;
constexpr double kSlantedLineOfSize = 1.4;
constexpr double kSmallestMap = 8.0;

struct Places {
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

class SingleFigure {
 public:
  SingleFigure(const Figure& figure, const FigureStyle& style, const std::stop_token& stop)
      : figure_(figure),
        style_(style),
        stop_(stop),
        map_(figure.rows[0].maps[0]),
        footer_(figure, style, &setter_) {}

  Result<Pixels> Render() {
    const double size = figure_.size_px;
    double least = 0.62 * size;
    Places places = Place(size, size, least);
    // The room for the map follows from what stands around it, which follows from the map: a few
    // rounds settle it.
    double room_x = size - (places.width - places.picture.width());
    double room_y = size - (places.height - places.picture.height());
    for (int round = 0; round < 8; ++round) {
      if (room_x < kSmallestMap || room_y < kSmallestMap) {
        return TooSmall(figure_);
      }
      places = Place(room_x, room_y, least);
      if (places.width <= size && places.height <= size) {
        break;
      }
      room_x = std::min(room_x, places.picture.width() - std::max(0.0, places.width - size));
      room_y = std::min(room_y, places.picture.height() - std::max(0.0, places.height - size));
    }
    if (places.width > size || places.height > size) {
      return TooSmall(figure_);
    }
    if (std::max(places.width, places.height) < 0.94 * size) {
      // Whole cells leave much over: the figure takes it in width, where it hurts least.
      least = size - 2.0 * style_.margin;
      places = Place(places.picture.width(), places.picture.height(), least);
    }
    return Draw(places);
  }

 private:
  Places Place(double room_x, double room_y, double least_content) {
    Places places;
    const double unit = style_.unit;
    const double size = figure_.size_px;
    places.picture = FitPicture(map_, room_x, room_y, size / 3.0);
    const MapPicture& picture = places.picture;
    const double longest = 0.2 * size;
    places.queries =
        MakeAxis(figure_.query_tokens,
                 static_cast<double>(picture.height()) / static_cast<double>(map_.queries),
                 longest,
                 kLineOfSize,
                 style_,
                 &setter_);
    places.keys = MakeAxis(figure_.key_tokens,
                           static_cast<double>(picture.width()) / static_cast<double>(map_.keys),
                           longest,
                           kSlantedLineOfSize,
                           style_,
                           &setter_);
    const double gap = std::round(8.0 * unit);
    places.label_width = figure_.query_tokens.empty() ? 0.0 : places.queries.longest + gap;
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
    places.heading = DrawHeading(nullptr, &setter_, figure_, style_, 0.0, 0.0, places.content);
    places.footer = footer_.Layout(places.content, PoolingNote(picture.pooled_by, figure_.pool));
    places.width = std::ceil(std::max(block, places.content) + 2.0 * style_.margin);
    places.height = std::ceil(places.heading + places.label_height + picture.height() +
                              20.0 * unit + places.footer + 2.0 * style_.margin);
    return places;
  }

  Result<Pixels> Draw(const Places& places) {
    const double size = figure_.size_px;
    const double unit = style_.unit;
    const bool wide = places.width >= places.height;
    const double width = wide ? size : places.width;
    const double height = wide ? places.height : size;
    auto canvas = MakeCanvas(figure_, width, height, &setter_);
    if (!canvas) {
      return PassOn(canvas.error());
    }
    const ThemeColors& colors = ColorsOf(figure_.theme);
    // What whole cells leave over goes to both sides.
    const double left = style_.margin + std::floor((width - places.width) / 2.0);
    double top = style_.margin + std::floor((height - places.height) / 2.0);
    DrawHeading(canvas->get(), &setter_, figure_, style_, left, top, places.content);
    top += places.heading + places.label_height;
    const int map_x = static_cast<int>(std::round(left + places.label_width));
    const int map_y = static_cast<int>(std::round(top));
    (*canvas)->Frame(map_x,
                     map_y,
                     places.picture.width(),
                     places.picture.height(),
                     std::max(1.0, std::round(unit)),
                     colors.line);
    HEADSCOPE_TRY(DrawPicture(canvas->get(), map_x, map_y, places.picture, map_, figure_, stop_));
    DrawQueries(canvas->get(), places, map_x, map_y);
    DrawKeys(canvas->get(), places, map_x, map_y);
    footer_.Draw(canvas->get(), left, map_y + places.picture.height() + 20.0 * unit);
    return (*canvas)->Take();
  }

  void DrawQueries(Canvas* canvas, const Places& places, int map_x, int map_y) {
    const double gap = std::round(8.0 * style_.unit);
    const Axis& axis = places.queries;
    const ThemeColors& colors = ColorsOf(figure_.theme);
    for (const AxisLabel& label : axis.labels) {
      const double middle = map_y + (static_cast<double>(label.token) + 0.5) * axis.pitch;
      const double tall = setter_.Measure(label.text, axis.style).height;
      canvas->TextRight(map_x - gap, middle - tall / 2.0, label.text, axis.style, colors.text);
      if (axis.stride > 1) {
        canvas->Fill(map_x - gap * 0.6, std::floor(middle), gap * 0.4, 1.0, colors.dim);
      }
    }
  }

  void DrawKeys(Canvas* canvas, const Places& places, int map_x, int map_y) {
    const double gap = std::round(8.0 * style_.unit);
    const Axis& axis = places.keys;
    const ThemeColors& colors = ColorsOf(figure_.theme);
    for (const AxisLabel& label : axis.labels) {
      const double middle = map_x + (static_cast<double>(label.token) + 0.5) * axis.pitch;
      if (places.slanted) {
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

  const Figure& figure_;
  const FigureStyle& style_;
  const std::stop_token& stop_;
  const FigureMap& map_;
  TextSetter setter_;
  Footer footer_;
};

}  // namespace

Result<Pixels> RenderSingleMap(const Figure& figure,
                               const FigureStyle& style,
                               const std::stop_token& stop) {
  return SingleFigure(figure, style, stop).Render();
}

}  // namespace headscope

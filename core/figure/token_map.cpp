#include "core/figure/token_map.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "core/figure/map_picture.h"
#include "core/figure/page_layout.h"
#include "core/figure/pool.h"
#include "core/figure/sink_column.h"
#include "core/figure/token_axes.h"

namespace headscope {
namespace {

constexpr std::string_view kSink = "sink";

struct MapPlaces {
  MapPicture picture;
  TokenAxes axes;
  double content = 0.0;  // width of heading and footer
  double width = 0.0;
  double height = 0.0;
};

class TokenMapLayout final : public PageLayout {
 public:
  TokenMapLayout(const FigurePage& page, const TokenMapContent& content, TextSetter* setter)
      : PageLayout(page, {.maps = {&content.map}, .flags_in_heading = true}, setter),
        content_(content),
        map_(content.map) {
    CheckMap(map_);
  }

  Status Place() override {
    const double size = page_.size_px;
    double least = 0.62 * size;
    const auto place = [&](double room_x, double room_y) {
      return PlacesIn(room_x, room_y, least);
    };
    places_ = place(size, size);
    const double room_x = size - (places_.width - places_.picture.width());
    const double room_y = size - (places_.height - places_.picture.height());
    HEADSCOPE_TRY(places_, FitMaps(room_x, room_y, 1.0, place));
    if (std::max(places_.width, places_.height) < 0.94 * size) {
      // If whole cells leave much room, the figure becomes wider, where it matters least.
      least = size - 2.0 * style_.margin;
      places_ = place(places_.picture.width(), places_.picture.height());
    }
    return SetSize(places_.content, places_.width, places_.height);
  }

 private:
  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& stop) override {
    const MapPicture& picture = places_.picture;
    const int map_x = static_cast<int>(std::round(x + places_.axes.left));
    const int map_y = static_cast<int>(std::round(y + places_.axes.top));
    canvas->Frame(map_x,
                  map_y,
                  picture.width(),
                  picture.height(),
                  std::max(1.0, std::round(style_.unit)),
                  ColorsOf(page_.theme).line);
    HEADSCOPE_TRY(
        DrawPicture(canvas, map_x, map_y, picture, map_, Pool::kLargest, page_.theme, stop));
    DrawQueryLabels(canvas, places_.axes, style_, page_.theme, map_x, map_y);
    DrawKeyLabels(canvas, places_.axes, style_, page_.theme, map_x, map_y);
    if (HasSinkColumn()) {
      DrawSink(canvas, map_x + picture.width() + SinkGap(), map_y);
    }
    return map_y + picture.height() + 20.0 * style_.unit;
  }

  [[nodiscard]] bool HasSinkColumn() const {
    return map_.view.layer != nullptr && map_.view.layer->has_sinks();
  }
  [[nodiscard]] int SinkGap() const { return static_cast<int>(std::round(10.0 * style_.unit)); }
  // Whole cells, so that rows stand beside those of the map.
  [[nodiscard]] std::int64_t SinkCells(const MapPicture& picture) const {
    return std::max<std::int64_t>(1, std::llround(14.0 * style_.unit / picture.cell));
  }

  // What the head's sink takes of each row, as a column of its own.
  void DrawSink(Canvas* canvas, int x, int y) {
    const MapPicture& picture = places_.picture;
    const SinkColumn column = SinkColumnOf(map_.view, map_.scale);
    const std::vector<float> rows =
        PoolMap(column.values, map_.queries, 1, picture.rows, 1, Pool::kLargest);
    const std::int64_t cols = SinkCells(picture);
    std::vector<float> cells;
    for (const float taken : rows) {
      cells.insert(cells.end(), static_cast<std::size_t>(cols), taken);
    }
    const int width = static_cast<int>(cols) * picture.cell;
    canvas->Frame(x,
                  y,
                  width,
                  picture.height(),
                  std::max(1.0, std::round(style_.unit)),
                  ColorsOf(page_.theme).line);
    canvas->Cells(x, y, picture.cell, {cells, picture.rows, cols, column.scale, page_.theme});
    TokenAxes axes = places_.axes;
    axes.keys.labels = {{.token = 0, .text = std::string(kSink)}};
    axes.keys.pitch = width;
    axes.keys.stride = 1;
    DrawKeyLabels(canvas, axes, style_, page_.theme, x, y);
  }

  // What the column and its name take to the right of the map.
  [[nodiscard]] double SinkRoom(const MapPlaces& places) {
    if (!HasSinkColumn()) {
      return 0.0;
    }
    const double width = static_cast<double>(SinkCells(places.picture)) * places.picture.cell;
    const double name = setter_.Measure(std::string(kSink), places.axes.keys.style).width;
    return SinkGap() + std::max(width, width / 2.0 + name);
  }

  [[nodiscard]] std::span<const std::string> Named(const std::vector<std::string>& tokens) const {
    return page_.look.has_labels ? std::span(tokens) : std::span<const std::string>();
  }

  MapPlaces PlacesIn(double room_x, double room_y, double least_content) {
    MapPlaces places;
    const double size = page_.size_px;
    places.picture = FitPicture(map_, room_x, room_y, size / 3.0);
    const MapPicture& picture = places.picture;
    places.axes = PlaceTokenAxes(
        {.query_tokens = Named(content_.query_tokens),
         .key_tokens = Named(content_.key_tokens),
         .query_pitch = static_cast<double>(picture.height()) / static_cast<double>(map_.queries),
         .key_pitch = static_cast<double>(picture.width()) / static_cast<double>(map_.keys),
         .width = static_cast<double>(picture.width())},
        0.2 * size,
        style_,
        &setter_);
    const double block =
        places.axes.left + picture.width() + std::max(places.axes.overhang, SinkRoom(places));
    places.content = std::max(block, least_content);
    places.content = std::min(places.content, size - 2.0 * style_.margin);
    const double footer =
        footer_.Layout(places.content, PoolingNote(picture.pooled_by, Pool::kLargest));
    places.width = std::ceil(std::max(block, places.content) + 2.0 * style_.margin);
    places.height = std::ceil(HeadingHeight(places.content) + places.axes.top + picture.height() +
                              20.0 * style_.unit + footer + 2.0 * style_.margin);
    return places;
  }

  const TokenMapContent& content_;
  const FigureMap& map_;
  MapPlaces places_;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> TokenMap::LayOut(TextSetter* setter) const {
  return std::make_unique<TokenMapLayout>(page(), content(), setter);
}
template class PageFigure<TokenMapContent>;

}  // namespace headscope

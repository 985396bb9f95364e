#include "core/figure/map_pair.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "core/compare/pair_maps.h"
#include "core/figure/map_picture.h"
#include "core/figure/page_layout.h"
#include "core/figure/pair_scale.h"
#include "core/figure/token_axes.h"

namespace headscope {
namespace {

struct MapPairPlaces {
  MapPicture picture;  // of each of the three maps
  TokenAxes axes;
  double gap = 0.0;    // between two maps
  double title = 0.0;  // height of a line over each map
  double bars = 0.0;   // height of both colour bars
  double content = 0.0;
  double width = 0.0;
  double height = 0.0;
};

std::vector<std::string> NamesOf(const UnionAxis& axis) {
  std::vector<std::string> names;
  for (const UnionPlace& place : axis.places) {
    names.push_back(place.is_shared() ? place.name
                                      : place.name + (place.b.empty() ? " (A)" : " (B)"));
  }
  return names;
}

MapPicture FitPair(std::int64_t rows, std::int64_t cols, double width, double height, double most) {
  MapPicture picture;
  const double crowded =
      std::max(static_cast<double>(rows) / height, static_cast<double>(cols) / width);
  picture.pooled_by =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(crowded - 1e-9)));
  picture.rows = (rows + picture.pooled_by - 1) / picture.pooled_by;
  picture.cols = (cols + picture.pooled_by - 1) / picture.pooled_by;
  const double cell = std::min({width / static_cast<double>(picture.cols),
                                height / static_cast<double>(picture.rows),
                                most});
  picture.cell = std::max(1, static_cast<int>(cell));
  return picture;
}

FigurePage WordlessPage(const FigurePage& page) {
  FigurePage bare;
  bare.theme = page.theme;
  bare.size_px = page.size_px;
  bare.masked_word = page.masked_word;
  bare.look = page.look;
  return bare;
}

class MapPairLayout final : public PageLayout {
 public:
  MapPairLayout(const FigurePage& page, const MapPairContent& content, TextSetter* setter)
      : PageLayout(page, {.maps = {}}, setter),
        bar_page_(WordlessPage(page)),
        content_(content),
        pair_(*content.heads.of),
        rows_(page.look.has_labels ? NamesOf(pair_.queries) : std::vector<std::string>()),
        cols_(page.look.has_labels ? NamesOf(pair_.keys) : std::vector<std::string>()),
        a_{.layer = pair_.LayerA(content.heads.layer), .head = content.heads.a},
        b_{.layer = pair_.LayerB(content.heads.layer), .head = content.heads.b},
        weights_(WithColours()),
        bar_(bar_page_, style_, {.maps = {&weights_}}, setter) {}

  Status Place() override {
    const double room = page_.size_px - 2.0 * style_.margin;
    HEADSCOPE_TRY(
        places_,
        FitMaps((room - 2.0 * MapGap()) / 3.0, room, 3.0, [this](double room_x, double room_y) {
          return PlacesIn(room_x, room_y);
        }));
    return SetSize(places_.content, places_.width, places_.height);
  }

 private:
  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& stop) override {
    const MapPicture& picture = places_.picture;
    HEADSCOPE_TRY(const auto maps,
                  MakePairMaps(a_, b_, pair_.queries, pair_.keys, {}, stop, picture.pooled_by));
    const ColorScale apart = ScaleOfDifference(content_.scale, maps.furthest);
    std::vector<float> positions;
    for (const float difference : maps.difference) {
      positions.push_back(DifferencePosition(apart, difference));
    }
    const ColorScale diverging{.curve = Curve::kLinear, .colormap = Colormap::kDiverging};
    const int map_y = static_cast<int>(std::round(y + places_.title + places_.axes.top));
    const double first = x + places_.axes.left;
    const double step = picture.width() + places_.gap;
    DrawOne(canvas, first, y, map_y, content_.titles[0], maps.a, content_.scale);
    DrawQueryLabels(
        canvas, places_.axes, style_, page_.theme, static_cast<int>(std::round(first)), map_y);
    DrawOne(canvas, first + step, y, map_y, content_.titles[1], maps.b, content_.scale);
    DrawOne(canvas, first + 2.0 * step, y, map_y, "B − A", positions, diverging);
    const double below = map_y + picture.height() + 20.0 * style_.unit;
    bar_.Draw(canvas, x, below);
    DrawDifferenceBar(canvas, std::round(first + 2.0 * step), below, apart);
    return below + places_.bars;
  }

  [[nodiscard]] double MapGap() const { return std::round(22.0 * style_.unit); }

  // Stands for the maps in the colour bar: only the scale and whether there are masked cells.
  [[nodiscard]] FigureMap WithColours() const {
    FigureMap map;
    map.scale = content_.scale;
    const bool is_lonely =
        pair_.queries.only_a + pair_.queries.only_b + pair_.keys.only_a + pair_.keys.only_b > 0;
    map.weights = {is_lonely || a_.has_masked() || b_.has_masked() ? kMasked : 0.0F};
    return map;
  }

  MapPairPlaces PlacesIn(double room_x, double room_y) {
    MapPairPlaces places;
    const double unit = style_.unit;
    const double size = page_.size_px;
    const auto rows = std::ssize(rows_);
    const auto cols = std::ssize(cols_);
    places.picture = FitPair(rows, cols, room_x, room_y, size / 6.0);
    const MapPicture& picture = places.picture;
    const double pitch = static_cast<double>(picture.cell) / static_cast<double>(picture.pooled_by);
    places.axes = PlaceTokenAxes({.query_tokens = rows_,
                                  .key_tokens = cols_,
                                  .query_pitch = pitch,
                                  .key_pitch = pitch,
                                  .width = static_cast<double>(picture.width())},
                                 0.12 * size,
                                 style_,
                                 &setter_);
    places.gap = MapGap();
    places.title = std::ceil(1.8 * style_.label.size_px);
    const double block =
        places.axes.left + 3.0 * picture.width() + 2.0 * places.gap + places.axes.overhang;
    places.content =
        std::clamp(block, 0.62 * size, std::max(0.62 * size, size - 2.0 * style_.margin));
    const double beside = places.axes.left + 2.0 * picture.width() + places.gap;
    places.bars =
        std::max(bar_.Layout(beside, ""),
                 20.0 * unit + 1.3 * style_.small.size_px + 1.45 * style_.caption.size_px);
    const double footer = footer_.Layout(places.content, PooledNote(picture.pooled_by));
    places.width = std::ceil(std::max(block, places.content) + 2.0 * style_.margin);
    places.height =
        std::ceil(HeadingHeight(places.content) + places.title + places.axes.top +
                  picture.height() + 20.0 * unit + places.bars + footer + 2.0 * style_.margin);
    return places;
  }

  static std::string PooledNote(std::int64_t places) {
    return places <= 1 ? std::string()
                       : fmt::format(
                             "Pooled: each cell is the mean of up to {0} \u00D7 {0} visible "
                             "weights, of the difference the one furthest from 0.",
                             places);
  }

  void DrawOne(Canvas* canvas,
               double left,
               double top,
               int y,
               const std::string& title,
               std::span<const float> weights,
               const ColorScale& scale) {
    const MapPicture& picture = places_.picture;
    const ThemeColors& colors = ColorsOf(page_.theme);
    const int x = static_cast<int>(std::round(left));
    TextStyle style = style_.label;
    style.max_width_px = std::max(1.0, picture.width() + places_.gap - 6.0 * style_.unit);
    canvas->Text(x, top, title, style, colors.text);
    DrawKeyLabels(canvas, places_.axes, style_, page_.theme, x, y);
    canvas->Frame(x,
                  y,
                  picture.width(),
                  picture.height(),
                  std::max(1.0, std::round(style_.unit)),
                  colors.line);
    canvas->Cells(x, y, picture.cell, {weights, picture.rows, picture.cols, scale, page_.theme});
  }

  // Draws it below its map, as wide as the map or the room to its right.
  void DrawDifferenceBar(Canvas* canvas, double x, double y, const ColorScale& apart) {
    const double unit = style_.unit;
    const ThemeColors& colors = ColorsOf(page_.theme);
    const double room = size().width - style_.margin - x;
    const double wide = std::floor(std::min(room, 280.0 * unit));
    const double tall = std::round(10.0 * unit);
    const auto table = ColormapTable(Colormap::kDiverging, page_.theme);
    y = std::round(y);
    canvas->Gradient(x, y, wide, tall, std::max(1.0, std::round(unit)), table, colors.line);
    const double below = y + tall + 5.0 * unit;
    const std::string high = fmt::format("+{:.3g}", apart.high);
    canvas->Text(x, below, fmt::format("\u2212{:.3g}", apart.high), style_.small, colors.muted);
    canvas->TextCentered(x + wide / 2.0, below, "0", style_.small, colors.muted);
    canvas->TextRight(x + wide, below, high, style_.small, colors.muted);
    TextStyle words = style_.caption;
    words.max_width_px = std::max(1.0, room);
    canvas->Text(x,
                 below + 1.3 * style_.small.size_px,
                 fmt::format("left: A more, right: B; {}", CurveWords(apart.curve)),
                 words,
                 colors.muted);
  }

  FigurePage bar_page_;
  const MapPairContent& content_;
  const ComparedPair& pair_;
  std::vector<std::string> rows_;
  std::vector<std::string> cols_;
  MapView a_;
  MapView b_;
  FigureMap weights_;
  Footer bar_;
  MapPairPlaces places_;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> MapPair::LayOut(TextSetter* setter) const {
  return std::make_unique<MapPairLayout>(page(), content(), setter);
}
template class PageFigure<MapPairContent>;

}  // namespace headscope

// Rows of maps: a layer, the grid of all heads, one layer under several head counts.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "core/figure/figure_parts.h"
#include "core/figure/footer.h"
#include "core/figure/map_picture.h"

namespace headscope {
namespace {

using TextOf = std::string FigureMap::*;  // one of a map's texts

struct RowPlaces {
  std::vector<MapPicture> pictures;
  double widest = 0.0;
  double tallest = 0.0;
  double height = 0.0;  // of the maps, or of the label where that is taller
  double gap = 0.0;     // between maps
  bool titled = false;
  bool subtitled = false;
  std::int64_t slots = 1;
};

struct Places {
  std::vector<RowPlaces> rows;
  double frame = 0.0;  // width that all rows share
  double maps_height = 0.0;
  std::int64_t pooled_by = 1;
};

class RowFigure {
 public:
  RowFigure(const Figure& figure, const FigureStyle& style, const std::stop_token& stop)
      : figure_(figure), style_(style), stop_(stop), footer_(figure, style, &setter_) {
    for (const FigureRow& row : figure.rows) {
      label_width_ = std::max({label_width_,
                               setter_.Measure(row.label, style.label).width,
                               setter_.Measure(row.sublabel, style.small).width});
      flagged_ = flagged_ || std::any_of(row.maps.begin(),
                                         row.maps.end(),
                                         [](const FigureMap& map) { return map.flag_rgb != 0; });
    }
    label_width_ = std::min(label_width_, 0.25 * figure.size_px);
    if (label_width_ > 0.0) {
      label_width_ = std::ceil(label_width_ + 14.0 * style.unit);
    }
    header_ = figure.column_labels.empty() ? 0.0 : std::ceil(1.6 * style.small.size_px);
    gap_ = std::max(2.0, std::round(7.0 * style.unit));
  }

  Result<Pixels> Render() {
    const double size = figure_.size_px;
    const double most_width = size - 2.0 * style_.margin - label_width_;
    double content = size - 2.0 * style_.margin;
    double footer = 0.0;
    Places places;
    for (int round = 0; round < 4; ++round) {
      const double heading = Heading(nullptr, 0.0, 0.0, content);
      footer =
          std::max(footer, footer_.Layout(content, PoolingNote(places.pooled_by, figure_.pool)));
      const double most_height =
          size - 2.0 * style_.margin - heading - header_ - 20.0 * style_.unit - footer;
      if (most_width < 16.0 || most_height < 16.0 || !FitRows(most_width, most_height, &places)) {
        return TooSmall(figure_);
      }
      const double own = std::max(label_width_ + places.frame, 0.62 * size);
      const double needed = std::min(own, size - 2.0 * style_.margin);
      if (round > 0 && needed == content) {
        break;
      }
      content = needed;
    }
    SpreadRows(content, &places);
    content = std::max(content, label_width_ + places.frame);
    return Draw(places, content);
  }

 private:
  // What whole cells leave over widens the gaps a little, the same in both directions.
  void SpreadRows(double content, Places* places) {
    std::int64_t slots = 1;
    bool aligned = true;
    for (const RowPlaces& row : places->rows) {
      aligned = aligned && row.slots == places->rows[0].slots;
      slots = std::max(slots, row.slots);
    }
    const double size = figure_.size_px;
    const auto rows = static_cast<double>(places->rows.size());
    double extra = 1.5 * gap_;
    if (rows > 1.0) {
      extra = std::min(extra, (size - NaturalHeight(*places, content)) / (rows - 1.0));
    }
    if (aligned && slots > 1) {
      const double room = size - 2.0 * style_.margin - label_width_ - places->frame;
      extra = std::min(extra, room / static_cast<double>(slots - 1));
    }
    extra = std::floor(extra);
    if (extra < 1.0) {
      return;
    }
    if (aligned) {
      places->frame += extra * static_cast<double>(slots - 1);
      gap_ += extra;
      for (RowPlaces& row : places->rows) {
        row.gap += extra;
      }
    } else {
      row_gap_ = extra;
    }
    places->maps_height += extra * (rows - 1.0);
  }

  double NaturalHeight(const Places& places, double content) {
    return std::ceil(
        Heading(nullptr, 0.0, 0.0, content) + header_ + places.maps_height + 20.0 * style_.unit +
        footer_.Layout(content, PoolingNote(places.pooled_by, figure_.pool)) + 2.0 * style_.margin);
  }

  double Heading(Canvas* canvas, double x, double y, double width) {
    return DrawHeading(canvas, &setter_, figure_, style_, x, y, width);
  }

  // Every row with maps of at most `cap` pixels in height; the sum of the heights.
  Places PlaceRows(double most_width, double cap) {
    Places places;
    for (const FigureRow& row : figure_.rows) {
      RowPlaces own;
      const auto maps = static_cast<std::int64_t>(row.maps.size());
      own.slots = std::max<std::int64_t>({1, row.slots, maps});
      // Crowded rows keep most of their width for the maps.
      own.gap = std::floor(std::min(gap_, 0.25 * most_width / static_cast<double>(own.slots)));
      const double slot = (most_width + own.gap) / static_cast<double>(own.slots) - own.gap;
      for (const FigureMap& map : row.maps) {
        own.pictures.push_back(FitPicture(map, slot, cap, cap));
        own.widest = std::max<double>(own.widest, own.pictures.back().width());
        own.tallest = std::max<double>(own.tallest, own.pictures.back().height());
        places.pooled_by = std::max(places.pooled_by, own.pictures.back().pooled_by);
      }
      const double pitch =
          std::max(own.widest + own.gap, std::min(slot + own.gap, 30.0 * style_.unit));
      own.titled = figure_.column_labels.empty() && TextsFit(row, pitch, &FigureMap::title);
      own.subtitled = own.titled && TextsFit(row, pitch, &FigureMap::subtitle);
      places.frame = std::max(places.frame,
                              own.widest * static_cast<double>(own.slots) +
                                  own.gap * static_cast<double>(own.slots - 1));
      own.height = row.sublabel.empty()
                       ? own.tallest
                       : std::max(own.tallest, 1.4 * (style_.label.size_px + style_.small.size_px));
      places.maps_height += own.height + Extra(own);
      places.rows.push_back(std::move(own));
    }
    places.maps_height -= RowGap();
    return places;
  }

  bool TextsFit(const FigureRow& row, double width, TextOf text_of) {
    bool any = false;
    for (const FigureMap& map : row.maps) {
      const double wide = setter_.Measure(map.*text_of, style_.small).width;
      any = any || wide > 0.0;
      if (wide > width) {
        return false;
      }
    }
    return any;
  }

  [[nodiscard]] double RowGap() const { return gap_ + row_gap_ + (flagged_ ? FlagHeight() : 0.0); }
  [[nodiscard]] double FlagHeight() const { return std::round(2.0 + 3.0 * style_.unit); }
  [[nodiscard]] double TitleHeight() const { return std::ceil(1.5 * style_.small.size_px); }
  // What a row needs besides its maps.
  [[nodiscard]] double Extra(const RowPlaces& row) const {
    const double lines = (row.titled ? 1.0 : 0.0) + (row.subtitled ? 1.0 : 0.0);
    return RowGap() + lines * TitleHeight() + (lines > 0.0 ? std::round(4.0 * style_.unit) : 0.0);
  }

  // The largest maps whose rows fit.
  bool FitRows(double most_width, double most_height, Places* places) {
    double low = 1.0;
    double high = std::max(2.0, std::floor(std::min(most_width, most_height)) + 1.0);
    if (PlaceRows(most_width, low).maps_height > most_height) {
      return false;
    }
    while (high - low > 1.0) {
      const double middle = std::floor((low + high) / 2.0);
      (PlaceRows(most_width, middle).maps_height <= most_height ? low : high) = middle;
    }
    *places = PlaceRows(most_width, low);
    for (const RowPlaces& row : places->rows) {
      if ((most_width + row.gap) / static_cast<double>(row.slots) - row.gap < 1.0) {
        return false;
      }
    }
    return true;
  }

  Result<Pixels> Draw(const Places& places, double content) {
    const double size = figure_.size_px;
    const double heading = Heading(nullptr, 0.0, 0.0, content);
    const double natural_width = std::ceil(content + 2.0 * style_.margin);
    const double natural_height = NaturalHeight(places, content);
    if (natural_height > size || natural_width > size) {
      return TooSmall(figure_);
    }
    const bool wide = natural_width >= natural_height;
    const double width = wide ? size : natural_width;
    const double height = wide ? natural_height : size;
    auto canvas = MakeCanvas(figure_, width, height, &setter_);
    if (!canvas) {
      return PassOn(canvas.error());
    }
    const double left = style_.margin + std::floor((width - natural_width) / 2.0);
    double y = style_.margin + std::floor((height - natural_height) / 2.0);
    Heading(canvas->get(), left, y, content);
    y += heading;
    const double maps_x = left + label_width_;
    DrawColumnLabels(canvas->get(), places, maps_x, y);
    y += header_;
    double labelled_to = -1e9;
    for (std::size_t i = 0; i < figure_.rows.size(); ++i) {
      // Rows that are lower than their labels: only as many labels as there is room for.
      const bool with_label = label_width_ > 0.0 && y >= labelled_to;
      if (with_label) {
        labelled_to = y + 1.2 * style_.label.size_px;
      }
      const FigureRow& row = figure_.rows[i];
      HEADSCOPE_TRY(
          DrawRow(canvas->get(), row, places.rows[i], places.frame, maps_x, y, with_label));
      y += places.rows[i].height + Extra(places.rows[i]);
    }
    footer_.Draw(canvas->get(), left, y - RowGap() + 20.0 * style_.unit);
    return (*canvas)->Take();
  }

  [[nodiscard]] double Middle(const RowPlaces& row, double frame, std::size_t index) const {
    const double pitch = (frame + row.gap) / static_cast<double>(row.slots);
    return pitch * (static_cast<double>(index) + 0.5) - row.gap / 2.0;
  }

  void DrawColumnLabels(Canvas* canvas, const Places& places, double x, double y) {
    if (figure_.column_labels.empty() || places.rows.empty()) {
      return;
    }
    const ThemeColors& colors = ColorsOf(figure_.theme);
    const RowPlaces& row = places.rows[0];
    double widest = 0.0;
    for (const std::string& label : figure_.column_labels) {
      widest = std::max(widest, setter_.Measure(label, style_.small).width);
    }
    const double pitch = (places.frame + row.gap) / static_cast<double>(row.slots);
    const auto stride =
        static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 4.0 * style_.unit) / pitch)));
    for (std::size_t i = 0; i < figure_.column_labels.size(); i += stride) {
      canvas->TextCentered(x + Middle(row, places.frame, i),
                           y,
                           figure_.column_labels[i],
                           style_.small,
                           colors.muted);
    }
  }

  void DrawLabel(Canvas* canvas, const FigureRow& row, double maps_x, double middle) {
    const ThemeColors& colors = ColorsOf(figure_.theme);
    TextStyle label = style_.label;
    TextStyle small = style_.small;
    label.max_width_px = small.max_width_px = std::max(1.0, label_width_ - 12.0 * style_.unit);
    const double right = maps_x - 14.0 * style_.unit;
    const double tall = setter_.Measure(row.label, label).height;
    const double small_tall = row.sublabel.empty() ? 0.0 : 1.4 * small.size_px;
    const double top = middle - (tall + small_tall) / 2.0;
    canvas->TextRight(right, top, row.label, label, row.marked ? colors.accent : colors.text);
    if (!row.sublabel.empty()) {
      canvas->TextRight(right, top + tall, row.sublabel, small, colors.muted);
    }
  }

  Status DrawRow(Canvas* canvas,
                 const FigureRow& row,
                 const RowPlaces& places,
                 double frame,
                 double maps_x,
                 double y,
                 bool with_label) {
    const ThemeColors& colors = ColorsOf(figure_.theme);
    const double lines = (places.titled ? 1.0 : 0.0) + (places.subtitled ? 1.0 : 0.0);
    const double map_top =
        std::round(y + lines * TitleHeight() + (places.height - places.tallest) / 2.0);
    if (with_label) {
      DrawLabel(canvas, row, maps_x, map_top + places.tallest / 2.0);
    }
    for (std::size_t i = 0; i < row.maps.size(); ++i) {
      const FigureMap& map = row.maps[i];
      const MapPicture& picture = places.pictures[i];
      const int x =
          static_cast<int>(std::round(maps_x + Middle(places, frame, i) - picture.width() / 2.0));
      if (places.titled) {
        canvas->Text(x, y, map.title, style_.small, colors.text);
      }
      if (places.subtitled) {
        canvas->Text(x, y + TitleHeight(), map.subtitle, style_.small, colors.dim);
      }
      const int top = static_cast<int>(map_top);
      canvas->Frame(x, top, picture.width(), picture.height(), 1.0, colors.line);
      HEADSCOPE_TRY(DrawPicture(canvas, x, top, picture, map, figure_, stop_));
      if (map.flag_rgb != 0) {
        canvas->Fill(x,
                     top + picture.height() + 2.0,
                     picture.width(),
                     FlagHeight() - 2.0,
                     RgbOf(map.flag_rgb));
      }
    }
    return {};
  }

  const Figure& figure_;
  const FigureStyle& style_;
  const std::stop_token& stop_;
  TextSetter setter_;
  Footer footer_;
  double label_width_ = 0.0;
  double header_ = 0.0;
  double gap_ = 0.0;
  double row_gap_ = 0.0;  // more of it between rows
  bool flagged_ = false;
};

}  // namespace

Result<Pixels> RenderRows(const Figure& figure,
                          const FigureStyle& style,
                          const std::stop_token& stop) {
  return RowFigure(figure, style, stop).Render();
}

}  // namespace headscope

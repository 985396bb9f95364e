#include "core/figure/map_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/figure/map_picture.h"
#include "core/figure/page_layout.h"

namespace headscope {
namespace {

struct RowPlaces {
  std::vector<MapPicture> pictures;
  double widest = 0.0;
  double tallest = 0.0;
  double height = 0.0;  // of the maps, or of the label if that is taller
  double gap = 0.0;     // between maps
  bool titled = false;
  std::int64_t slots = 1;
};

struct PagePlaces {
  std::vector<RowPlaces> rows;
  double frame = 0.0;  // width, the same for all rows
  double maps_height = 0.0;
  std::int64_t pooled_by = 1;
};

std::vector<const FigureMap*> MapsOf(const MapRowsContent& content) {
  std::vector<const FigureMap*> maps;
  for (const FigureRow& row : content.rows) {
    for (const FigureMap& map : row.maps) {
      maps.push_back(&map);
    }
  }
  return maps;
}

class MapRowsLayout final : public PageLayout {
 public:
  MapRowsLayout(const FigurePage& page, const MapRowsContent& content, TextSetter* setter)
      : PageLayout(page,
                   {.maps = MapsOf(content),
                    .table = content.table,
                    .marked_table_row = content.marked_table_row},
                   setter),
        content_(content) {
    std::ranges::for_each(MapsOf(content), [](const FigureMap* map) { CheckMap(*map); });
    for (const FigureRow& row : content.rows) {
      label_width_ = std::max({label_width_,
                               setter_.Measure(row.label, style_.label).width,
                               setter_.Measure(row.sublabel, style_.small).width});
      flagged_ = flagged_ || std::any_of(row.maps.begin(),
                                         row.maps.end(),
                                         [](const FigureMap& map) { return map.flag_rgb != 0; });
    }
    label_width_ = std::min(label_width_, 0.25 * page.size_px);
    if (label_width_ > 0.0) {
      label_width_ = std::ceil(label_width_ + 14.0 * style_.unit);
    }
    header_ = content.column_labels.empty() ? 0.0 : std::ceil(1.6 * style_.small.size_px);
    gap_ = std::max(2.0, std::round(7.0 * style_.unit));
  }

  Status Place() override {
    if (MapsOf(content_).empty()) {
      return Fail(ErrorCode::kInput, "a figure needs at least one map; choose a head or a layer");
    }
    const double size = page_.size_px;
    const double most_width = size - 2.0 * style_.margin - label_width_;
    content_width_ = size - 2.0 * style_.margin;
    double footer = 0.0;
    for (int round = 0; round < 4; ++round) {
      footer = std::max(footer, FooterHeight());
      const double most_height =
          size - 2.0 * style_.margin - Heading() - header_ - 20.0 * style_.unit - footer;
      if (most_width < 16.0 || most_height < 16.0 || !FitRows(most_width, most_height, &places_)) {
        return TooSmall(page_);
      }
      const double own = std::max(label_width_ + places_.frame, 0.62 * size);
      const double needed = std::min(own, size - 2.0 * style_.margin);
      if (round > 0 && needed == content_width_) {
        break;
      }
      content_width_ = needed;
    }
    SpreadRows();
    content_width_ = std::max(content_width_, label_width_ + places_.frame);
    return SetSize(
        content_width_, std::ceil(content_width_ + 2.0 * style_.margin), NaturalHeight());
  }

 private:
  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& stop) override {
    const double maps_x = x + label_width_;
    DrawColumnLabels(canvas, maps_x, y);
    y += header_;
    double labelled_to = -1e9;
    for (std::size_t i = 0; i < content_.rows.size(); ++i) {
      // Rows may be lower than their labels: only labels that have room are drawn.
      const bool with_label = label_width_ > 0.0 && y >= labelled_to;
      if (with_label) {
        labelled_to = y + 1.2 * style_.label.size_px;
      }
      HEADSCOPE_TRY(
          DrawRow(canvas, content_.rows[i], places_.rows[i], maps_x, y, with_label, stop));
      y += places_.rows[i].height + Extra(places_.rows[i]);
    }
    return y - RowGap() + 20.0 * style_.unit;
  }

  // Rounding cells to whole pixels leaves room, which widens the gaps a little, equally in both
  // directions.
  void SpreadRows() {
    std::int64_t slots = 1;
    bool aligned = true;
    for (const RowPlaces& row : places_.rows) {
      aligned = aligned && row.slots == places_.rows[0].slots;
      slots = std::max(slots, row.slots);
    }
    const double size = page_.size_px;
    const auto rows = static_cast<double>(places_.rows.size());
    double extra = 1.5 * gap_;
    if (rows > 1.0) {
      extra = std::min(extra, (size - NaturalHeight()) / (rows - 1.0));
    }
    if (aligned && slots > 1) {
      const double room = size - 2.0 * style_.margin - label_width_ - places_.frame;
      extra = std::min(extra, room / static_cast<double>(slots - 1));
    }
    extra = std::floor(extra);
    if (extra < 1.0) {
      return;
    }
    if (aligned) {
      places_.frame += extra * static_cast<double>(slots - 1);
      gap_ += extra;
      for (RowPlaces& row : places_.rows) {
        row.gap += extra;
      }
    } else {
      row_gap_ = extra;
    }
    places_.maps_height += extra * (rows - 1.0);
  }

  double NaturalHeight() {
    return std::ceil(Heading() + header_ + places_.maps_height + 20.0 * style_.unit +
                     FooterHeight() + 2.0 * style_.margin);
  }

  double Heading() { return HeadingHeight(content_width_); }
  double FooterHeight() {
    return footer_.Layout(content_width_, PoolingNote(places_.pooled_by, content_.pool));
  }

  // Places every row with maps at most `cap` pixels high; returns the sum of the heights.
  PagePlaces PlaceRows(double most_width, double cap) {
    PagePlaces places;
    for (const FigureRow& row : content_.rows) {
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
      own.titled = content_.column_labels.empty() && TitlesFit(row, pitch);
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

  bool TitlesFit(const FigureRow& row, double width) {
    bool any = false;
    for (const FigureMap& map : row.maps) {
      const double wide = setter_.Measure(map.title, style_.small).width;
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
  // Returns the height that a row needs in addition to its maps.
  [[nodiscard]] double Extra(const RowPlaces& row) const {
    return RowGap() + (row.titled ? TitleHeight() + std::round(4.0 * style_.unit) : 0.0);
  }

  // Finds the largest maps with which all rows fit.
  bool FitRows(double most_width, double most_height, PagePlaces* places) {
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

  [[nodiscard]] double Middle(const RowPlaces& row, std::size_t index) const {
    const double pitch = (places_.frame + row.gap) / static_cast<double>(row.slots);
    return pitch * (static_cast<double>(index) + 0.5) - row.gap / 2.0;
  }

  void DrawColumnLabels(Canvas* canvas, double x, double y) {
    if (content_.column_labels.empty() || places_.rows.empty()) {
      return;
    }
    const ThemeColors& colors = ColorsOf(page_.theme);
    const RowPlaces& row = places_.rows[0];
    double widest = 0.0;
    for (const std::string& label : content_.column_labels) {
      widest = std::max(widest, setter_.Measure(label, style_.small).width);
    }
    const double pitch = (places_.frame + row.gap) / static_cast<double>(row.slots);
    const auto stride =
        static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 4.0 * style_.unit) / pitch)));
    for (std::size_t i = 0; i < content_.column_labels.size(); i += stride) {
      canvas->TextCentered(
          x + Middle(row, i), y, content_.column_labels[i], style_.small, colors.muted);
    }
  }

  void DrawLabel(Canvas* canvas, const FigureRow& row, double maps_x, double middle) {
    const ThemeColors& colors = ColorsOf(page_.theme);
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
                 double maps_x,
                 double y,
                 bool with_label,
                 const std::stop_token& stop) {
    const ThemeColors& colors = ColorsOf(page_.theme);
    const double map_top = std::round(y + (places.titled ? TitleHeight() : 0.0) +
                                      (places.height - places.tallest) / 2.0);
    if (with_label) {
      DrawLabel(canvas, row, maps_x, map_top + places.tallest / 2.0);
    }
    for (std::size_t i = 0; i < row.maps.size(); ++i) {
      const FigureMap& map = row.maps[i];
      const MapPicture& picture = places.pictures[i];
      const int x =
          static_cast<int>(std::round(maps_x + Middle(places, i) - picture.width() / 2.0));
      if (places.titled) {
        canvas->Text(x, y, map.title, style_.small, colors.text);
      }
      const int top = static_cast<int>(map_top);
      canvas->Frame(x, top, picture.width(), picture.height(), 1.0, colors.line);
      HEADSCOPE_TRY(DrawPicture(canvas, x, top, picture, map, content_.pool, page_.theme, stop));
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

  const MapRowsContent& content_;
  PagePlaces places_;
  double content_width_ = 0.0;
  double label_width_ = 0.0;
  double header_ = 0.0;
  double gap_ = 0.0;
  double row_gap_ = 0.0;  // additional space between rows
  bool flagged_ = false;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> MapRows::LayOut(TextSetter* setter) const {
  return std::make_unique<MapRowsLayout>(page(), content(), setter);
}
template class PageFigure<MapRowsContent>;

}  // namespace headscope

#include "core/figure/score_map.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/figure/page_layout.h"

namespace headscope {
namespace {

// A role that some head of the map has.
struct MapRole {
  std::uint32_t rgb = 0;
  std::string role;
  bool is_suggested = false;
  friend bool operator==(const MapRole&, const MapRole&) = default;
};

std::vector<MapRole> RolesIn(const ScoreMapContent& content) {
  std::vector<MapRole> roles;
  for (const ScoreCell& cell : content.cells) {
    const MapRole role{cell.rgb.value_or(0), cell.role, cell.is_suggested};
    if (cell.rgb && std::ranges::find(roles, role) == roles.end()) {
      roles.push_back(role);
    }
  }
  return roles;
}

Rgb InkOn(Rgb ground, const ThemeColors& colors) {
  const double light = 0.299 * ground.r + 0.587 * ground.g + 0.114 * ground.b;
  const auto brightness = [](Rgb rgb) { return 0.299 * rgb.r + 0.587 * rgb.g + 0.114 * rgb.b; };
  return std::abs(light - brightness(colors.text)) > std::abs(light - brightness(colors.background))
             ? colors.text
             : colors.background;
}

Rgb Mixed(Rgb under, Rgb over, double share) {
  const auto mix = [share](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
  };
  return {mix(under.r, over.r), mix(under.g, over.g), mix(under.b, over.b)};
}

class ScoreMapLayout final : public PageLayout {
 public:
  ScoreMapLayout(const FigurePage& page, const ScoreMapContent& content, TextSetter* setter)
      : PageLayout(page, {.maps = {}}, setter),
        content_(content),
        colors_(ColorsOf(page.theme)),
        roles_(RolesIn(content)) {}

  Status Place() override {
    constexpr double kWidest = 96.0;  // of a cell, unscaled
    constexpr double kLeastContent = 0.62;
    const auto layers = static_cast<double>(content_.heads.layers);
    const auto heads = static_cast<double>(content_.heads.heads);
    const double room = page_.size_px - 2.0 * style_.margin;
    const std::string longest = LayerName({content_.heads.part, content_.heads.layers - 1});
    left_ = std::ceil(setter_.Measure(longest, style_.small).width + 10.0 * unit());
    top_ = std::ceil(setter_.Measure("H0", style_.small).height + 5.0 * unit());
    cell_x_ = std::floor(std::min((room - left_) / heads, kWidest * unit()));
    wide_ = std::max(left_ + cell_x_ * heads, kLeastContent * page_.size_px);
    words_ = setter_.Wrap(content_.words, style_.caption, wide_ - left_);
    LayOutRoles();
    const double around = HeadingHeight(wide_) + top_ + BelowGrid() + footer_.Layout(wide_, "");
    cell_y_ = std::floor(std::min((room - around) / layers, 0.6 * cell_x_));
    constexpr double kSmallest = 3.0;
    if (cell_x_ < kSmallest || cell_y_ < kSmallest) {
      return TooSmall(page_);
    }
    return SetSize(wide_,
                   std::ceil(wide_ + 2.0 * style_.margin),
                   std::ceil(cell_y_ * layers + around + 2.0 * style_.margin));
  }

 private:
  [[nodiscard]] double unit() const { return style_.unit; }
  [[nodiscard]] double line() const { return std::ceil(1.45 * style_.caption.size_px); }
  [[nodiscard]] double BarHeight() const { return std::round(10.0 * unit()); }
  [[nodiscard]] double BelowGrid() const {
    const double bar = page_.look.has_bar ? 14.0 * unit() + BarHeight() + 1.6 * style_.small.size_px
                                          : 8.0 * unit();
    return std::ceil(bar + line() * static_cast<double>(words_.size() + role_lines_) +
                     20.0 * unit());
  }

  struct RolePlace {
    double x = 0.0;
    std::size_t line = 0;
  };
  [[nodiscard]] std::string RoleWords(const MapRole& role) const {
    return role.role + (role.is_suggested ? ", suggested" : "");
  }
  // Beside each other as far as there is room.
  void LayOutRoles() {
    places_.clear();
    double x = left_;
    std::size_t row = 0;
    for (const MapRole& role : roles_) {
      const double width = 32.0 * unit() + setter_.Measure(RoleWords(role), style_.caption).width;
      if (x > left_ && x + width > wide_) {
        x = left_;
        ++row;
      }
      places_.push_back({x, row});
      x += width;
    }
    role_lines_ = roles_.empty() ? 0 : row + 1;
  }

  void DrawRole(Canvas* canvas, double x, double y, std::uint32_t rgb, bool is_suggested) const {
    const double radius = 4.0 * unit();
    canvas->Circle(x, y, radius + unit(), 0.0, colors_.background, 1.0);
    if (is_suggested) {
      canvas->Circle(x, y, radius - unit(), 2.0 * unit(), RgbOf(rgb), 1.0);
    } else {
      canvas->Circle(x, y, radius, 0.0, RgbOf(rgb), 1.0);
    }
  }

  void DrawCell(Canvas* canvas, double x, double y, const ScoreCell& cell) const {
    const double gap = std::min(std::round(2.0 * unit()), std::floor(cell_x_ / 4.0));
    const double wide = cell_x_ - gap;
    const double tall = cell_y_ - std::min(gap, std::floor(cell_y_ / 4.0));
    Rgb color = colors_.raised;
    if (cell.at) {
      const auto table = ColormapTable(content_.colormap, page_.theme);
      color = table[static_cast<std::size_t>(std::lround(*cell.at * (kColormapSize - 1)))];
    }
    if (cell.is_faint) {
      color = Mixed(colors_.background, color, 0.2);
    }
    if (!cell.words.empty()) {
      const double thick = std::max(1.0, std::round(1.5 * unit()));
      canvas->FillRounded(x - thick,
                          y - thick,
                          wide + 2.0 * thick,
                          tall + 2.0 * thick,
                          3.0 * unit() + thick,
                          colors_.text);
    }
    canvas->FillRounded(x, y, wide, tall, 3.0 * unit(), color);
    const TextExtent extent = setter_.Measure(cell.words, style_.small);
    if (!cell.words.empty() && extent.width + 6.0 * unit() < wide && extent.height < tall) {
      canvas->TextCentered(x + wide / 2.0,
                           y + (tall - extent.height) / 2.0,
                           cell.words,
                           style_.small,
                           InkOn(color, colors_));
    }
    if (cell.rgb && wide >= 14.0 * unit() && tall >= 12.0 * unit()) {
      DrawRole(canvas, x + wide - 6.0 * unit(), y + 6.0 * unit(), *cell.rgb, cell.is_suggested);
    }
  }

  [[nodiscard]] double MiddleOf(std::int64_t column) const {
    return left_ + (static_cast<double>(column) + 0.5) * cell_x_;
  }
  [[nodiscard]] bool HasOutlined(std::int64_t column) const {
    for (std::int64_t row = 0; row < content_.heads.layers; ++row) {
      const std::size_t place = content_.heads.PlaceOf({row, column});
      if (place < content_.cells.size() && !content_.cells[place].words.empty()) {
        return true;
      }
    }
    return false;
  }

  // Those over outlined cells first; of the others those that touch none.
  void DrawColumnNames(Canvas* canvas, double x, double y) const {
    std::vector<std::int64_t> order(content_.columns.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_partition(order, [this](std::int64_t at) { return HasOutlined(at); });
    std::vector<std::pair<double, double>> taken;
    for (const std::int64_t column : order) {
      const std::string& name = content_.columns[static_cast<std::size_t>(column)];
      const double half = setter_.Measure(name, style_.small).width / 2.0 + 3.0 * unit();
      const double middle = MiddleOf(column);
      const bool is_free = std::ranges::none_of(taken, [&](const auto& other) {
        return middle - half < other.second && middle + half > other.first;
      });
      if (is_free) {
        taken.emplace_back(middle - half, middle + half);
        canvas->TextCentered(x + middle, y, name, style_.small, colors_.dim);
      }
    }
  }

  // Names that would touch are left out, evenly.
  void DrawNames(Canvas* canvas, double x, double y) const {
    const double height = setter_.Measure("H0", style_.small).height;
    const double name = setter_.Measure("H00", style_.small).width + 6.0 * unit();
    const auto every = [](double needed, double cell) {
      return std::max<std::int64_t>(1, std::lround(std::ceil(needed / cell)));
    };
    for (std::int64_t head = 0; content_.columns.empty() && head < content_.heads.heads;
         head += every(name, cell_x_)) {
      canvas->TextCentered(
          x + MiddleOf(head), y, fmt::format("H{}", head), style_.small, colors_.dim);
    }
    DrawColumnNames(canvas, x, y);
    for (std::int64_t layer = 0; layer < content_.heads.layers; layer += every(height, cell_y_)) {
      canvas->TextRight(x + left_ - 8.0 * unit(),
                        y + top_ + (static_cast<double>(layer) + 0.5) * cell_y_ - height / 2.0,
                        LayerName({content_.heads.part, layer}),
                        style_.small,
                        colors_.dim);
    }
  }

  // Returns where what is below it begins.
  double DrawBarAndWords(Canvas* canvas, double x, double y) const {
    y = page_.look.has_bar ? DrawBar(canvas, x, y) : y + 8.0 * unit();
    for (const std::string& words : words_) {
      canvas->Text(x, y, words, style_.caption, colors_.muted);
      y += line();
    }
    return y;
  }
  double DrawBar(Canvas* canvas, double x, double y) const {
    const double wide = std::round(std::min(220.0 * unit(), wide_ - left_));
    const double thick = std::max(1.0, std::round(unit()));
    y = std::round(y + 14.0 * unit());
    canvas->Gradient(std::round(x),
                     y,
                     wide,
                     BarHeight(),
                     thick,
                     ColormapTable(content_.colormap, page_.theme),
                     colors_.line);
    if (content_.mark) {
      canvas->Fill(std::round(x + static_cast<double>(*content_.mark) * wide) - thick,
                   y - 2.0 * thick,
                   2.0 * thick,
                   BarHeight() + 4.0 * thick,
                   colors_.text);
    }
    y += BarHeight() + 3.0 * unit();
    canvas->Text(x, y, content_.low, style_.small, colors_.muted);
    canvas->TextRight(x + wide, y, content_.high, style_.small, colors_.muted);
    return y + 1.6 * style_.small.size_px;
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    x = std::round(x);
    y = std::round(y);
    DrawNames(canvas, x, y);
    for (std::size_t place = 0; place < content_.cells.size(); ++place) {
      const HeadIndex head = content_.heads.At(place);
      DrawCell(canvas,
               x + left_ + static_cast<double>(head.head) * cell_x_,
               y + top_ + static_cast<double>(head.layer) * cell_y_,
               content_.cells[place]);
    }
    const double below = y + top_ + static_cast<double>(content_.heads.layers) * cell_y_;
    const double roles = DrawBarAndWords(canvas, x + left_, below);
    for (std::size_t i = 0; i < roles_.size(); ++i) {
      const double at = x + places_[i].x;
      const double middle = roles + (static_cast<double>(places_[i].line) + 0.5) * line();
      DrawRole(canvas, at + 5.0 * unit(), middle, roles_[i].rgb, roles_[i].is_suggested);
      const std::string words = RoleWords(roles_[i]);
      canvas->Text(at + 14.0 * unit(),
                   middle - setter_.Measure(words, style_.caption).height / 2.0,
                   words,
                   style_.caption,
                   colors_.muted);
    }
    return below + BelowGrid();
  }

  const ScoreMapContent& content_;
  const ThemeColors& colors_;
  std::vector<MapRole> roles_;
  std::vector<RolePlace> places_;
  std::size_t role_lines_ = 0;
  std::vector<std::string> words_;
  double left_ = 0.0;
  double top_ = 0.0;
  double cell_x_ = 0.0;
  double cell_y_ = 0.0;
  double wide_ = 0.0;
};

}  // namespace

Colormap ColormapOf(const ScoreRange& range, Colormap chosen) {
  return range.is_signed ? Colormap::kDiverging : chosen;
}

Rgb ColorOfScore(const ScoreRange& range, Colormap chosen, Theme theme, double score) {
  const auto table = ColormapTable(ColormapOf(range, chosen), theme);
  return table[static_cast<std::size_t>(std::lround(range.At(score) * (kColormapSize - 1)))];
}

std::string LowWords(const ScoredMetric& metric, const ScoreRange& range) {
  const bool is_chance = !range.chance && !range.is_signed;
  return (is_chance ? "chance " : "") + ToldText(metric, range.low);
}

std::string ScoreMapWords(const ScoredMetric& metric,
                          const ScoreRange& range,
                          std::string_view source) {
  std::string words = fmt::format("{} on {}", metric.name, source);
  if (range.chance && !range.is_signed) {
    words += fmt::format("; line: chance {}", ToldText(metric, *range.chance));
  } else if (!range.is_signed) {
    words += "; darkest: chance or less";
  }
  return words + fmt::format("; outlined: the top {}; dot: flag, ring: suggestion", kTopHeads);
}

template <>
std::unique_ptr<PageLayout> ScoreMap::LayOut(TextSetter* setter) const {
  return std::make_unique<ScoreMapLayout>(page(), content(), setter);
}
template class PageFigure<ScoreMapContent>;

}  // namespace headscope

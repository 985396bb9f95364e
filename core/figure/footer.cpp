#include "core/figure/footer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace headscope {
namespace {

struct Tick {
  double at = 0.0;  // along the bar, 0 to 1
  std::string text;
};

std::string TickNumber(double value) {
  return ShortNumber(value, 3);
}

// Both ends come first: ticks in between are dropped if they collide.
std::vector<Tick> TicksOf(const ColorScale& scale, bool same) {
  if (scale.range == RangeMode::kRow) {
    return {{0.0, "0"}, {1.0, "row's largest"}};
  }
  if (!same) {
    return {{0.0, TickNumber(static_cast<double>(scale.low))}, {1.0, "largest"}};
  }
  const double low = static_cast<double>(scale.low);
  const double high = static_cast<double>(scale.high);
  std::vector<Tick> ticks;
  if (scale.curve == Curve::kLog) {
    const double floor = std::max(low, static_cast<double>(kLogFloor));
    ticks.push_back({0.0, low < floor ? "\u2264" + TickNumber(floor) : TickNumber(floor)});
    ticks.push_back({1.0, TickNumber(high)});
    for (int power = -1; power > -6; --power) {
      const double value = std::pow(10.0, power);
      if (value > floor && value < high) {
        ticks.push_back(
            {static_cast<double>(Position(scale, static_cast<float>(value))), TickNumber(value)});
      }
    }
    return ticks;
  }
  ticks.push_back({0.0, TickNumber(low)});
  ticks.push_back({1.0, TickNumber(high)});
  for (const double part : {0.5, 0.25, 0.1, 0.75, 0.01}) {
    const double value = low + part * (high - low);
    ticks.push_back(
        {static_cast<double>(Position(scale, static_cast<float>(value))), TickNumber(value)});
  }
  return ticks;
}

std::string WordsOf(const ColorScale& scale, bool same, std::size_t maps) {
  const bool own = maps > 1 && scale.range == RangeMode::kHead;
  if ((same && !own) || scale.range == RangeMode::kRow) {
    return Describe(scale);
  }
  return fmt::format("{}, 0 to the largest of each {}'s rows that see two keys or more",
                     CurveWords(scale.curve),
                     scale.range == RangeMode::kLayer ? "layer" : "head");
}

}  // namespace

Footer::Footer(const FigurePage& page,
               const FigureStyle& style,
               const FooterContent& content,
               TextSetter* setter)
    : page_(page),
      style_(style),
      content_(content),
      setter_(setter),
      scale_(content.maps.empty() ? ColorScale{} : content.maps.front()->scale),
      table_style_(style.table) {
  for (const FigureMap* map : content.maps) {
    same_ = same_ && map->scale == scale_;
    masked_ = masked_ || (map->view.layer != nullptr && map->view.has_masked()) ||
              std::any_of(map->weights.begin(), map->weights.end(), [](float weight) {
                return !(weight >= 0.0F);
              });
    sink_ = sink_ || map->has_sink;
    const bool known = content.flags_in_heading || map->flag_rgb == 0 ||
                       std::any_of(legend_.begin(), legend_.end(), [&map](const NamedInk& entry) {
                         return entry.name == map->flag_role && entry.color == RgbOf(map->flag_rgb);
                       });
    if (!known) {
      legend_.push_back({RgbOf(map->flag_rgb), map->flag_role});
    }
  }
  masked_ = masked_ && !content.ink;
  legend_.insert(legend_.end(), content.inks.begin(), content.inks.end());
  line_ = std::ceil(1.45 * style.caption.size_px);
}

double Footer::TableWidth(const TextStyle& style, std::vector<double>* columns) const {
  columns->clear();
  for (const auto& row : content_.table) {
    columns->resize(std::max(columns->size(), row.size()), 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      (*columns)[i] = std::max((*columns)[i], setter_->Measure(row[i], style).width);
    }
  }
  double width = 0.0;
  for (const double column : *columns) {
    width += column + 1.8 * style.size_px;
  }
  return width;
}

double Footer::Layout(double width, const std::string& pooling_note) {
  width_ = width;
  const double unit = style_.unit;
  bar_width_ = std::floor(std::min(0.4 * width, 280.0 * unit));
  const double words_width = width - bar_width_ - 20.0 * unit - (masked_ ? 84.0 * unit : 0.0);
  words_ = setter_->Wrap(
      WordsOf(scale_, same_, content_.maps.size()), style_.caption, std::max(words_width, 80.0));
  const double ticks = 10.0 * unit + 7.0 * unit + 1.3 * style_.small.size_px;
  bar_height_ = !HasBar() ? 0.0 : std::max(ticks, line_ * static_cast<double>(words_.size()));
  double height = bar_height_;
  if (!legend_.empty()) {
    LayOutLegend();
    height += 10.0 * unit + line_ * static_cast<double>(legend_lines_.size());
  }
  if (!content_.table.empty()) {
    table_style_ = style_.table;
    const double natural = TableWidth(table_style_, &table_columns_);
    if (natural > width) {
      table_style_.size_px *= width / natural;
      TableWidth(table_style_, &table_columns_);
    }
    height += 14.0 * unit + 1.6 * table_style_.size_px * static_cast<double>(content_.table.size());
  }
  caption_.clear();
  if (!page_.caption.empty()) {
    caption_ = setter_->Wrap(page_.caption, style_.caption, width);
    height += 14.0 * unit + line_ * static_cast<double>(caption_.size());
  }
  std::vector<std::string> notes = page_.notes;
  if (!pooling_note.empty() && page_.look.has_caption) {
    notes.push_back(pooling_note);
  }
  if (sink_ && page_.look.has_caption) {
    notes.emplace_back("Rows add up to less than 1: each head's sink takes the rest.");
  }
  notes_.clear();
  for (const std::string& note : notes) {
    std::ranges::move(setter_->Wrap(note, style_.caption, width), std::back_inserter(notes_));
  }
  if (!notes_.empty()) {
    height += 6.0 * unit + line_ * static_cast<double>(notes_.size());
  }
  return std::ceil(height);
}

void Footer::DrawBar(Canvas* canvas, double x, double y) const {
  const double unit = style_.unit;
  const ThemeColors& colors = ColorsOf(page_.theme);
  std::array<Rgb, kColormapSize> of_ink = {};
  if (content_.ink) {
    of_ink = InkTable(colors.background, *content_.ink);
  }
  const auto table = content_.ink ? std::span<const Rgb, kColormapSize>(of_ink)
                                  : ColormapTable(scale_.colormap, page_.theme);
  const double thick = std::max(1.0, std::round(unit));
  const double bar_x = std::round(x);
  const double bar_y = std::round(y);
  const double bar_tall = std::round(10.0 * unit);
  canvas->Gradient(bar_x, bar_y, bar_width_, bar_tall, thick, table, colors.line);
  struct Span {
    double begin = 0.0;
    double end = 0.0;
  };
  std::vector<Span> taken;
  for (const Tick& tick : TicksOf(scale_, same_)) {
    const double wide = setter_->Measure(tick.text, style_.small).width;
    const double at = bar_x + tick.at * bar_width_;
    const double begin = std::clamp(at - wide / 2.0, bar_x, bar_x + bar_width_ - wide);
    const bool free = std::none_of(taken.begin(), taken.end(), [&](const Span& span) {
      return begin < span.end + 8.0 * unit && span.begin < begin + wide + 8.0 * unit;
    });
    if (!free) {
      continue;
    }
    taken.push_back({begin, begin + wide});
    const double tick_x =
        std::clamp(std::round(at - thick / 2.0), bar_x, bar_x + bar_width_ - thick);
    canvas->Fill(tick_x, bar_y + bar_tall + thick, thick, std::round(3.0 * unit), colors.dim);
    canvas->Text(begin, bar_y + bar_tall + 5.0 * unit, tick.text, style_.small, colors.muted);
  }
  const double words_x = bar_x + bar_width_ + 20.0 * unit;
  double words_end = words_x;
  double line_y = y + bar_tall / 2.0 - 0.6 * style_.caption.size_px;
  for (const std::string& words : words_) {
    canvas->Text(words_x, line_y, words, style_.caption, colors.muted);
    words_end = std::max(words_end, words_x + setter_->Measure(words, style_.caption).width);
    line_y += line_;
  }
  if (masked_) {
    const double swatch = std::round(10.0 * unit);
    const double swatch_x = std::round(words_end + 18.0 * unit);
    canvas->Frame(swatch_x, bar_y, swatch, swatch, thick, colors.line);
    canvas->Fill(swatch_x, bar_y, swatch, swatch, MaskedColor(page_.theme));
    canvas->Text(swatch_x + swatch + 7.0 * unit,
                 y + bar_tall / 2.0 - 0.6 * style_.caption.size_px,
                 page_.masked_word,
                 style_.caption,
                 colors.muted);
  }
}

namespace {

// Of an entry of the legend, before and after its words.
constexpr double kBeforeEntry = 22.0;
constexpr double kAfterEntry = 18.0;

std::string NameOf(const NamedInk& entry) {
  return entry.name.empty() ? "flagged" : entry.name;
}

}  // namespace

void Footer::LayOutLegend() {
  legend_lines_ = {0};
  double at = 0.0;
  for (std::size_t i = 0; i < legend_.size(); ++i) {
    const double width = (kBeforeEntry + kAfterEntry) * style_.unit +
                         setter_->Measure(NameOf(legend_[i]), style_.caption).width;
    if (at > 0.0 && at + width - kAfterEntry * style_.unit > width_) {
      legend_lines_.push_back(i);
      at = 0.0;
    }
    at += width;
  }
}

double Footer::DrawLegend(Canvas* canvas, double x, double y) const {
  if (legend_.empty()) {
    return y;
  }
  const double unit = style_.unit;
  y += 10.0 * unit;
  TextStyle style = style_.caption;
  style.max_width_px = std::max(20.0, width_ - (kBeforeEntry + kAfterEntry) * unit);
  double at = x;
  for (std::size_t i = 0; i < legend_.size(); ++i) {
    if (i > 0 && std::ranges::find(legend_lines_, i) != legend_lines_.end()) {
      at = x;
      y += line_;
    }
    canvas->FillRounded(at,
                        std::round(y + line_ / 2.0 - 1.5 * unit),
                        16.0 * unit,
                        3.0 * unit,
                        1.5 * unit,
                        legend_[i].color);
    const std::string text = NameOf(legend_[i]);
    canvas->Text(at + kBeforeEntry * unit,
                 y + (line_ - 1.2 * style.size_px) / 2.0,
                 text,
                 style,
                 ColorsOf(page_.theme).muted);
    at += (kBeforeEntry + kAfterEntry) * unit + setter_->Measure(text, style).width;
  }
  return y + line_;
}

double Footer::DrawTable(Canvas* canvas, double x, double y) const {
  if (content_.table.empty()) {
    return y;
  }
  const ThemeColors& colors = ColorsOf(page_.theme);
  y += 14.0 * style_.unit;
  for (std::size_t row = 0; row < content_.table.size(); ++row) {
    const bool marked = static_cast<std::int64_t>(row) == content_.marked_table_row;
    const Rgb color = row == 0 ? colors.dim : (marked ? colors.accent : colors.text);
    double right = x;
    for (std::size_t i = 0; i < content_.table[row].size(); ++i) {
      right += table_columns_[i] + (i > 0 ? 1.8 * table_style_.size_px : 0.0);
      canvas->TextRight(right, y, content_.table[row][i], table_style_, color);
    }
    y += 1.6 * table_style_.size_px;
  }
  return y;
}

double Footer::DrawLines(
    Canvas* canvas, double x, double y, const std::vector<std::string>& lines, Rgb color) const {
  for (const std::string& text : lines) {
    canvas->Text(x, y, text, style_.caption, color);
    y += line_;
  }
  return y;
}

void Footer::Draw(Canvas* canvas, double x, double y) const {
  const ThemeColors& colors = ColorsOf(page_.theme);
  if (HasBar()) {
    DrawBar(canvas, x, y);
  }
  y = DrawLegend(canvas, x, y + bar_height_);
  y = DrawTable(canvas, x, y);
  if (!caption_.empty()) {
    y = DrawLines(canvas, x, y + 14.0 * style_.unit, caption_, colors.text);
  }
  if (!notes_.empty()) {
    DrawLines(canvas, x, y + 6.0 * style_.unit, notes_, colors.dim);
  }
}

}  // namespace headscope

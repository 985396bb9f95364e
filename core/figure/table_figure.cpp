#include "core/figure/table_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/figure/page_layout.h"

namespace headscope {
namespace {

constexpr double kRowOfSize = 1.6;  // of the letters
constexpr double kSmallestRow = 8.5;

class TableLayout final : public PageLayout {
 public:
  TableLayout(const FigurePage& page, const TableContent& content, TextSetter* setter)
      : PageLayout(page, {.maps = {}}, setter), content_(content), table_(content.table) {}

  Status Place() override {
    const double room = page_.size_px - 2.0 * style_.margin;
    words_ = style_.caption;
    rows_ = table_.rows.size();
    for (;;) {
      MeasureColumns();
      const double footer = footer_.Layout(std::min(room, std::max(natural_, 0.5 * room)), Note());
      const double around = HeadingHeight(room) + footer + Row() + Gap();
      const double tall = Row() * static_cast<double>(rows_) + around;
      if (natural_ <= room && tall <= room) {
        const double wide = std::max(natural_, 0.5 * room);
        return SetSize(
            wide, std::ceil(wide + 2.0 * style_.margin), std::ceil(tall + 2.0 * style_.margin));
      }
      if (words_.size_px > kSmallestRow) {
        words_.size_px = std::max(kSmallestRow, 0.95 * words_.size_px);
      } else if (natural_ > room || rows_ <= 1) {
        return TooSmall(page_);
      } else {
        const auto fit =
            static_cast<std::size_t>(std::max(1.0, (room - around - 2.0 * Row()) / Row()));
        rows_ = std::min(rows_ - 1, fit);
      }
    }
  }

 private:
  [[nodiscard]] double Row() const { return std::ceil(kRowOfSize * words_.size_px); }
  [[nodiscard]] double Gap() const { return 20.0 * style_.unit; }
  [[nodiscard]] double Between() const { return 1.6 * words_.size_px; }
  [[nodiscard]] double Dot() const { return content_.dots.empty() ? 0.0 : 1.2 * words_.size_px; }
  [[nodiscard]] TextStyle StyleOf(std::size_t column) const {
    TextStyle style = words_;
    style.family =
        table_.columns[column].is_number || column == 0 ? FontFamily::kMono : FontFamily::kSans;
    return style;
  }
  [[nodiscard]] std::string Note() const {
    return rows_ < table_.rows.size()
               ? fmt::format("The first {} of {}; a file of numbers holds all.",
                             rows_,
                             Counted(table_.rows.size(), "row"))
               : "";
  }

  void MeasureColumns() {
    widths_.assign(table_.columns.size(), 0.0);
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      widths_[i] = setter_.Measure(table_.columns[i].name, words_).width;
      for (std::size_t row = 0; row < rows_; ++row) {
        widths_[i] =
            std::max(widths_[i], setter_.Measure(table_.rows[row][i].words, StyleOf(i)).width);
      }
      widths_[i] = std::ceil(widths_[i]);
    }
    natural_ = Dot() - Between();
    for (const double width : widths_) {
      natural_ += width + Between();
    }
  }

  void DrawCell(Canvas* canvas,
                double x,
                double y,
                std::size_t column,
                const std::string& words,
                const TextStyle& style,
                Rgb color) const {
    const double middle = y + (Row() - setter_.Measure(words, style).height) / 2.0;
    if (table_.columns[column].is_number) {
      canvas->TextRight(x + widths_[column], middle, words, style, color);
    } else {
      canvas->Text(x, middle, words, style, color);
    }
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    const ThemeColors& colors = ColorsOf(page_.theme);
    const double thick = std::max(1.0, std::round(style_.unit));
    double at = x + Dot();
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      DrawCell(canvas, at, y, i, table_.columns[i].name, words_, colors.dim);
      for (std::size_t row = 0; row < rows_; ++row) {
        const double top = y + Row() * static_cast<double>(row + 1);
        DrawCell(canvas,
                 at,
                 top,
                 i,
                 table_.rows[row][i].words,
                 StyleOf(i),
                 i == 0 ? colors.text : colors.muted);
      }
      at += widths_[i] + Between();
    }
    canvas->Fill(
        std::round(x), std::round(y + Row()) - thick, std::round(natural_), thick, colors.line);
    for (std::size_t row = 0; row < std::min(rows_, content_.dots.size()); ++row) {
      if (content_.dots[row]) {
        canvas->Circle(x + 0.4 * words_.size_px,
                       y + Row() * (static_cast<double>(row) + 1.5),
                       0.3 * words_.size_px,
                       0.0,
                       RgbOf(*content_.dots[row]),
                       1.0);
      }
    }
    return y + Row() * static_cast<double>(rows_ + 1) + Gap();
  }

  const TableContent& content_;
  const Table& table_;
  TextStyle words_;
  std::size_t rows_ = 0;
  std::vector<double> widths_;
  double natural_ = 0.0;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> TableFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<TableLayout>(page(), content(), setter);
}
template class PageFigure<TableContent>;

}  // namespace headscope

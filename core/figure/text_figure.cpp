#include "core/figure/text_figure.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "core/figure/page_layout.h"
#include "core/figure/text_block.h"

namespace headscope {
namespace {

class TextLayout final : public PageLayout {
 public:
  TextLayout(const FigurePage& page, const TextContent& content, TextSetter* setter)
      : PageLayout(
            page,
            {.maps = {&content.map}, .flags_in_heading = true, .ink = ColorsOf(page.theme).accent},
            setter),
        content_(content) {}

  Status Place() override {
    const double size = page_.size_px;
    wide_ = size - 2.0 * style_.margin;
    about_ = setter_.Wrap(content_.about, style_.caption, wide_);
    const auto around = [&](const std::string& note) {
      return HeadingHeight(wide_) + AboutHeight() + 20.0 * style_.unit +
             footer_.Layout(wide_, note) + 2.0 * style_.margin;
    };
    // Large letters, as far as the whole text finds room.
    words_ = {.family = FontFamily::kSans, .size_px = 1.5 * style_.largest_token};
    tall_ = WrapWords();
    double room = size - around("");
    while (tall_ > room && words_.size_px > style_.smallest_token) {
      words_.size_px = std::max(style_.smallest_token, 0.93 * words_.size_px);
      tall_ = WrapWords();
    }
    if (tall_ > room) {
      room = size - around(CutNote(places_.size()));
      const double lines = std::floor(room / Line());
      if (lines < 1.0) {
        return TooSmall(page_);
      }
      tall_ = lines * Line();
      std::erase_if(places_, [&](const Word& word) { return word.y >= tall_; });
      around(CutNote(places_.size()));
    }
    tall_ = std::ceil(tall_);
    const double whole = size - room;
    return SetSize(wide_, size, std::ceil(tall_ + whole));
  }

 private:
  struct Word {
    double x = 0.0;
    double y = 0.0;
    double width = 0.0;
  };

  [[nodiscard]] std::string CutNote(std::size_t shown) const {
    return fmt::format("The text is longer than the page: its first {} of {} tokens are shown.",
                       shown,
                       content_.tokens.size());
  }
  [[nodiscard]] double Line() const { return std::ceil(1.75 * words_.size_px); }
  [[nodiscard]] double AboutHeight() const {
    return std::ceil(1.45 * style_.caption.size_px) * static_cast<double>(about_.size()) +
           10.0 * style_.unit;
  }

  // Returns the height.
  double WrapWords() {
    const double pad = std::round(0.25 * words_.size_px);
    std::string text;
    places_.clear();
    double x = 0.0;
    double y = 0.0;
    for (const std::string& token : content_.tokens) {
      text += token + " ";
      const double width =
          std::min(wide_, std::ceil(setter_.Measure(token, words_).width) + 2.0 * pad);
      if (x > 0.0 && x + width > wide_) {
        x = 0.0;
        y += Line();
      }
      places_.push_back({x, y, width});
      x += width + std::round(0.1 * words_.size_px);
    }
    if (TextBlock::DirectionOf(text) == TextBlock::Direction::kRightToLeft) {
      for (Word& word : places_) {
        word.x = wide_ - word.x - word.width;
      }
    }
    return y + Line();
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    const ThemeColors& colors = ColorsOf(page_.theme);
    x = std::round(x);
    double line = y;
    for (const std::string& words : about_) {
      canvas->Text(x, line, words, style_.caption, colors.muted);
      line += std::ceil(1.45 * style_.caption.size_px);
    }
    y = std::round(y + AboutHeight());
    const auto table = InkTable(colors.background, colors.accent);
    const double tall = Line() - std::round(0.2 * words_.size_px);
    const double thick = std::max(1.0, std::round(style_.unit));
    for (std::size_t token = 0; token < places_.size(); ++token) {
      const Word& word = places_[token];
      const float at = Position(content_.map.scale, content_.shades.values[token]);
      const Rgb fill =
          table[static_cast<std::size_t>(std::lround(at * static_cast<float>(kColormapSize - 1)))];
      const bool is_asked = std::ranges::find(content_.asked, static_cast<std::int64_t>(token)) !=
                            content_.asked.end();
      if (is_asked) {
        canvas->Frame(x + word.x, y + word.y, word.width, tall, thick, colors.text);
      }
      canvas->Fill(x + word.x, y + word.y, word.width, tall, fill);
      TextStyle style = words_;
      style.max_width_px = word.width;
      const double high = setter_.Measure(content_.tokens[token], style).height;
      canvas->TextCentered(x + word.x + word.width / 2.0,
                           y + word.y + (tall - high) / 2.0,
                           content_.tokens[token],
                           style,
                           ReadableOn(colors, fill));
    }
    return y + tall_ + 20.0 * style_.unit;
  }

  const TextContent& content_;
  TextStyle words_;
  std::vector<std::string> about_;
  std::vector<Word> places_;
  double wide_ = 0.0;
  double tall_ = 0.0;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> TextFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<TextLayout>(page(), content(), setter);
}
template class PageFigure<TextContent>;

}  // namespace headscope

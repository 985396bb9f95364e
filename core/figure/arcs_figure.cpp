#include "core/figure/arcs_figure.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/figure/page_layout.h"
#include "core/figure/text_block.h"
#include "core/figure/token_arcs.h"

namespace headscope {
namespace {

class ArcsLayout final : public PageLayout {
 public:
  ArcsLayout(const FigurePage& page, const ArcsContent& content, TextSetter* setter)
      : PageLayout(page,
                   {.maps = {&content.map},
                    .flags_in_heading = true,
                    .ink = content.legend.empty() ? ColorsOf(page.theme).accent
                                                  : ColorsOf(page.theme).text,
                    .inks = content.legend},
                   setter),
        content_(content) {}

  Status Place() override {
    const double size = page_.size_px;
    wide_ = size - 2.0 * style_.margin;
    words_ = {.family = FontFamily::kSans, .size_px = 1.15 * style_.largest_token};
    const auto longest = [&] {
      return std::max(LineOf(content_.query_tokens, 0.0F).width,
                      LineOf(content_.key_tokens, 0.0F).width);
    };
    while (static_cast<double>(longest()) > wide_ && words_.size_px > style_.smallest_token) {
      words_.size_px = std::max(style_.smallest_token, 0.95 * words_.size_px);
    }
    queries_ = LineOf(content_.query_tokens, static_cast<float>(wide_));
    keys_ = LineOf(content_.key_tokens, static_cast<float>(wide_));
    line_ = std::ceil(1.5 * words_.size_px);
    const std::string note =
        queries_.is_squeezed || keys_.is_squeezed
            ? "The text is longer than its line: words that would touch others are left out."
            : "";
    const double around = HeadingHeight(wide_) + 20.0 * style_.unit + footer_.Layout(wide_, note) +
                          2.0 * style_.margin;
    // Arcs may need it above the line and below.
    const double room = std::floor(std::min(0.3 * size, (size - around - 2.0 * line_) / 2.0));
    if (room < 20.0) {
      return TooSmall(page_);
    }
    rise_ = room;
    if (!content_.is_one_text) {
      above_ = 0.0;
      tall_ = 2.0 * line_ + room;
    } else {
      // As high as the highest arcs are.
      double below = 0.0;
      above_ = line_ / 2.0;
      for (const Stroke& arc : Arcs(0.0, 0.0)) {
        above_ = std::max(above_, static_cast<double>(arc.rise) + 2.0 * style_.unit);
        below = std::max(below, 2.0 * style_.unit - static_cast<double>(arc.rise));
      }
      above_ = std::ceil(above_);
      tall_ = above_ + line_ + std::ceil(below);
    }
    return SetSize(wide_, size, std::ceil(tall_ + around));
  }

 private:
  [[nodiscard]] float Gap() const { return static_cast<float>(0.45 * words_.size_px); }

  TextLine LineOf(const std::vector<std::string>& tokens, float room) {
    std::vector<LineWord> words;
    for (const std::string& token : tokens) {
      words.push_back({static_cast<float>(setter_.Measure(token, words_).width)});
    }
    const std::string text = std::accumulate(
        tokens.begin(), tokens.end(), std::string(), [](std::string so_far, const auto& token) {
          return std::move(so_far) + token + " ";
        });
    return PlaceWords(
        words, Gap(), TextBlock::DirectionOf(text) == TextBlock::Direction::kRightToLeft, room);
  }

  // With the lines' top left at (x, y).
  std::vector<Stroke> Arcs(double x, double y) {
    const bool one = content_.is_one_text;
    const ArcsPlace place{
        .queries = &queries_,
        .keys = one ? &queries_ : &keys_,
        .left = static_cast<float>(x),
        .top = static_cast<float>(one ? y + above_ : y + line_),
        .bottom = static_cast<float>(one ? y + above_ + line_ : y + line_ + rise_),
        .rise = static_cast<float>(rise_),
        .unit = static_cast<float>(style_.unit)};
    const Rect all{static_cast<float>(x), static_cast<float>(y), static_cast<float>(wide_), 0.0F};
    return ArcsBetween(content_.kept.weights, content_.inks, place, all);
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    x = std::round(x);
    y = std::round(y);
    canvas->Strokes(Arcs(x, y),
                    {static_cast<float>(x),
                     static_cast<float>(y),
                     static_cast<float>(wide_),
                     static_cast<float>(tall_)});
    DrawWords(canvas, content_.query_tokens, queries_, x, y + above_);
    if (!content_.is_one_text) {
      DrawWords(canvas, content_.key_tokens, keys_, x, y + line_ + rise_);
    }
    return y + tall_ + 20.0 * style_.unit;
  }

  void DrawWords(Canvas* canvas,
                 const std::vector<std::string>& tokens,
                 const TextLine& line,
                 double x,
                 double y) {
    const std::vector<bool> shown = WordsWithRoom(line, Gap() / 2.0F, {});
    for (std::size_t word = 0; word < tokens.size(); ++word) {
      if (shown[word]) {
        const double tall = setter_.Measure(tokens[word], words_).height;
        canvas->TextCentered(x + static_cast<double>(line.middles[word]),
                             y + (line_ - tall) / 2.0,
                             tokens[word],
                             words_,
                             ColorsOf(page_.theme).text);
      }
    }
  }

  const ArcsContent& content_;
  TextStyle words_;
  TextLine queries_;
  TextLine keys_;
  double line_ = 0.0;  // height of a line of text
  double rise_ = 0.0;
  double above_ = 0.0;
  double wide_ = 0.0;
  double tall_ = 0.0;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> ArcsFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<ArcsLayout>(page(), content(), setter);
}
template class PageFigure<ArcsContent>;

}  // namespace headscope

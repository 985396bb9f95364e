#include "core/figure/tree_figure.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "core/figure/page_layout.h"
#include "core/figure/text_block.h"
#include "core/figure/tree_arcs.h"

namespace headscope {
namespace {

class TreeLayout final : public PageLayout {
 public:
  TreeLayout(const FigurePage& page, const TreeContent& content, TextSetter* setter)
      : PageLayout(
            page, {.maps = {&content.map}, .flags_in_heading = true, .has_bar = false}, setter),
        content_(content),
        label_(style_.small) {}

  Status Place() override {
    const double size = page_.size_px;
    wide_ = size - 2.0 * style_.margin;
    words_ = {.family = FontFamily::kSans, .size_px = 1.15 * style_.largest_token};
    while (static_cast<double>(LineOf(0.0F).width) > wide_ &&
           words_.size_px > style_.smallest_token) {
      words_.size_px = std::max(style_.smallest_token, 0.95 * words_.size_px);
    }
    label_.size_px = std::min(label_.size_px, words_.size_px);
    words_line_ = LineOf(static_cast<float>(wide_));
    line_ = std::ceil(1.5 * words_.size_px);
    label_height_ = std::ceil(setter_.Measure("nsubj", label_).height);
    const std::string note =
        words_line_.is_squeezed
            ? "The text is longer than its line: words and relations that would touch others are "
              "left out."
            : "";
    const double around = HeadingHeight(wide_) + 20.0 * style_.unit + footer_.Layout(wide_, note) +
                          2.0 * style_.margin + label_height_;
    const double room = std::floor(std::min(0.22 * size, (size - around - line_) / 2.0));
    if (room < 20.0) {
      return TooSmall(page_);
    }
    rise_ = room;
    // As much as the arcs need.
    double above = 0.0;
    double below = 0.0;
    for (const Stroke& arc : Drawn(0.0, 0.0).strokes) {
      above = std::max(above, static_cast<double>(arc.rise));
      below = std::max(below, -static_cast<double>(arc.rise));
    }
    above_ = std::ceil(above + 3.0 * style_.unit + label_height_);
    below_ = std::ceil(below + 3.0 * style_.unit);
    return SetSize(wide_, size, std::ceil(above_ + line_ + below_ + around - label_height_));
  }

 private:
  [[nodiscard]] TextLine LineOf(float room) {
    std::vector<LineWord> words;
    std::string text;
    for (std::size_t token = 0; token < content_.tokens.size(); ++token) {
      const std::string& word = content_.tokens[token];
      words.push_back({.width = static_cast<float>(setter_.Measure(word, words_).width),
                       .continues = content_.continues[token]});
      text += word + " ";
    }
    return PlaceWords(words,
                      static_cast<float>(0.45 * words_.size_px),
                      TextBlock::DirectionOf(text) == TextBlock::Direction::kRightToLeft,
                      room);
  }

  [[nodiscard]] TreeDrawing Drawn(double x, double y) const {
    const std::vector<float> middles = WordMiddles(content_.tree, words_line_);
    return DrawTree(content_.answers,
                    middles,
                    {.left = static_cast<float>(x),
                     .top = static_cast<float>(y + above_),
                     .bottom = static_cast<float>(y + above_ + line_),
                     .rise = static_cast<float>(rise_),
                     .fall = static_cast<float>(0.7 * rise_),
                     .unit = static_cast<float>(style_.unit),
                     .theme = page_.theme});
  }

  Result<double> DrawContent(Canvas* canvas,
                             double x,
                             double y,
                             const std::stop_token& /*stop*/) override {
    // A short sentence stands in the middle.
    x = std::round(x);
    y = std::round(y);
    const double left =
        std::round(x + std::max(0.0, (wide_ - static_cast<double>(words_line_.width)) / 2.0));
    const TreeDrawing drawing = Drawn(left, y);
    const double tall = above_ + line_ + below_;
    canvas->Strokes(drawing.strokes,
                    {static_cast<float>(x),
                     static_cast<float>(y),
                     static_cast<float>(wide_),
                     static_cast<float>(tall)});
    DrawWords(canvas, left, y + above_);
    DrawLabels(canvas, drawing);
    return y + tall + 20.0 * style_.unit;
  }

  void DrawWords(Canvas* canvas, double x, double y) {
    const std::vector<bool> shown =
        WordsWithRoom(words_line_, static_cast<float>(0.2 * words_.size_px), {});
    const ThemeColors& colors = ColorsOf(page_.theme);
    for (std::size_t token = 0; token < content_.tokens.size(); ++token) {
      if (shown[token]) {
        const double tall = setter_.Measure(content_.tokens[token], words_).height;
        canvas->TextCentered(x + static_cast<double>(words_line_.middles[token]),
                             y + (line_ - tall) / 2.0,
                             content_.tokens[token],
                             words_,
                             content_.tree.word[token] < 0 ? colors.dim : colors.text);
      }
    }
  }

  void DrawLabels(Canvas* canvas, const TreeDrawing& drawing) {
    if (!page_.look.has_labels) {
      return;
    }
    std::vector<float> widths;
    for (const EdgeLabel& label : drawing.labels) {
      const std::string& relation = content_.answers.edges[label.edge].relation;
      widths.push_back(static_cast<float>(setter_.Measure(relation, label_).width));
    }
    const std::vector<bool> shown =
        LabelsWithRoom(drawing, content_.answers, widths, static_cast<float>(label_height_));
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (shown[i]) {
        const EdgeLabel& label = drawing.labels[i];
        canvas->TextCentered(static_cast<double>(label.x),
                             static_cast<double>(label.y) - label_height_ - style_.unit,
                             content_.answers.edges[label.edge].relation,
                             label_,
                             label.color);
      }
    }
  }

  const TreeContent& content_;
  TextStyle words_;
  TextStyle label_;
  TextLine words_line_;
  double line_ = 0.0;  // height of the line of words
  double label_height_ = 0.0;
  double rise_ = 0.0;
  double above_ = 0.0;
  double below_ = 0.0;
  double wide_ = 0.0;
};

}  // namespace

template <>
std::unique_ptr<PageLayout> TreeFigure::LayOut(TextSetter* setter) const {
  return std::make_unique<TreeLayout>(page(), content(), setter);
}
template class PageFigure<TreeContent>;

}  // namespace headscope

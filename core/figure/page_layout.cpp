#include "core/figure/page_layout.h"

#include <cmath>
#include <string>

namespace headscope {

PageLayout::PageLayout(const FigurePage& page, const FooterContent& footer, TextSetter* setter)
    : page_(page),
      style_(StyleFor(page)),
      setter_(*setter),
      footer_(page, style_, footer, setter),
      flagged_(footer.flags_in_heading ? footer.maps.front() : nullptr) {}

Status PageLayout::SetSize(double content, double width, double height) {
  const double size = page_.size_px;
  if (width > size || height > size) {
    return TooSmall(page_);
  }
  const bool wide = width >= height;
  content_ = content;
  width_ = width;
  height_ = height;
  size_.width = static_cast<int>(wide || page_.look.is_width ? size : width);
  size_.height = static_cast<int>(wide || page_.look.is_width ? height : size);
  return {};
}

Status PageLayout::Draw(Canvas* canvas, const std::stop_token& stop) {
  const double x = style_.margin + std::floor((size_.width - width_) / 2.0);
  const double y = style_.margin + std::floor((size_.height - height_) / 2.0);
  DrawHeading(canvas, x, y);
  HEADSCOPE_TRY(const double below, DrawContent(canvas, x, y + HeadingHeight(content_), stop));
  footer_.Draw(canvas, x, below);
  return {};
}

TextStyle PageLayout::TitleStyle(double width) const {
  TextStyle title = style_.title;
  title.max_width_px = width;
  return title;
}

double PageLayout::HeadingHeight(double width) {
  if (page_.title.empty()) {
    return 0.0;
  }
  const double height = setter_.Measure(page_.title, TitleStyle(width)).height;
  return std::ceil(height + 14.0 * style_.unit);
}

void PageLayout::DrawHeading(Canvas* canvas, double x, double y) const {
  const TextStyle title = TitleStyle(content_);
  const ThemeColors& colors = ColorsOf(page_.theme);
  canvas->Text(x, y, page_.title, title, colors.text);
  if (flagged_ == nullptr || flagged_->flag_rgb == 0) {
    return;
  }
  const double unit = style_.unit;
  const TextExtent extent = setter_.Measure(page_.title, title);
  const double left = x + extent.width + 16.0 * unit;
  const double middle = y + extent.height / 2.0;
  canvas->FillRounded(
      left, middle - 5.0 * unit, 10.0 * unit, 10.0 * unit, 3.0 * unit, RgbOf(flagged_->flag_rgb));
  const std::string role = flagged_->flag_role.empty() ? "flagged" : flagged_->flag_role;
  canvas->Text(left + 16.0 * unit,
               middle - setter_.Measure(role, style_.subtitle).height / 2.0,
               role,
               style_.subtitle,
               colors.text);
}

}  // namespace headscope

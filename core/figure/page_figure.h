// A figure that is a page: a heading, its content, and a footer. A type of content brings a layout
// (core/figure/page_layout.h): the file that has it defines LayOut and instantiates PageFigure.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <memory>

#include "core/figure/figure.h"

namespace headscope {

class PageLayout;

template <typename Content>
class PageFigure final : public Figure {
 public:
  PageFigure(FigurePage page, Content content);
  ~PageFigure() override;
  PageFigure(const PageFigure&) = delete;
  PageFigure& operator=(const PageFigure&) = delete;

  [[nodiscard]] const Content& content() const { return content_; }

  [[nodiscard]] Result<FigureSize> Measure(TextSetter* setter) override;
  [[nodiscard]] Status Draw(Canvas* canvas, const std::stop_token& stop) override;

 private:
  [[nodiscard]] std::unique_ptr<PageLayout> LayOut(TextSetter* setter) const;

  Content content_;
  std::unique_ptr<PageLayout> layout_;  // set by Measure
};

}  // namespace headscope

// A single map with its tokens: queries on the left, slanted keys on top, as on screen.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/figure_map.h"

namespace headscope {

struct TokenMapContent {
  FigureMap map;  // its flag is drawn next to the page's title
  std::vector<std::string> query_tokens;
  std::vector<std::string> key_tokens;
};

class TokenMap final : public Figure {
 public:
  TokenMap(FigurePage page, TokenMapContent content);
  ~TokenMap() override;
  TokenMap(const TokenMap&) = delete;
  TokenMap& operator=(const TokenMap&) = delete;

  [[nodiscard]] const TokenMapContent& content() const { return content_; }

  [[nodiscard]] Result<FigureSize> Measure(TextSetter* setter) override;
  [[nodiscard]] Status Draw(Canvas* canvas, const std::stop_token& stop) override;

 private:
  class Layout;
  TokenMapContent content_;
  std::unique_ptr<Layout> layout_;  // set by Measure
};

}  // namespace headscope

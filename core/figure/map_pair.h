// Two heads of a comparison beside each other with their tokens, and what lies between them: three
// maps on the same rows and columns.
//
// Cost     a figure that is drawn makes every row of both heads; none before. Holds three floats for
//          each cell that is drawn.
// Threads  as core/figure/figure.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "core/figure/figure.h"
#include "core/figure/figure_kind.h"

namespace headscope {

struct MapPairContent {
  HeadsBeside heads;
  std::array<std::string, 2> titles;  // over the maps of A and B
  ColorScale scale;                   // of the weights, with the range in force; its curve and mode
                                      // are the difference's, too
};

class MapPair final : public Figure {
 public:
  MapPair(FigurePage page, MapPairContent content);
  ~MapPair() override;
  MapPair(const MapPair&) = delete;
  MapPair& operator=(const MapPair&) = delete;

  [[nodiscard]] const MapPairContent& content() const { return content_; }

  [[nodiscard]] Result<FigureSize> Measure(TextSetter* setter) override;
  [[nodiscard]] Status Draw(Canvas* canvas, const std::stop_token& stop) override;

 private:
  class Layout;
  MapPairContent content_;
  std::unique_ptr<Layout> layout_;  // once it is measured
};

}  // namespace headscope

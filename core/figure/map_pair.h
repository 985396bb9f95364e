// Two heads of a comparison side by side with their tokens, and their difference: three maps on the
// same rows and columns.
//
// Cost     drawing makes every row of both heads, nothing is made before. Holds three floats for
//          each drawn cell.
// Threads  as in core/figure/figure.h.
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
  ColorScale
      scale;  // of the weights, with the range in force; the difference uses its curve and mode
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
  std::unique_ptr<Layout> layout_;  // set by Measure
};

}  // namespace headscope

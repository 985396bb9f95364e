// What every head does to a word, or every layer at every position: colours around 0, and a table of
// the numbers. For core/figure/kinds only.
//
// Errors   kInput: there is no effect to draw.
// Threads  any that may compute.
#pragma once

#include <memory>
#include <string>

#include "core/figure/figure_kind.h"

namespace headscope {

[[nodiscard]] Result<std::unique_ptr<Figure>> MakeEffectFigure(const FigureSubject& subject);
// Of this map, with a caption of its own.
[[nodiscard]] std::unique_ptr<Figure> DrawEffects(const FigureContext& context,
                                                  const EffectMap& map,
                                                  std::string caption);

// A row for each head, or for each layer and position; over pairs of texts with errors.
[[nodiscard]] Result<Table> HeadEffects(const FigureSubject& subject);
[[nodiscard]] Result<Table> PositionEffects(const FigureSubject& subject);

}  // namespace headscope

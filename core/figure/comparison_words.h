// What every figure of a comparison says.
//
// Threads  plain functions.
#pragma once

#include <string>
#include <string_view>

#include "core/compare/comparison.h"
#include "core/figure/figure_context.h"

namespace headscope {

// With title, both models, the text, the convention and what the numbers are.
[[nodiscard]] FigurePage ComparisonPage(const FigureContext& context,
                                        const Comparison& comparison,
                                        std::string_view convention);

// "0.0123", short enough for a label.
[[nodiscard]] std::string ShortDivergence(double nats);

}  // namespace headscope

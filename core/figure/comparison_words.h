// What every figure of a comparison says.
//
// Threads  plain functions; what writes, any that may wait for a disk.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/compare/comparison.h"
#include "core/figure/figure_context.h"
#include "core/figure/figure_kind.h"

namespace headscope {

// With title, both models, the text, the convention and what the numbers are.
[[nodiscard]] FigurePage ComparisonPage(const FigureContext& context,
                                        const Comparison& comparison,
                                        std::string_view convention);

// As core/compare/compare_export.h writes them. kInput: there is no comparison.
[[nodiscard]] Status WriteComparisonNumbers(const std::filesystem::path& path,
                                            const FigureSubject& subject);
inline constexpr std::array<NumbersFormat, 2> kComparisonNumbers = {{
    {.ending = ".json", .name = "JSON", .start = "{\n  \"a\": ", .write = WriteComparisonNumbers},
    // Eight bytes say how long the header is, which begins with the metadata.
    {.ending = ".safetensors",
     .name = "safetensors",
     .start = R"({"__metadata__":{"a":")",
     .start_at = 8,
     .write = WriteComparisonNumbers},
}};

// "0.0123", short enough for a label; small ones with as many digits as tell them from 0.
[[nodiscard]] std::string ShortDivergence(double nats);
// "0.12", "0.0042", "4e-5", for a cell.
[[nodiscard]] std::string TightDivergence(double nats);

// A range that is not fixed goes from 0 to `largest`, which is shown; where that is 0, to ln 2.
[[nodiscard]] ColorScale DivergenceScale(ColorScale scale, double largest);
// Of the pairs of a comparison, and of all heads of A with all heads of B.
[[nodiscard]] double LargestOfPairs(const Comparison& comparison);
[[nodiscard]] double LargestOfAll(const Comparison& comparison);
// What the colours of that scale run to, and why, in a sentence.
[[nodiscard]] std::string DivergenceScaleWords(const ColorScale& scale, double largest);

}  // namespace headscope

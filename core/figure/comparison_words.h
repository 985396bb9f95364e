// The words of every figure of a comparison.
//
// Threads  functions that write: any that may wait for a disk. The rest: any.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/compare/comparison.h"
#include "core/figure/figure_context.h"
#include "core/figure/figure_kind.h"
#include "core/figure/web_page.h"

namespace headscope {

// Makes a page with title, both models, the text, the convention and the meaning of the numbers.
[[nodiscard]] FigurePage ComparisonPage(const FigureContext& context,
                                        const Comparison& comparison,
                                        std::string_view convention);

// Writes as core/compare/compare_export.h does. kInput: there is no comparison.
[[nodiscard]] Status WriteComparisonNumbers(const std::filesystem::path& path,
                                            const FigureSubject& subject);
inline constexpr std::array<NumbersFormat, 3> kComparisonNumbers = {{
    {.ending = ".json", .name = "JSON", .start = "{\n  \"a\": ", .write = WriteComparisonNumbers},
    // The first eight bytes are the length of the header, which begins with the metadata.
    {.ending = ".safetensors",
     .name = "safetensors",
     .start = R"({"__metadata__":{"a":")",
     .start_at = 8,
     .write = WriteComparisonNumbers},
    PageFormat<WriteComparisonPage>(),
}};

// Returns "0.0123", short enough for a label; small numbers get as many digits as it takes to
// differ from 0.
[[nodiscard]] std::string ShortDivergence(double nats);
// Returns "0.12", "0.0042", "4e-5", for a cell.
[[nodiscard]] std::string TightDivergence(double nats);

// Maps that differ less, in nats, are alike but for rounding.
inline constexpr double kRoundingOfDivergence = 1e-6;

// A range that is not fixed goes from 0 to `largest`, which is shown; if that is no more than
// rounding, it goes to ln 2.
[[nodiscard]] ColorScale DivergenceScale(ColorScale scale, double largest);
// The largest divergence over the pairs of a comparison, and over all heads of A with all heads of
// B.
[[nodiscard]] double LargestOfPairs(const Comparison& comparison);
[[nodiscard]] double LargestOfAll(const Comparison& comparison);
// Says in a sentence which value the colours of that scale end at, and why.
[[nodiscard]] std::string DivergenceScaleWords(const ColorScale& scale, double largest);

}  // namespace headscope
